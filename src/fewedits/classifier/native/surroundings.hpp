// SPDX-License-Identifier: MIT
// The part of a graph around some nodes, numbered anew by distance: what is within h hops is a
// prefix, so that layer l of a network can be computed for a prefix of the rows. Internal to
// classifier/native.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fewedits/graph/graph.hpp"

namespace fewedits {

/// Buffers stay from graph to graph.
class Surroundings {
 public:
  /// `from` are different nodes of the graph. Labels of edges only for those who want them.
  void explore(const Graph& graph, std::span<const Node> from, std::size_t hops,
               bool with_edge_labels);

  /// The graph's numbers, nearest first.
  [[nodiscard]] std::span<const Node> nodes() const { return nodes_; }
  /// How many nodes are at most that far away, up to the hops of explore().
  [[nodiscard]] std::size_t within(std::size_t hops) const { return ends_[hops]; }
  [[nodiscard]] const Label* labels() const { return labels_.data(); }
  /// Compressed rows of those that have all their neighbours here, i.e. are not `hops` away: places
  /// in nodes(), in the graph's own order, so that sums over them are the same sums.
  [[nodiscard]] const std::uint32_t* offsets() const { return offsets_.data(); }
  [[nodiscard]] const std::uint32_t* targets() const { return targets_.data(); }
  /// Parallel to targets().
  [[nodiscard]] const Label* edge_labels() const { return edge_labels_.data(); }

 private:
  std::vector<Node> nodes_;
  std::vector<std::size_t> ends_;
  std::vector<Label> labels_;
  std::vector<std::uint32_t> offsets_;
  std::vector<std::uint32_t> targets_;
  std::vector<Label> edge_labels_;
  std::vector<std::uint32_t> place_;  ///< of a node in nodes_; anything for one that is not there
};

}  // namespace fewedits
