// SPDX-License-Identifier: MIT
// Identity of a graph = isomorphism of labelled graphs (SPEC §6).
//
// The canonical form comes from nauty (McKay & Piperno, "Practical graph isomorphism II",
// 2014): node labels are the initial colouring; labelled edges are subdivided by a node
// coloured with the edge's label. A graph with edge labels is never identical to one
// without; drop them first (Graph::without_edge_labels) to compare structure alone.
//
// The search for it is fast on graphs that people have, and takes for ever on some that were made
// to be hard. So it has a limit, counted in work: the same graph gives the same answer everywhere.
#pragma once

#include <span>
#include <vector>

#include "fewedits/base/hash.hpp"
#include "fewedits/graph/graph.hpp"

namespace fewedits {

/// A set of permutations that makes all automorphisms: node v goes to generator[v]. None: only the
/// identity. Of graphs for which the search gave up, and of large ones with so many that they would
/// fill the memory, some may be missing.
using Generators = std::vector<std::vector<Node>>;

class Identity {
 public:
  /// The search gives up at so many nodes of its tree, each counted by the graph's size: a
  /// fifth of a second. The largest molecules and proteins of the paper's datasets stay far below.
  static constexpr std::uint64_t kWork = 50'000'000;
  /// Entries of all generators together.
  static constexpr std::size_t kRoom = std::size_t{1} << 24;

  explicit Identity(const Graph& original);

  /// False: the search gave up, and canonical() is the original. Equal identities still mean
  /// isomorphic graphs; different ones then say nothing.
  [[nodiscard]] bool complete() const { return complete_; }

  [[nodiscard]] const Hash128& hash() const { return hash_; }
  /// The graph with its nodes in canonical order: equal for isomorphic graphs.
  [[nodiscard]] const Graph& canonical() const { return canonical_; }
  /// Of canonical(). They come out of the search for the canonical order, but which ones they are
  /// depends on the original's order; only the group they make does not.
  [[nodiscard]] const Generators& generators() const { return generators_; }

  /// True isomorphism: the hash only speeds up the "no".
  friend bool operator==(const Identity& a, const Identity& b) {
    return a.hash_ == b.hash_ && a.canonical_ == b.canonical_;
  }

 private:
  Graph canonical_;
  Generators generators_;
  Hash128 hash_;
  bool complete_ = true;
};

/// position[v] = place of node v in the canonical order.
std::vector<Node> canonical_positions(const Graph& g);

/// Of the automorphisms that keep labels of nodes and edges, and the set of `frozen` nodes (a flag
/// per node, or empty).
Generators automorphism_generators(const Graph& g, std::span<const bool> frozen = {});

/// Throws Error if the search gave up and nothing else decides.
bool isomorphic(const Graph& a, const Graph& b);

}  // namespace fewedits

template <>
struct std::hash<fewedits::Identity> {
  std::size_t operator()(const fewedits::Identity& id) const noexcept {
    return std::hash<fewedits::Hash128>{}(id.hash());
  }
};
