// SPDX-License-Identifier: MIT
#include "fewedits/edit/bridges.hpp"

#include <algorithm>
#include <utility>

namespace fewedits {

Bridges::Bridges(const Graph& graph)
    : parent_(graph.num_nodes(), kNone), is_below_bridge_(graph.num_nodes(), false) {
  std::vector<std::uint32_t> place(graph.num_nodes(), kNone);
  const std::vector<Node> order = depth_first_order(graph, place);
  // The first place that v's descendants, v among them, reach by an edge outside the tree.
  std::vector<std::uint32_t> low = place;
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    const Node v = *it;
    for (const Node w : graph.neighbours(v)) {
      if (w != parent_[v]) low[v] = std::min(low[v], parent_[w] == v ? low[w] : place[w]);
    }
    is_below_bridge_[v] = low[v] == place[v];
  }
}

std::vector<Node> Bridges::depth_first_order(const Graph& graph,
                                             std::vector<std::uint32_t>& place) {
  std::vector<Node> order;
  std::vector<std::pair<Node, Node>> stack;  // a node and from where it was seen
  for (Node root = 0; root < graph.num_nodes(); ++root) {
    stack.emplace_back(root, kNone);
    while (!stack.empty()) {
      const auto [v, from] = stack.back();
      stack.pop_back();
      if (place[v] != kNone) continue;
      place[v] = static_cast<std::uint32_t>(order.size());
      parent_[v] = from;
      order.push_back(v);
      for (const Node w : graph.neighbours(v)) {
        if (place[w] == kNone) stack.emplace_back(w, v);
      }
    }
  }
  return order;
}

}  // namespace fewedits
