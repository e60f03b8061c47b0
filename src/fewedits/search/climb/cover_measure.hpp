// SPDX-License-Identifier: MIT
// Which inputs a graph covers, measured from scratch. Maps that a climb carries along miss some.
#pragma once

#include <cstdint>
#include <vector>

#include "fewedits/cover/cover_set.hpp"
#include "fewedits/ged/solver_pool.hpp"
#include "fewedits/search/climb/known_maps.hpp"
#include "fewedits/search/climb/search_space.hpp"

namespace fewedits {

/// How thoroughly.
struct MeasureEffort {
  MapEffort maps;
  /// An input that is so many edits beyond theta at first sight is not looked at again.
  std::int64_t hopeless = 8;
  /// One that is still at most so many beyond in the end is decided, if that much work does it.
  std::int64_t decided = 0;
  std::uint64_t decision_work = 0;
};

class CoverMeasure {
 public:
  /// Keeps the references.
  CoverMeasure(const SearchSpace& space, const MeasureEffort& effort, ThreadPool& threads);

  /// Adds the inputs that the candidate covers to those it is known to, with their maps, as many as
  /// are found before it is told to stop. `known`, of this very graph, gets the cheaper ones; it
  /// may be null.
  void extend(Candidate& candidate, KnownMaps* known);

  /// Work done so far, in the units of GedBudget.
  [[nodiscard]] std::uint64_t work() const;

 private:
  void look_at_all(const PreparedGraph& graph, std::vector<std::uint8_t>& covered,
                   std::vector<GedBounds>& found);
  GedBounds look(GedSolver& solver, const PreparedGraph& graph, const PreparedGraph& input) const;

  const SearchSpace& space_;
  MeasureEffort effort_;
  ThreadPool& threads_;
  SolverPool solvers_;
  std::uint64_t looked_at_ = 0;  ///< pairs
};

}  // namespace fewedits
