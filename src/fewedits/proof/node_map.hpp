// SPDX-License-Identifier: MIT
// A map of the nodes of one graph into another, and the edit cost it induces.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fewedits/graph/graph.hpp"
#include "fewedits/proof/edit_costs.hpp"

namespace fewedits {

inline constexpr Node kUnmatched = ~Node{0};

/// map[i] is the node of b that node i of a becomes, or kUnmatched: i is deleted. Nodes of b
/// that are nobody's image are inserted. Injective.
using NodeMap = std::vector<Node>;

/// True if the map has one entry per node of a and every image is a node of b, used once.
bool is_node_map(const Graph& a, const Graph& b, std::span<const Node> map);

/// Cost of the edits the map spells out (edit_script.hpp); needs is_node_map. O(|V| + |E| log d).
std::int64_t induced_cost(const Graph& a, const Graph& b, std::span<const Node> map,
                          const EditCosts& costs = {});

/// The map of the way back.
NodeMap inverse_map(std::span<const Node> map, Node nodes_of_b);

}  // namespace fewedits
