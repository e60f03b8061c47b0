// SPDX-License-Identifier: MIT
#include "fewedits/ged/solver.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <limits>

#include "fewedits/ged/dual_bound.hpp"
#include "fewedits/ged/lower_bound.hpp"
#include "fewedits/ged/map_search.hpp"
#include "fewedits/ged/tree_search.hpp"

namespace fewedits {

namespace {

/// Enough for most pairs that are clearly within a limit.
constexpr MapEffort kFirstLook{1, 4};

}  // namespace

const char* name_of(GedStage stage) {
  constexpr std::array<const char*, kGedStages> kNames = {
      "labels", "degrees", "branches", "heuristic", "dual", "search", "none"};
  return kNames[static_cast<std::size_t>(stage)];
}

struct GedSolver::Memory {
  Assignment assignment;
  MapSearch maps;
  DualBound dual;
  std::uint64_t work = 0;
};

/// One question about one pair: bounds close in from both sides.
class GedSolver::Run {
 public:
  Run(const GedSolver& solver, const PreparedGraph& a, const PreparedGraph& b)
      : options_(solver.options_),
        memory_(*solver.memory_),
        a_(a),
        b_(b),
        problem_(a, b, options_.costs),
        allowance_(options_.budget),
        rng_(options_.seed) {}
  ~Run() { memory_.work += allowance_.used(); }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  [[nodiscard]] std::int64_t lower() const { return lower_; }
  [[nodiscard]] std::int64_t upper() const { return memory_.maps.best_cost(); }
  [[nodiscard]] NodeMap map() const { return problem_.node_map(memory_.maps.best()); }

  void raise(LowerStrength strength) {
    switch (strength) {
      case LowerStrength::kLabels:
        lower_ = std::max(lower_, label_bound(a_.profile(), b_.profile(), options_.costs));
        break;
      case LowerStrength::kDegrees:
        lower_ = std::max(lower_, degree_bound(a_.profile(), b_.profile(), options_.costs));
        break;
      case LowerStrength::kBranches:
        // Cubic in the number of nodes: not for those who have no time.
        raise(LowerStrength::kDegrees);
        if (allowance_.spent()) break;
        allowance_.charge(assignment_work(problem_.num_rows(), problem_.num_columns()));
        lower_ = std::max(lower_, branch_bound(a_, b_, options_.costs, &allowance_));
        break;
      case LowerStrength::kDual: ascend(std::numeric_limits<std::int64_t>::max()); break;
    }
  }

  void look_for_maps(MapEffort effort, std::int64_t goal) {
    if (starts_ == 0) memory_.maps.bind(problem_, &allowance_);
    for (int s = 0; s < effort.starts && upper() > goal; ++s) {
      if (starts_ > 0 && allowance_.spent()) return;
      memory_.maps.start(starts_++, memory_.assignment);
      memory_.maps.kick(effort.kicks, goal, rng_);
    }
  }

  /// Raises the lower bound by dual ascent, no further than past `limit`.
  void ascend(std::int64_t limit) {
    constexpr int kSweeps = 24;
    DualBound& dual = memory_.dual;
    dual_bound_ = dual.bind(problem_, &allowance_);
    if (!dual_bound_) return;
    std::int64_t last = 0;
    for (int sweep = 0;; ++sweep) {
      // With all pairs open there is always an assignment; without a bound there is no search.
      if (dual.evaluate() != DualBound::Outcome::kBounded) {
        dual_bound_ = sweep > 0;
        return;
      }
      lower_ = std::max(lower_, dual.bound());
      // Twenty sweeps like this one would not gain another edit.
      const bool slow = sweep > 4 && (dual.scaled_bound() - last) * 20 < dual.scaled_grain();
      if (lower_ > limit || sweep == kSweeps || slow) return;
      last = dual.scaled_bound();
      dual.improve();
    }
  }

  /// Decides whether a map of cost ≤ limit exists, or finds the best one down to `goal`.
  void search(std::int64_t limit, std::int64_t goal) {
    if (!dual_bound_ || allowance_.spent()) {
      return;
    }
    TreeSearch tree(problem_, memory_.dual, memory_.maps, allowance_);
    lower_ = std::max(lower_, tree.run(limit, goal));
  }

 private:
  const GedOptions& options_;
  Memory& memory_;
  const PreparedGraph& a_;
  const PreparedGraph& b_;
  MatchProblem problem_;
  Allowance allowance_;
  Rng rng_;
  std::int64_t lower_ = 0;
  int starts_ = 0;  ///< start maps made so far
  bool dual_bound_ = false;
};

GedSolver::GedSolver(const GedOptions& options)
    : options_(options), memory_(std::make_unique<Memory>()) {
  options_.costs.check();
}
GedSolver::~GedSolver() = default;
GedSolver::GedSolver(GedSolver&&) noexcept = default;

std::uint64_t GedSolver::work() const { return memory_->work; }

std::int64_t GedSolver::lower(const PreparedGraph& a, const PreparedGraph& b,
                              LowerStrength strength) {
  Run run(*this, a, b);
  run.raise(std::min(strength, LowerStrength::kBranches));
  if (strength == LowerStrength::kDual) run.raise(strength);
  return run.lower();
}

GedBounds GedSolver::upper(const PreparedGraph& a, const PreparedGraph& b) {
  Run run(*this, a, b);
  run.raise(LowerStrength::kBranches);
  run.look_for_maps(options_.effort, run.lower());
  return {run.lower(), run.upper(), run.map()};
}

GedBounds GedSolver::look_for(const PreparedGraph& a, const PreparedGraph& b, std::int64_t limit,
                              std::int64_t hopeless) {
  Run run(*this, a, b);
  const std::int64_t largest = largest_distance(a.graph(), b.graph(), options_.costs);
  const NodeMap none(a.graph().num_nodes(), kUnmatched);
  for (const LowerStrength strength : {LowerStrength::kDegrees, LowerStrength::kBranches}) {
    run.raise(strength);
    if (run.lower() > limit) return {run.lower(), largest, none};
  }
  run.look_for_maps(kFirstLook, limit);
  if (run.upper() < limit + hopeless) run.look_for_maps(options_.effort, limit);
  return {run.lower(), run.upper(), run.map()};
}

Within GedSolver::within(const PreparedGraph& a, const PreparedGraph& b, std::int64_t limit) {
  Run run(*this, a, b);
  Within result;
  result.upper = largest_distance(a.graph(), b.graph(), options_.costs);
  const auto no = [&](GedStage stage) {
    result.lower = run.lower();
    if (run.lower() <= limit) return false;
    result.answer = Answer::kNo;
    result.stage = stage;
    return true;
  };
  const auto yes = [&](GedStage stage) {
    result.lower = run.lower();
    if (run.upper() < result.upper || result.map.empty()) {
      result.upper = run.upper();
      result.map = run.map();
    }
    if (run.upper() > limit) return false;
    result.answer = Answer::kYes;
    result.stage = stage;
    return true;
  };
  run.raise(LowerStrength::kLabels);
  if (no(GedStage::kLabels)) return result;
  run.raise(LowerStrength::kDegrees);
  if (no(GedStage::kDegrees)) return result;
  run.raise(LowerStrength::kBranches);
  if (no(GedStage::kBranches)) return result;
  run.look_for_maps(kFirstLook, limit);
  if (yes(GedStage::kHeuristic)) return result;
  run.ascend(limit);
  if (no(GedStage::kDual)) return result;
  run.look_for_maps(options_.effort, limit);
  if (yes(GedStage::kHeuristic)) return result;
  run.search(limit, limit);
  if (yes(GedStage::kSearch)) return result;
  no(GedStage::kSearch);
  return result;
}

GedBounds GedSolver::exact(const PreparedGraph& a, const PreparedGraph& b) {
  Run run(*this, a, b);
  run.raise(LowerStrength::kBranches);
  run.look_for_maps(options_.effort, run.lower());
  if (run.lower() < run.upper()) run.ascend(run.upper() - 1);
  if (run.lower() < run.upper()) run.search(run.upper() - 1, run.lower());
  assert(run.lower() <= run.upper());
  return {run.lower(), run.upper(), run.map()};
}

GedBounds edit_distance(const Graph& a, const Graph& b, const GedOptions& options) {
  return GedSolver(options).exact(PreparedGraph(a), PreparedGraph(b));
}

}  // namespace fewedits
