// SPDX-License-Identifier: MIT
// A graph with all that the GED methods ask of it again and again, computed once: counts for the
// cheap bounds, neighbourhood features for first maps, bit rows and reverse edges for the searches.
// A few microseconds and about 100 bytes per node for a molecule.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "fewedits/graph/graph.hpp"

namespace fewedits {

/// How often each label occurs, ascending by label.
using LabelTally = std::vector<std::pair<Label, std::uint32_t>>;

/// What the cheapest lower bounds look at.
struct GraphProfile {
  std::uint32_t nodes = 0;
  std::uint32_t edges = 0;
  LabelTally labels;
  LabelTally edge_labels;
  /// [t] = number of nodes with degree > t.
  std::vector<std::uint32_t> degree_above;
};

GraphProfile profile_of(const Graph& graph);

class PreparedGraph {
 public:
  /// How many nodes of each label lie at distance 1…4 of a node: 16 counts per distance (labels are
  /// folded into 16), capped at 255. Only first maps use them, so folding cannot break a bound.
  static constexpr std::size_t kShells = 4;
  static constexpr std::size_t kFolds = 16;
  using Shells = std::array<std::uint8_t, kShells * kFolds>;

  explicit PreparedGraph(Graph graph);

  [[nodiscard]] const Graph& graph() const { return graph_; }
  [[nodiscard]] std::span<const Edge> edges() const { return edges_; }
  [[nodiscard]] const GraphProfile& profile() const { return profile_; }
  [[nodiscard]] std::span<const Shells> shells() const { return shells_; }
  /// Neighbours of each node as bits; empty if there are more than kBits nodes.
  static constexpr std::size_t kBits = 64;
  [[nodiscard]] std::span<const std::uint64_t> bit_rows() const { return bit_rows_; }
  /// The same by edges of each label: node v's by label l at v · num_edge_labels() + l. Empty
  /// without edge labels, or if those are many.
  static constexpr std::size_t kEdgeLabels = 8;
  [[nodiscard]] std::span<const std::uint64_t> labelled_bit_rows() const {
    return labelled_bit_rows_;
  }
  [[nodiscard]] std::size_t num_edge_labels() const { return num_edge_labels_; }
  /// Position in targets() of the same edge seen from its other end.
  [[nodiscard]] std::span<const std::uint32_t> reverse_edge() const { return reverse_; }
  /// Nodes with the same number have the same label and the same neighbours (by edges with the
  /// same labels, if those count): exchanging them changes nothing. The number is the lowest
  /// node among them.
  [[nodiscard]] std::span<const Node> twin(bool edge_labels_count) const {
    return edge_labels_count && graph_.has_edge_labels() ? labelled_twin_ : twin_;
  }

 private:
  void look_around();
  void pair_edges();
  void set_bits();
  [[nodiscard]] std::vector<Node> find_twins(bool edge_labels_count) const;

  Graph graph_;
  std::vector<Edge> edges_;
  GraphProfile profile_;
  std::vector<Shells> shells_;
  std::vector<std::uint64_t> bit_rows_;
  std::vector<std::uint64_t> labelled_bit_rows_;
  std::size_t num_edge_labels_ = 0;  ///< the largest there is and one
  std::vector<std::uint32_t> reverse_;
  std::vector<Node> twin_;
  std::vector<Node> labelled_twin_;  ///< empty without edge labels: twin_ holds then
};

}  // namespace fewedits
