// SPDX-License-Identifier: MIT
#include "fewedits/proof/node_map.hpp"

#include <algorithm>
#include <cassert>

namespace fewedits {
namespace {

/// What mapping the nodes saves over deleting and inserting them.
std::int64_t saved_on_nodes(const Graph& a, const Graph& b, std::span<const Node> map,
                            const EditCosts& costs) {
  const auto labels_of_a = a.labels();
  const auto labels_of_b = b.labels();
  const std::int64_t rebuilt = costs.delete_node + costs.insert_node;
  std::int64_t saved = 0;
  for (std::size_t i = 0; i < map.size(); ++i) {
    if (map[i] == kUnmatched) continue;
    saved += labels_of_a[i] == labels_of_b[map[i]] ? rebuilt : rebuilt - costs.relabel_node;
  }
  return saved;
}

/// What keeping the edges of node u saves over deleting and inserting them. Every edge is seen
/// once, from its smaller end.
std::int64_t saved_on_edges_of(Node u, const Graph& a, const Graph& b, std::span<const Node> map,
                               const EditCosts& costs) {
  const auto row = a.neighbours(u);
  const auto images = b.neighbours(map[u]);
  const std::int64_t rebuilt = costs.delete_edge + costs.insert_edge;
  const std::int64_t relabelled = std::min<std::int64_t>(costs.relabel_edge, rebuilt);
  std::int64_t saved = 0;
  for (const Node v : row.subspan(
           static_cast<std::size_t>(std::upper_bound(row.begin(), row.end(), u) - row.begin()))) {
    // kUnmatched is nobody's neighbour.
    if (!std::binary_search(images.begin(), images.end(), map[v])) continue;
    const bool same = relabelled == 0 || a.edge_label(u, v) == b.edge_label(map[u], map[v]);
    saved += same ? rebuilt : rebuilt - relabelled;
  }
  return saved;
}

}  // namespace

bool is_node_map(const Graph& a, const Graph& b, std::span<const Node> map) {
  if (map.size() != a.num_nodes()) return false;
  std::vector<bool> taken(b.num_nodes(), false);
  for (const Node image : map) {
    if (image == kUnmatched) continue;
    if (image >= b.num_nodes() || taken[image]) return false;
    taken[image] = true;
  }
  return true;
}

std::int64_t induced_cost(const Graph& a, const Graph& b, std::span<const Node> map,
                          const EditCosts& costs) {
  assert(is_node_map(a, b, map));
  std::int64_t cost = largest_distance(a, b, costs) - saved_on_nodes(a, b, map, costs);
  for (Node u = 0; u < a.num_nodes(); ++u) {
    if (map[u] != kUnmatched) cost -= saved_on_edges_of(u, a, b, map, costs);
  }
  return cost;
}

NodeMap inverse_map(std::span<const Node> map, Node nodes_of_b) {
  NodeMap back(nodes_of_b, kUnmatched);
  for (std::size_t i = 0; i < map.size(); ++i) {
    if (map[i] != kUnmatched) back[map[i]] = static_cast<Node>(i);
  }
  return back;
}

}  // namespace fewedits
