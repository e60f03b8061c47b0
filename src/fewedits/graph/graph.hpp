// SPDX-License-Identifier: MIT
// An undirected, simple, node-labelled graph as an immutable value.
//
// Memory layout: one shared block of 32-bit words,
//   offsets[n+1] | targets[2m] | labels[n] | edge_labels[2m] (only if the graph has them)
// in CSR form with each node's neighbours ascending. A copy is a reference count; an edit copies
// the block (about 500 bytes for a 30-atom molecule).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace fewedits {

using Node = std::uint32_t;
/// Index into the dataset's label table (not the value in the file).
using Label = std::uint32_t;

struct Edge {
  Node u = 0;
  Node v = 0;
  Label label = 0;
  friend bool operator==(const Edge&, const Edge&) = default;
  friend auto operator<=>(const Edge&, const Edge&) = default;
};

class Graph {
 public:
  /// The graph without nodes.
  Graph() = default;

  enum class EdgeLabels { kAbsent, kPresent };

  /// Edges in any order and orientation; ids must be < labels.size(), no self loops, no
  /// duplicates (asserted: readers normalise and report before they build).
  Graph(std::span<const Label> labels, std::span<const Edge> edges,
        EdgeLabels edge_labels = EdgeLabels::kAbsent);

  [[nodiscard]] Node num_nodes() const { return n_; }
  [[nodiscard]] std::size_t num_edges() const { return m_; }
  /// |V| + |E|, the size that normalises distances (SPEC §4).
  [[nodiscard]] std::size_t size() const { return n_ + m_; }
  [[nodiscard]] bool has_edge_labels() const { return has_edge_labels_; }

  [[nodiscard]] Label label(Node v) const { return labels()[v]; }
  [[nodiscard]] std::uint32_t degree(Node v) const { return offsets()[v + 1] - offsets()[v]; }
  [[nodiscard]] std::span<const Node> neighbours(Node v) const {
    return targets().subspan(offsets()[v], degree(v));
  }
  /// Parallel to neighbours(v); empty if the graph has no edge labels.
  [[nodiscard]] std::span<const Label> edge_labels(Node v) const;
  [[nodiscard]] bool has_edge(Node u, Node v) const;
  /// Label of an existing edge; 0 if the graph has no edge labels.
  [[nodiscard]] Label edge_label(Node u, Node v) const;
  /// Every edge once with u < v, ascending.
  [[nodiscard]] std::vector<Edge> edges() const;

  // The raw CSR arrays, for kernels.
  [[nodiscard]] std::span<const std::uint32_t> offsets() const { return words(0, n_ + 1); }
  [[nodiscard]] std::span<const Node> targets() const { return words(n_ + 1, 2 * m_); }
  [[nodiscard]] std::span<const Label> labels() const { return words(n_ + 1 + 2 * m_, n_); }
  /// Parallel to targets(); empty if the graph has no edge labels.
  [[nodiscard]] std::span<const Label> edge_labels() const {
    if (!has_edge_labels_) return {};
    return words(2 * std::size_t{n_} + 1 + 2 * m_, 2 * m_);
  }

  // Edits: each returns a new graph; preconditions are asserted.
  [[nodiscard]] Graph with_label(Node v, Label label) const;
  [[nodiscard]] Graph with_edge(Node u, Node v, Label label = 0) const;
  [[nodiscard]] Graph without_edge(Node u, Node v) const;
  /// Of a graph with edge labels.
  [[nodiscard]] Graph with_edge_label(Node u, Node v, Label label) const;
  /// The new node gets the id num_nodes().
  [[nodiscard]] Graph with_leaf(Node anchor, Label label, Label edge_label = 0) const;
  /// Removes a node with its edges; later nodes move down by one.
  [[nodiscard]] Graph without_node(Node v) const;
  [[nodiscard]] Graph without_edge_labels() const;
  /// Every label l becomes to[l].
  [[nodiscard]] Graph relabelled(std::span<const Label> to) const;
  /// Every label l of an edge becomes to[l].
  [[nodiscard]] Graph with_edges_relabelled(std::span<const Label> to) const;
  /// Node v becomes node position[v]; `position` is a permutation.
  [[nodiscard]] Graph permuted(std::span<const Node> position) const;

  [[nodiscard]] bool is_connected() const;

  /// Same nodes in the same order. For isomorphism see graph/identity.hpp.
  friend bool operator==(const Graph& a, const Graph& b);

 private:
  [[nodiscard]] std::span<const std::uint32_t> words(std::size_t at, std::size_t count) const {
    // A default-constructed graph has no block; its offsets are a static zero.
    return block_ ? std::span(block_.get() + at, count) : std::span(&kZero, at == 0 ? 1U : 0U);
  }
  [[nodiscard]] std::shared_ptr<std::uint32_t[]> copied_block() const;
  /// Where v is, or would be, among the targets of u.
  [[nodiscard]] std::uint32_t place_of(Node u, Node v) const;
  [[nodiscard]] Graph with_arcs(Node nodes, Node u, Node v, Label label,
                                std::span<const Label> labels) const;
  [[nodiscard]] EdgeLabels edge_label_kind() const {
    return has_edge_labels_ ? EdgeLabels::kPresent : EdgeLabels::kAbsent;
  }
  [[nodiscard]] std::size_t num_words() const {
    return n_ + 1 + 2 * m_ + n_ + (has_edge_labels_ ? 2 * m_ : 0);
  }

  static constexpr std::uint32_t kZero = 0;
  std::shared_ptr<const std::uint32_t[]> block_;
  std::uint32_t n_ = 0;
  bool has_edge_labels_ = false;
  std::size_t m_ = 0;
};

}  // namespace fewedits
