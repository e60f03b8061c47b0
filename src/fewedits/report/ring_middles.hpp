// SPDX-License-Identifier: MIT
// Where the rings are that a bond is drawn into: its second line lies inside.
#pragma once

#include <optional>
#include <vector>

#include "fewedits/graph/graph.hpp"
#include "fewedits/graph/positions.hpp"

namespace fewedits {

/// By edge, in the order of Graph::edges: the middle of the smallest ring of at most eight nodes
/// that it lies on; for aromatic edges (flags in the same order) of one of aromatic edges alone, if
/// there is any. report.js does the same.
std::vector<std::optional<Point>> ring_middles(const Graph& graph, const Positions& at,
                                               const std::vector<bool>& aromatic);

}  // namespace fewedits
