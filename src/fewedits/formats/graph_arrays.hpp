// SPDX-License-Identifier: MIT
// Graphs that another program holds in memory, as arrays over all of them: what becomes of PyTorch
// Geometric's, networkx's and other people's graphs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "fewedits/graph/dataset.hpp"

namespace fewedits {

/// Graph after graph: the first one's nodes, then the second one's. Edges are lines from one node
/// of a graph to another, counted from 0 in each graph.
struct GraphArrays {
  std::string name;
  std::span<const std::int64_t> nodes;  ///< of each graph, how many
  std::span<const std::int64_t> lines;  ///< of each graph, how many
  std::span<const std::int64_t> node_labels;
  std::span<const std::int64_t> sources;
  std::span<const std::int64_t> targets;
  std::optional<std::span<const std::int64_t>> edge_labels = {};  ///< of the lines
  std::optional<std::span<const std::int64_t>> classes = {};      ///< of the graphs
  /// Every edge has one line, and not one for each direction.
  bool lines_are_edges = false;
};

/// Undirected simple graphs, with notes on what was made of lines that are none. Throws Error for
/// arrays that do not fit together, naming the graph.
RawDataset graphs_from_arrays(const GraphArrays& arrays);

}  // namespace fewedits
