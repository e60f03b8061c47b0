// SPDX-License-Identifier: MIT
// Models know the labels below some number; a graph with another one is refused.
#pragma once

#include <cstddef>

#include "fewedits/graph/graph.hpp"

namespace fewedits {

/// Throws Error naming the graph, the `index`-th of a batch, unless label < known.
void check_known(Label label, std::size_t known, std::size_t index);
/// The same for all labels of the graph.
void check_known_labels(const Graph& graph, std::size_t known, std::size_t index);

/// The same for all labels of edges, which must be there.
void check_known_edge_labels(const Graph& graph, std::size_t known, std::size_t index);

}  // namespace fewedits
