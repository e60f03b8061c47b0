// SPDX-License-Identifier: MIT
// Small patterns of a graph, whatever it stands for: labels, labels in a row, a node with three
// neighbours, rings, and how many neighbours a node has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fewedits/glance/glance.hpp"
#include "fewedits/graph/graph.hpp"

namespace fewedits {

/// Equal for equal patterns: the kind, then labels of nodes and edges in a canonical order. Labels
/// of edges are 0 where there are none.
struct PatternKey {
  PatternShare::Kind kind = PatternShare::Kind::kLabel;
  std::vector<std::uint32_t> words;
  friend bool operator==(const PatternKey&, const PatternKey&) = default;
  friend auto operator<=>(const PatternKey&, const PatternKey&) = default;
};

/// A pattern in a graph.
struct SeenPattern {
  PatternKey key;
  std::size_t places = 0;
  std::vector<Node> nodes;  ///< of one place, ascending
};

inline constexpr std::size_t kLongestPath = 5;  ///< nodes
inline constexpr std::size_t kLargestRing = 8;  ///< nodes
inline constexpr std::uint32_t kFewestNeighbours = 3;
inline constexpr std::uint32_t kMostNeighbours = 8;

/// How many nodes paths may have so that all graphs together have few enough walks; 1 to
/// kLongestPath.
std::size_t longest_path(std::span<const Graph> graphs);

/// Ascending by their keys. Rings are those of an edge and a shortest way around it. `degrees`: ask
/// for numbers of neighbours, too.
std::vector<SeenPattern> small_patterns(const Graph& graph, std::size_t longest, bool degrees);

/// A path, star or ring as a graph; of a label, its node. Not of ring sizes and degrees.
Graph graph_of(const PatternKey& key, Graph::EdgeLabels edge_labels);

}  // namespace fewedits
