// SPDX-License-Identifier: MIT
// What can be asked of the edit-distance engine, and how it came to answer, as plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "fewedits/base/stop_sign.hpp"
#include "fewedits/proof/edit_costs.hpp"

namespace fewedits {

/// How hard the heuristic for node maps tries: start maps, and kicks after each.
struct MapEffort {
  int starts = 3;
  int kicks = 20;
};

/// When to give up on a pair. Work is counted in pair values of the dual bound, so that the same
/// work gives the same answer on every machine; a time limit does not. A unit takes some 50 ns for
/// two molecules and twice that for larger graphs (PROTEINS). Searches that count other work in
/// these units take some 0.1 µs for one.
struct GedBudget {
  static constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t work = kUnlimited;
  double milliseconds = std::numeric_limits<double>::infinity();
  /// Once this is set, the budget counts as spent. Not owned.
  const StopSign* stop = nullptr;
};

struct GedOptions {
  EditCosts costs;
  MapEffort effort;
  GedBudget budget;
  std::uint64_t seed = 1;
};

/// Which method settled a question.
enum class GedStage { kLabels, kDegrees, kBranches, kHeuristic, kDual, kSearch, kNone };
inline constexpr std::size_t kGedStages = 7;
const char* name_of(GedStage stage);

}  // namespace fewedits
