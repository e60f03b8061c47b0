// SPDX-License-Identifier: MIT
// Which inputs a graph covers, measured from scratch. Maps that a climb carries along miss some.
#pragma once

#include <cstdint>
#include <vector>

#include "fewedits/cover/chosen_set.hpp"
#include "fewedits/ged/solver.hpp"
#include "fewedits/search/climb/known_maps.hpp"
#include "fewedits/search/climb/terrain.hpp"

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
  CoverMeasure(const Terrain& terrain, const MeasureEffort& effort, ThreadPool& threads);

  /// Adds the inputs that the choice covers to those it is known to. `known`, of this very graph,
  /// gets their maps; it may be null.
  void extend(Choice& choice, KnownMaps* known);

  /// Work done so far, in the units of GedBudget.
  [[nodiscard]] std::uint64_t work() const;

 private:
  GedBounds look(GedSolver& solver, const PreparedGraph& graph, const PreparedGraph& input) const;

  const Terrain& terrain_;
  MeasureEffort effort_;
  ThreadPool& threads_;
  std::vector<GedSolver> solvers_;  ///< one a thread
  std::uint64_t looked_at_ = 0;     ///< pairs
};

}  // namespace fewedits
