// SPDX-License-Identifier: MIT
// Pairs of graphs with proven bounds of their edit distance: what a distance model is trained on
// and held against. The labels come from our own GED engine, so that no other data is needed.
//
// Graphs come in groups of a few, and every two of a group are a pair: a network then embeds
// fewer graphs for the same number of pairs. Three kinds of groups:
//   edited   a graph of the dataset and others made from it by a chain of random edits
//            (SPEC §6): what a search for counterfactuals looks at
//   similar  graphs of the dataset with nearly the same labels and sizes
//   random   graphs of the dataset
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "fewedits/base/parallel.hpp"
#include "fewedits/base/rng.hpp"
#include "fewedits/ged/solver.hpp"
#include "fewedits/graph/graph.hpp"

namespace fewedits {

enum class PairKind { kEdited, kSimilar, kRandom };

/// lower ≤ GED(a, b) ≤ upper with unit costs.
struct LabelledPair {
  std::uint32_t a = 0;  ///< into PairSet::graphs
  std::uint32_t b = 0;
  std::int64_t lower = 0;
  std::int64_t upper = 0;
  PairKind kind = PairKind::kRandom;

  [[nodiscard]] bool exact() const { return lower == upper; }
  friend bool operator==(const LabelledPair&, const LabelledPair&) = default;
};

/// Group g consists of graphs [g·group_size, (g+1)·group_size) and of the pairs
/// [g·pairs_per_group(), …), a < b in ascending order.
struct PairSet {
  std::size_t group_size = 2;
  std::vector<Graph> graphs;
  std::vector<LabelledPair> pairs;

  [[nodiscard]] std::size_t pairs_per_group() const { return group_size * (group_size - 1) / 2; }
  [[nodiscard]] std::size_t num_groups() const { return graphs.size() / group_size; }
  [[nodiscard]] std::size_t num_exact() const;
};

struct PairOptions {
  std::size_t pairs = 1000;  ///< rounded up to whole groups
  std::size_t group_size = 2;
  double edited_share = 0.5;  ///< of the groups
  double similar_share = 0.25;
  /// An edited graph is 1 to 2·max_edits/group_size random steps from the one before it.
  int max_edits = 15;
  Label labels = 1;  ///< edits draw labels below this
  GedBudget budget;  ///< for each pair
  std::uint64_t seed = 1;
};

/// Called now and then with the number of pairs labelled so far; false stops.
using PairProgress = std::function<bool(std::size_t done)>;

/// Labels pairs of `source`, which must hold at least group_size graphs. Group g depends on the
/// source, the options and g alone: not on the number of threads (unless the budget has a time
/// limit). Once stopped, returns the groups done so far.
PairSet make_pairs(std::span<const Graph> source, const PairOptions& options, ThreadPool& pool,
                   const PairProgress& progress = {});

/// One random step of the edit map (SPEC §6), and what it costs in unit-cost edits. No step breaks
/// the graph apart; a graph that has no such step comes back as it is, for nothing.
struct EditStep {
  Graph graph;
  std::int64_t cost = 0;
};
EditStep random_edit(const Graph& graph, Label labels, Rng& rng);

}  // namespace fewedits
