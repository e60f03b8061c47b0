// SPDX-License-Identifier: MIT
#include "distance_tools.hpp"

#include "commands.hpp"
#include "gcfx/distance/greed_distance.hpp"

namespace gcfx::cli {

void check_greed_model(const std::string& distance, const std::string& model) {
  if (distance != "greed" || !model.empty()) return;
  throw Error("the greed distance needs a model",
              "give --greed-model FILE; `gcfx train-distance` makes one");
}

std::unique_ptr<const Distance> make_estimate(const std::string& name,
                                              const EstimateOptions& options, const Dataset& data,
                                              std::span<const Graph> graphs, ThreadPool& pool) {
  if (name == "wl") return make_wl_distance(graphs, options.wl, pool);
  if (name == "rw") return make_rw_distance(graphs, options.rw, pool);
  if (name == "nspd") return make_nspd_distance(graphs, options.nspd, pool);
  check_greed_model(name, options.greed_model);
  return make_greed_distance(graphs, open_embedder(options.greed_model, data), pool);
}

}  // namespace gcfx::cli
