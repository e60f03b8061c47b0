// SPDX-License-Identifier: MIT
// One graph inside another: subgraph monomorphism.
#pragma once

#include <optional>
#include <vector>

#include "fewedits/graph/graph.hpp"

namespace fewedits {

/// Different nodes of the graph, one for each node of the pattern and of its label, such that
/// edges of the pattern are edges of the graph (which may have more between them). Labels of edges
/// are not compared. The problem is NP-complete: backtracking, quick for patterns of a few dozen
/// nodes with some variety of labels.
std::optional<std::vector<Node>> find_embedding(const Graph& pattern, const Graph& graph);

}  // namespace fewedits
