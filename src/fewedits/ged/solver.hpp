// SPDX-License-Identifier: MIT
// The questions one asks about a pair of graphs, answered by bounds first, then heuristics, then
// an exhaustive search, so that easy pairs cost microseconds.
//
// A solver holds the working memory of one thread and can be used for any number of pairs; what it
// answers depends on the pair and the options alone, not on the pairs before.
#pragma once

#include <cstdint>
#include <memory>

#include "fewedits/ged/edit_distance.hpp"
#include "fewedits/ged/options.hpp"
#include "fewedits/ged/prepared_graph.hpp"
#include "fewedits/proof/bounds.hpp"
#include "fewedits/proof/edit_costs.hpp"

namespace fewedits {

/// There is no map if no heuristic was needed for a no.
struct Within : GedBounds {
  Answer answer = Answer::kUnknown;
  GedStage stage = GedStage::kNone;  ///< what settled it; kNone if nothing did
};

/// How strong a lower bound is wanted.
enum class LowerStrength { kLabels, kDegrees, kBranches, kDual };

class GedSolver {
 public:
  /// Throws Error if the costs are out of range.
  explicit GedSolver(const GedOptions& options = {});
  ~GedSolver();
  GedSolver(GedSolver&&) noexcept;

  [[nodiscard]] const GedOptions& options() const { return options_; }

  /// The best lower bound of that strength; kDual obeys the budget.
  std::int64_t lower(const PreparedGraph& a, const PreparedGraph& b, LowerStrength strength);
  /// The heuristic's map with the cheap lower bounds. At least one start map is made, whatever
  /// the budget.
  GedBounds upper(const PreparedGraph& a, const PreparedGraph& b);
  /// A map of cost ≤ limit by the heuristic alone: gives up at once on a pair whose bounds exclude
  /// it, or whose first map is `hopeless` or more beyond it.
  GedBounds look_for(const PreparedGraph& a, const PreparedGraph& b, std::int64_t limit,
                     std::int64_t hopeless);
  /// Is the distance at most `limit`?
  Within within(const PreparedGraph& a, const PreparedGraph& b, std::int64_t limit);
  /// The distance, or the best bounds when the budget ends.
  GedBounds exact(const PreparedGraph& a, const PreparedGraph& b);

  /// Done so far, over all pairs.
  [[nodiscard]] std::uint64_t work() const;

 private:
  class Run;
  struct Memory;
  GedOptions options_;
  std::unique_ptr<Memory> memory_;
};

}  // namespace fewedits
