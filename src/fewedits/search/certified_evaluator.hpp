// SPDX-License-Identifier: MIT
// Neighbourhoods under certified distances: an input counts as covered only if a node map of small
// enough cost is in hand (SPEC §5). Needs no distance model.
//
// For the graph itself every input within reach gets a map by the edit-distance engine's heuristic.
// Its neighbours are then evaluated by counting (distance/map_changes): an edit changes the cost of
// a map by an amount that follows from what it touches. So a thousand neighbours cost no more maps
// than one graph, and no neighbour's coverage is ever overstated.
#pragma once

#include <cstdint>
#include <vector>

#include "fewedits/ged/prepared_graph.hpp"
#include "fewedits/ged/solver.hpp"
#include "fewedits/search/classifying_evaluator.hpp"

namespace fewedits {

class CertifiedEvaluator final : public ClassifyingEvaluator {
 public:
  /// Keeps a reference to the classifier. `inputs` have no edge labels. Of the options, effort and
  /// seed hold during the search; costs are 1. `prove_work` is the budget of each question that
  /// prove() asks.
  CertifiedEvaluator(std::vector<Graph> inputs, const Classifier& classifier,
                     std::size_t desired_class, double theta, const GedOptions& options,
                     ThreadPool& pool,
                     std::uint64_t prove_work = CertifiedOptions{}.ged.budget.work);

  std::vector<std::vector<std::uint32_t>> covers(std::span<const Graph> graphs, double theta,
                                                 ThreadPool& pool) override;
  /// The best proven distances (certified_distances); `theta` of the constructor says where to try
  /// hardest.
  std::vector<std::vector<double>> distances(std::span<const Graph> graphs,
                                             ThreadPool& pool) override;
  std::optional<CertifiedDistances> prove(std::span<const Graph> graphs, ThreadPool& pool,
                                          const CertifiedWatch& watch) override;

  [[nodiscard]] std::span<const PreparedGraph> prepared() const { return prepared_; }

 private:
  /// An input within reach of a graph's neighbours, with the graph's map.
  struct Active {
    std::uint32_t input = 0;
    std::int64_t cost = 0;
    NodeMap map;
  };

  void find_covers(double theta, Neighbourhood& out, ThreadPool& pool) override;
  std::vector<Active> inputs_in_reach(const Graph& of, double theta, ThreadPool& pool);

  double theta_;
  GedOptions options_;
  std::uint64_t prove_work_;
  std::vector<PreparedGraph> prepared_;
  std::vector<GedSolver> solvers_;  ///< one a thread
};

}  // namespace fewedits
