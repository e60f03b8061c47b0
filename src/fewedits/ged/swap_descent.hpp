// SPDX-License-Identifier: MIT
// Mends a map after its graph was edited.
//
// If no exchange of two images could improve the map before, an edit changes that only for the
// nodes it touched, and for images it set free. So instead of the n² / 2 exchanges of a full
// descent (ged/map_search) a few times n are looked at, and nothing is set up: under a microsecond
// for a molecule, and as much for every exchange that is made. Unit costs, and what another label
// of an edge costs: with it each label is a layer of edges of its own beside that of all.
#pragma once

#include <cstdint>
#include <span>

#include "fewedits/ged/prepared_graph.hpp"
#include "fewedits/proof/node_map.hpp"

namespace fewedits {

/// Both graphs are small enough for it: 64 nodes, and eight labels of edges if these count; and
/// either both or none have them.
inline bool can_descend_by_swaps(const PreparedGraph& graph, const PreparedGraph& input,
                                 std::int32_t relabel_edge = 0) {
  if (graph.bit_rows().empty() || input.bit_rows().empty()) return false;
  if (relabel_edge == 0) return true;
  const auto fits = [&](const PreparedGraph& g) {
    return g.graph().num_edges() == 0 || !g.labelled_bit_rows().empty();
  };
  return graph.graph().has_edge_labels() == input.graph().has_edge_labels() &&
         (!graph.graph().has_edge_labels() || (fits(graph) && fits(input)));
}

/// Exchanges images as long as one of the touched nodes, or of those that an exchange touches,
/// gains by it; with `freed`, any node may take an image that is nobody's. By how much the cost
/// falls.
std::int32_t descend_by_swaps(const PreparedGraph& graph, const PreparedGraph& input,
                              std::span<Node> map, std::span<const Node> touched, bool freed,
                              std::int32_t relabel_edge = 0);

}  // namespace fewedits
