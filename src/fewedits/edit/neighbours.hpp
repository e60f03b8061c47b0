// SPDX-License-Identifier: MIT
// The neighbours of a graph in the edit map, as edits: no graph is built.
//
// A graph of n nodes and m edges with L labels, and none of edges, has n·(L−1) relabellings, n·L
// leaves to add, n(n−1)/2 − m edges to add, and its leaves and non-bridges to remove: about a
// thousand for a molecule of 30 atoms. Edits that an automorphism of the graph maps onto each other
// give isomorphic neighbours (the three hydrogens of a methyl group); only the first of them is
// listed. Different edits can still give isomorphic neighbours, but rarely, so nothing else is
// compared.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "fewedits/base/rng.hpp"
#include "fewedits/edit/constraints.hpp"
#include "fewedits/edit/edit.hpp"
#include "fewedits/graph/identity.hpp"

namespace fewedits {

struct NeighbourOptions {
  std::size_t num_labels = 0;
  /// Nodes that are neither relabelled nor removed, nor are their edges among themselves: a flag
  /// per node, or empty. Automorphisms must respect them.
  std::span<const bool> frozen = {};
  /// Leave out edits that an automorphism maps onto a listed one. For those who know the nodes
  /// apart by more than the graph, they differ.
  bool up_to_symmetry = true;
  /// Of the automorphisms that respect `frozen`, if they are known; else they are looked for.
  const Generators* generators = nullptr;
  /// That edges may get, in graphs whose edges have labels; 0: they keep theirs, new ones get 0.
  std::size_t num_edge_labels = 0;
};

/// All allowed edits, in the order relabel, add leaf, remove leaf, add edge, remove edge, relabel
/// edge, and ascending (u, v, label, edge label) within a kind. The last node of a graph is never
/// removed.
std::vector<Edit> neighbours(const Graph& graph, const NeighbourOptions& options,
                             const Constraints& constraints = {});

/// How many neighbours of a graph may be in memory at once: all those of a graph of 600 nodes would
/// fill gigabytes. At least one.
std::size_t neighbours_at_a_time(const Graph& graph);

/// At most `count` of the edits, each subset equally likely, in their order.
std::vector<Edit> sample(std::vector<Edit> edits, std::size_t count, Rng& rng);

/// The neighbours of a graph in canonical order: all of them or, if there are more than `most` (and
/// that is not 0), a sample. It depends on the seed and the graph alone, so that a search that
/// comes back finds the same.
std::vector<Edit> sampled_neighbours(const Identity& graph, std::size_t num_labels,
                                     const Constraints& constraints, std::size_t most,
                                     std::uint64_t seed, std::size_t num_edge_labels = 0);

}  // namespace fewedits
