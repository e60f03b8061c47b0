// SPDX-License-Identifier: MIT
// Draws any graph in the plane: stress majorisation of the distances along edges (Gansner, Koren &
// North 2004), from a start by classical scaling. The same graph gives the same picture.
#pragma once

#include <cstddef>

#include "fewedits/graph/graph.hpp"
#include "fewedits/graph/positions.hpp"

namespace fewedits {

/// No two nodes that are not both anchored are nearer than this share of an edge.
inline constexpr double kNodeGap = 0.5;

/// Up to here what takes time in proportion to the square of the size is done.
inline constexpr std::size_t kLargestDrawnWell = 1500;

/// Neighbours are about `edge` apart; components lie side by side, the longest way across is
/// horizontal. Anchored nodes are where they are wanted, the others find their place around them.
/// Components beyond kLargestDrawnWell nodes get plain rings around a middle.
Positions layout_graph(const Graph& graph, const Anchors& anchors = {}, double edge = 1);

}  // namespace fewedits
