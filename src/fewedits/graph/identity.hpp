// SPDX-License-Identifier: MIT
// Identity of a graph = isomorphism of labelled graphs (SPEC §6).
//
// The canonical form comes from nauty (McKay & Piperno, "Practical graph isomorphism II",
// 2014): node labels are the initial colouring; labelled edges are subdivided by a node
// coloured with the edge's label. A graph with edge labels is never identical to one
// without; drop them first (Graph::without_edge_labels) to compare structure alone.
#pragma once

#include <span>
#include <vector>

#include "fewedits/base/hash.hpp"
#include "fewedits/graph/graph.hpp"

namespace fewedits {

class Identity {
 public:
  explicit Identity(const Graph& original);

  [[nodiscard]] const Hash128& hash() const { return hash_; }
  /// The graph with its nodes in canonical order: equal for isomorphic graphs.
  [[nodiscard]] const Graph& canonical() const { return canonical_; }

  /// True isomorphism: the hash only speeds up the "no".
  friend bool operator==(const Identity& a, const Identity& b) {
    return a.hash_ == b.hash_ && a.canonical_ == b.canonical_;
  }

 private:
  Graph canonical_;
  Hash128 hash_;
};

/// position[v] = place of node v in the canonical order.
std::vector<Node> canonical_positions(const Graph& g);

/// Generators of the group of automorphisms: node v goes to generator[v]. Labels of nodes and edges
/// are kept, and so is the set of `frozen` nodes (a flag per node, or empty). None: only the
/// identity.
std::vector<std::vector<Node>> automorphism_generators(const Graph& g,
                                                       std::span<const bool> frozen = {});

bool isomorphic(const Graph& a, const Graph& b);

}  // namespace fewedits

template <>
struct std::hash<fewedits::Identity> {
  std::size_t operator()(const fewedits::Identity& id) const noexcept {
    return std::hash<fewedits::Hash128>{}(id.hash());
  }
};
