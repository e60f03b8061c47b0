// SPDX-License-Identifier: MIT
// The edges that hold a graph together: without one of them it has a part more. Internal to the
// listings of neighbours.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "fewedits/graph/graph.hpp"

namespace fewedits {

/// Tarjan's low points (1974), without recursion: chains may be long.
class Bridges {
 public:
  explicit Bridges(const Graph& graph);

  /// For adjacent nodes.
  [[nodiscard]] bool contain(Node u, Node v) const {
    return (parent_[v] == u && is_below_bridge_[v]) || (parent_[u] == v && is_below_bridge_[u]);
  }

 private:
  static constexpr Node kNone = std::numeric_limits<Node>::max();

  /// Sets the parents and the nodes' places in the order.
  std::vector<Node> depth_first_order(const Graph& graph, std::vector<std::uint32_t>& place);

  std::vector<Node> parent_;
  std::vector<bool> is_below_bridge_;
};

}  // namespace fewedits
