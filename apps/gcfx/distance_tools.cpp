// SPDX-License-Identifier: MIT
#include "distance_tools.hpp"

#include <stdexcept>

#include "commands.hpp"
#include "gcfx/distance/greed_distance.hpp"
#include "gcfx/ged/certificate.hpp"

namespace gcfx::cli {
namespace {

using Json = nlohmann::ordered_json;

Json as_json(const EditOp& op) {
  using Kind = EditOp::Kind;
  switch (op.kind) {
    case Kind::kRelabelNode: return {{"op", "relabel_node"}, {"node", op.u}, {"label", op.label}};
    case Kind::kRelabelEdge:
      return {{"op", "relabel_edge"}, {"u", op.u}, {"v", op.v}, {"label", op.label}};
    case Kind::kDeleteEdge: return {{"op", "delete_edge"}, {"u", op.u}, {"v", op.v}};
    case Kind::kDeleteNode: return {{"op", "delete_node"}, {"node", op.u}};
    case Kind::kInsertNode: return {{"op", "insert_node"}, {"node", op.u}, {"label", op.label}};
    case Kind::kInsertEdge: break;
  }
  return {{"op", "insert_edge"}, {"u", op.u}, {"v", op.v}, {"label", op.label}};
}

}  // namespace

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

EditScript checked_script(const Graph& a, const Graph& b, const NodeMap& map,
                          const EditCosts& costs, std::int64_t claimed) {
  EditScript script = edit_script(a, b, map, costs);
  const Verdict verdict = check_certificate(a, b, script, costs);
  if (!verdict.holds) throw std::logic_error("edits do not replay: " + verdict.reason);
  if (verdict.cost != claimed) throw std::logic_error("edits do not cost what was claimed");
  return script;
}

void add_script(const EditScript& script, Json& row) {
  row["script"] = Json::array();
  for (const EditOp& op : script.ops) row["script"].push_back(as_json(op));
  row["map"] = Json::array();
  for (const Node to : script.map) row["map"].push_back(to == kUnmatched ? Json() : Json(to));
}

}  // namespace gcfx::cli
