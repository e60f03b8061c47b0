// SPDX-License-Identifier: MIT
// The vertex-reinforced random walk on the edit map (paper §4.2, SPEC §6).
//
// From a graph u the walk moves to a neighbour v, or stays, with p(u,v) ∝ I(v)·N(v):
//   I(v) = p_φ(v) · (α·coverage({v}) + (1−α)·gain(v; S)), p_φ(v) alone if the second factor is zero
//   for all choices; S the n most visited counterfactuals; N(v) the visits, at least 1.
// With probability τ it jumps to input G instead, p ∝ exp(−g(G)), g counting the members of S that
// cover G. Visits count for counterfactuals only: accepted by the evaluator, constraints satisfied.
//
// Every random number comes from one generator, and an evaluated neighbourhood does not depend on
// the number of threads or on what is cached: a seed means one walk.
#pragma once

#include <cstdint>
#include <vector>

#include "fewedits/base/rng.hpp"
#include "fewedits/edit/constraints.hpp"
#include "fewedits/graph/identity.hpp"
#include "fewedits/search/evaluator.hpp"
#include "fewedits/search/walk/neighbourhood_cache.hpp"
#include "fewedits/search/walk/visits.hpp"

namespace fewedits {

struct WalkOptions {
  double theta = 0.05;
  double alpha = 0.5;
  double teleport = 0.1;
  std::size_t candidates = 0;      ///< the paper's n; 0: as many as inputs
  std::size_t capacity = 100'000;  ///< graphs whose visits are counted
  bool reinforcement = true;       ///< false: the paper's ablation NVR
  bool importance = true;          ///< false: NIF
  bool dynamic_teleport = true;    ///< false: NDT
  /// At most so many neighbours of a graph, drawn once for each graph; 0: all.
  std::size_t max_neighbours = 0;
  std::uint64_t seed = 1;
  std::size_t cache_bytes = std::size_t{1} << 30;  ///< for graphs seen before
  std::size_t num_edge_labels = 0;                 ///< that edges may get; 0: they have none
};

/// How many of the most visited graphs are candidates.
std::size_t num_candidates(const WalkOptions& options, std::size_t num_inputs);

/// Where a walk is; enough to go on exactly as if it had not been interrupted.
struct WalkState {
  std::uint64_t steps = 0;
  std::uint64_t choices = 0;
  Rng::State rng{};
  Graph current;
  std::uint32_t origin = 0;
  std::vector<VisitedGraph> visited;
};

class Walk {
 public:
  /// Keeps references. Starts on a random input.
  Walk(Evaluator& evaluator, const Constraints& constraints, std::size_t num_labels,
       const WalkOptions& options);
  /// Goes on from a saved state. Hashes and shapes of the graphs need not be in it; what they cover
  /// must, since a neighbour met from elsewhere may have been found to cover less or more. Throws
  /// Error if a graph is in it twice, or more are than the options allow.
  Walk(Evaluator& evaluator, const Constraints& constraints, std::size_t num_labels,
       const WalkOptions& options, WalkState state);

  /// If the pool's stop sign ends it (Stopped), it was not made.
  void step(ThreadPool& pool);

  [[nodiscard]] WalkState state() const;
  [[nodiscard]] std::uint64_t steps() const { return steps_; }
  /// Neighbours among which it chose so far, over all steps.
  [[nodiscard]] std::uint64_t choices() const { return choices_; }
  /// Graphs evaluated by this object; fewer than choices() where neighbourhoods were cached, one a
  /// move where all neighbours are equally important.
  [[nodiscard]] std::uint64_t evaluated() const { return evaluated_; }
  [[nodiscard]] const Visits& visits() const { return visits_; }
  [[nodiscard]] const Graph& current() const { return current_.canonical(); }
  /// Chances of the entries of the current neighbourhood; they sum to 1.
  std::vector<double> transition(ThreadPool& pool);

 private:
  [[nodiscard]] std::uint32_t draw_input();
  void jump();
  void move(ThreadPool& pool);
  void visit(const Neighbourhood& entries, std::size_t entry, std::uint64_t shape);
  KnownNeighbourhood& neighbourhood(ThreadPool& pool);
  std::vector<double> weights(KnownNeighbourhood& known, const ThreadPool& pool);
  std::uint64_t visits_of(KnownNeighbourhood& known, std::uint32_t entry);

  Evaluator& evaluator_;
  const Constraints& constraints_;
  std::size_t num_labels_;
  WalkOptions options_;
  Rng rng_;
  Identity current_;
  std::uint32_t origin_ = 0;
  Visits visits_;
  NeighbourhoodCache cache_;
  std::uint64_t steps_ = 0;
  std::uint64_t choices_ = 0;
  std::uint64_t evaluated_ = 0;
};

}  // namespace fewedits
