// SPDX-License-Identifier: MIT
#include "distance_tools.hpp"

#include "commands.hpp"
#include "fewedits/distance/greed_distance.hpp"

namespace fewedits::cli {

void check_greed_model(const std::string& distance, const std::string& model) {
  if (distance != "greed" || !model.empty()) return;
  throw Error("the greed distance needs a model",
              "give --greed-model FILE; `fewedits train-distance` makes one");
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

std::vector<std::vector<double>> estimates(const std::string& name, const EstimateOptions& options,
                                           const Dataset& data,
                                           const std::vector<Graph>& counterfactuals,
                                           const std::vector<Graph>& inputs, ThreadPool& pool) {
  std::vector<Graph> graphs = counterfactuals;
  graphs.insert(graphs.end(), inputs.begin(), inputs.end());
  const auto distance = make_estimate(name, options, data, graphs, pool);
  std::vector<std::vector<double>> out;
  std::vector<Measure> row(inputs.size());
  for (std::uint32_t c = 0; c < counterfactuals.size(); ++c) {
    std::vector<GraphPair> pairs;
    for (auto i = counterfactuals.size(); i < graphs.size(); ++i) {
      pairs.push_back({static_cast<std::uint32_t>(i), c});
    }
    distance->measure(pairs, row, pool);
    auto& values = out.emplace_back();
    for (const Measure& m : row) values.push_back(m.normalized);
  }
  return out;
}

}  // namespace fewedits::cli
