// SPDX-License-Identifier: MIT
#include "fewedits/report/page_json.hpp"

#include <cmath>
#include <utility>

#include "fewedits/report/bond_charges.hpp"

namespace fewedits {
namespace {

/// Whole numbers take less room; an edge is this long.
constexpr double kEdgeUnits = 30;

/// [node, charge] of the charged ones; null where there are none.
PageJson charges_json(const std::vector<int>& charges) {
  PageJson out;
  for (std::size_t v = 0; v < charges.size(); ++v) {
    if (charges[v] != 0) out.push_back({v, charges[v]});
  }
  return out;
}

/// Both ends of each edge, one after the other.
PageJson edges_json(const Graph& g) {
  PageJson out = PageJson::array();
  for (const Edge& e : g.edges()) {
    out.push_back(e.u);
    out.push_back(e.v);
  }
  return out;
}

}  // namespace

PageJson positions_json(const Positions& at) {
  PageJson out = PageJson::array();
  for (const Point p : at) {
    out.push_back(std::lround(kEdgeUnits * p.x));
    out.push_back(std::lround(kEdgeUnits * p.y));
  }
  return out;
}

PageJson graph_json(const Graph& graph, bool bonds, const MoleculeRules* rules) {
  PageJson out{{"labels", std::vector<Label>(graph.labels().begin(), graph.labels().end())},
               {"edges", edges_json(graph)}};
  if (bonds && graph.has_edge_labels()) {
    PageJson labels = PageJson::array();
    for (const Edge& edge : graph.edges()) labels.push_back(edge.label);
    out["bonds"] = std::move(labels);
  }
  PageJson charges = charges_json(bond_charges(rules, graph));
  if (!charges.is_null()) out["charges"] = std::move(charges);
  return out;
}

PageJson map_json(std::span<const Node> map) {
  PageJson out = PageJson::array();
  for (const Node to : map) out.push_back(to == kUnmatched ? PageJson(-1) : PageJson(to));
  return out;
}

PageJson rewrite_json(const Graph& shown, const Graph& before, const Graph& after,
                      std::span<const Node> map, const Artist& artist, const MoleculeRules* rules) {
  const EditCosts costs{.relabel_edge = before.has_edge_labels() ? 1 : 0};
  const EditScript script = edit_script(before, after, map, costs);
  const Positions at = artist.draw(before);
  PageJson ops = PageJson::array();
  for (const EditOp& op : script.ops) ops.push_back({static_cast<int>(op.kind), op.u, op.v});
  return {{"before", graph_json(shown, artist.molecules(), rules)},
          {"after", graph_json(after, artist.molecules(), rules)},
          {"xy", positions_json(at)},
          {"target_xy", positions_json(artist.draw_changed(before, at, after, map))},
          {"map", map_json(script.map)},
          {"ops", std::move(ops)}};
}

}  // namespace fewedits
