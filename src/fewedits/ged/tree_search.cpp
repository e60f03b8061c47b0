// SPDX-License-Identifier: MIT
#include "fewedits/ged/tree_search.hpp"

#include <algorithm>
#include <limits>

namespace fewedits {
namespace {

/// Memory for the shares of the nodes on the way down; deeper nodes go on with what they find.
constexpr std::size_t kMostSavedBytes = std::size_t{64} << 20;
/// The same for the domains of all of them; a deeper tree is given up.
constexpr std::size_t kMostDomainBytes = std::size_t{256} << 20;

}  // namespace

TreeSearch::TreeSearch(const MatchProblem& problem, DualBound& bound, MapSearch& maps,
                       const Allowance& allowance)
    : problem_(problem), bound_(bound), maps_(maps), allowance_(allowance) {}

std::int64_t TreeSearch::run(std::int64_t limit, std::int64_t goal) {
  limit_ = limit;
  goal_ = goal;
  gave_up_ = false;
  open_bound_ = std::numeric_limits<std::int64_t>::max();
  row_fixed_.assign(problem_.num_rows(), 0);
  column_fixed_.assign(problem_.num_columns(), 0);
  const std::size_t pairs = problem_.num_rows() * problem_.num_columns();
  most_depths_ = kMostDomainBytes / std::max<std::size_t>(1, pairs);
  saved_depths_ = kMostSavedBytes / std::max<std::size_t>(1, bound_.bytes_of_shares());
  explore(0, bound_.bound());
  // Everything explored costs more than the final limit, or is the best map itself.
  return std::min({open_bound_, limit_ + 1, maps_.best_cost()});
}

/// Improves the bound until the node can be cut off or improving no longer pays.
TreeSearch::Visit TreeSearch::visit() {
  constexpr int kSweeps = 2;
  for (int sweep = 0;; ++sweep) {
    const std::int64_t before = bound_.scaled_bound();
    switch (bound_.evaluate()) {
      case DualBound::Outcome::kInfeasible: return Visit::kCut;
      case DualBound::Outcome::kOutOfBudget: return Visit::kOutOfBudget;
      case DualBound::Outcome::kBounded: break;
    }
    if (bound_.bound() > limit_) return Visit::kCut;
    bound_.close_hopeless(limit_);
    // A sweep that gains less than a tenth of an edit will not close the gap.
    const bool slow = sweep > 0 && (bound_.scaled_bound() - before) * 10 < bound_.scaled_grain();
    if (sweep == kSweeps || slow) return Visit::kOpen;
    bound_.improve();
  }
}

void TreeSearch::look_for_maps() {
  maps_.start_from(bound_.assignment());
  limit_ = std::min(limit_, maps_.best_cost() - 1);
}

bool TreeSearch::choose(Candidate& choice) const {
  std::int64_t best = -1;
  const auto columns = bound_.assignment();
  for (std::size_t i = 0; i < problem_.num_rows(); ++i) {
    // How much the bound rises if the row loses its column, and how much hangs on it.
    DualBound::Value regret = 4 * static_cast<DualBound::Value>(bound_.scaled_grain());
    std::size_t options = bound_.skip_is_open(i) ? 1 : 0;
    for (std::size_t u = 0; u < problem_.num_columns(); ++u) {
      if (!bound_.is_open(i, u)) continue;
      ++options;
      if (static_cast<std::int32_t>(u) != columns[i]) {
        regret = std::min(regret, bound_.reduced(i, u));
      }
    }
    if (options < 2) continue;
    const std::int64_t score =
        std::int64_t{regret} * 128 + problem_.rows().degree(static_cast<Node>(i));
    if (score > best) {
      best = score;
      choice = {i, columns[i]};
    }
  }
  return best >= 0;
}

void TreeSearch::deny(const Candidate& choice) {
  if (choice.column == kSkipped) {
    bound_.close_skip(choice.row);
    return;
  }
  const auto column = static_cast<std::size_t>(choice.column);
  const bool edge_labels = problem_.edge_labels_count();
  const auto row_twin = problem_.prepared_rows().twin(edge_labels);
  const auto column_twin = problem_.prepared_columns().twin(edge_labels);
  for (std::size_t i = 0; i < problem_.num_rows(); ++i) {
    if (row_twin[i] != row_twin[choice.row] || row_fixed_[i] != 0) continue;
    for (std::size_t u = 0; u < problem_.num_columns(); ++u) {
      if (column_twin[u] == column_twin[column] && column_fixed_[u] == 0) bound_.close(i, u);
    }
  }
}

/// Something below this node stays unexplored; it costs at least `bound`.
void TreeSearch::leave_open(std::int64_t bound) { open_bound_ = std::min(open_bound_, bound); }

void TreeSearch::fix(const Candidate& choice, std::uint8_t fixed) {
  row_fixed_[choice.row] = fixed;
  if (choice.column != kSkipped) column_fixed_[static_cast<std::size_t>(choice.column)] = fixed;
}

/// `bound` holds for all of the node when it is entered.
void TreeSearch::explore(std::size_t depth, std::int64_t bound) {
  for (;;) {
    const bool stop = allowance_.spent() || depth >= most_depths_;
    const Visit outcome = stop ? Visit::kOutOfBudget : visit();
    if (outcome == Visit::kCut) return;
    gave_up_ = outcome == Visit::kOutOfBudget;
    if (gave_up_) return leave_open(bound);
    bound = bound_.bound();
    look_for_maps();
    if (settled()) return leave_open(bound);
    if (bound > limit_) return;
    Candidate choice{};
    if (!choose(choice)) return;  // one map is left, and it was looked at

    if (saved_.size() <= depth) saved_.resize(depth + 1);
    bound_.save(saved_[depth], depth < saved_depths_);
    bound_.force(choice.row, choice.column);
    fix(choice, 1);
    explore(depth + 1, bound);
    fix(choice, 0);
    if (gave_up_ || settled()) return leave_open(bound);
    bound_.restore(saved_[depth]);
    deny(choice);
  }
}

}  // namespace fewedits
