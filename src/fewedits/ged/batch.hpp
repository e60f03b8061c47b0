// SPDX-License-Identifier: MIT
// The question of coverage, asked of many pairs: which targets lie within theta of which queries?
//
// Targets are grouped by number of nodes and edges and, within a group, by label counts. A group
// whose size or whose label counts alone put it out of reach is skipped as a whole: its graphs are
// never touched. What remains goes through GedSolver::within, pairs spread over threads.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "fewedits/base/parallel.hpp"
#include "fewedits/ged/solver.hpp"

namespace fewedits {

/// PreparedGraph of each graph, in parallel.
std::vector<PreparedGraph> prepare_graphs(std::span<const Graph> graphs, ThreadPool& pool);

/// A pair that no group bound ruled out, and what became of it.
struct PairAnswer {
  std::uint32_t query = 0;
  std::uint32_t target = 0;
  Within within;
};

/// What became of all pairs, by the stage that settled them.
struct BatchStatistics {
  std::array<std::uint64_t, kGedStages> yes{};
  std::array<std::uint64_t, kGedStages> no{};
  std::uint64_t unknown = 0;
  std::uint64_t untouched = 0;  ///< of those under no/kLabels: ruled out with their group

  [[nodiscard]] std::uint64_t pairs() const;
  void add(const Within& answer);
  void add(const BatchStatistics& other);
};

class GedIndex {
 public:
  /// Keeps a reference to the targets.
  explicit GedIndex(std::span<const PreparedGraph> targets, const EditCosts& costs = {});

  /// Indices of the targets whose label bound allows a distance within theta, ascending.
  [[nodiscard]] std::vector<std::uint32_t> candidates(const PreparedGraph& query,
                                                      double theta) const;
  [[nodiscard]] std::span<const PreparedGraph> targets() const { return targets_; }
  [[nodiscard]] const EditCosts& costs() const { return costs_; }

 private:
  struct LabelGroup {
    std::uint32_t first;  ///< into order_; its profile stands for all
    std::uint32_t count;
  };
  struct SizeGroup {
    std::uint32_t first;  ///< into label_groups_
    std::uint32_t count;
  };
  std::span<const PreparedGraph> targets_;
  EditCosts costs_;
  std::vector<std::uint32_t> order_;
  std::vector<LabelGroup> label_groups_;
  std::vector<SizeGroup> size_groups_;
};

/// Asks for every query and target whether they are within theta (normalised) of each other.
/// `keep` is called for every pair that no group bound ruled out, in ascending order of (query,
/// target), from the calling thread. `stop`, if given, is asked now and then with the number of
/// queries done; once it says true, the rest is left out. Options hold for each pair, except that
/// the costs are the index's. The answer does not depend on the number of threads unless the budget
/// has a time limit.
BatchStatistics within_theta(std::span<const PreparedGraph> queries, const GedIndex& index,
                             double theta, const GedOptions& options, ThreadPool& pool,
                             const std::function<void(const PairAnswer&)>& keep,
                             const std::function<bool(std::size_t)>& stop = {});

}  // namespace fewedits
