// SPDX-License-Identifier: MIT
#include "fewedits/induction/choose.hpp"

#include <algorithm>

namespace fewedits {
namespace {

/// Sums of shares, added in different orders, differ by less.
constexpr double kRounding = 1e-9;

double value_of(const RuleEntry& entry, RuleObjective objective) {
  switch (objective) {
    case RuleObjective::kOnAverage:
      return static_cast<double>(entry.works) / static_cast<double>(entry.places);
    case RuleObjective::kSomewhere: return entry.works > 0 ? 1 : 0;
    case RuleObjective::kEverywhere: return entry.works == entry.places ? 1 : 0;
  }
  return 0;
}

/// For each graph, which rule of a list is used, and what for.
class ListState {
 public:
  ListState(std::span<const RuleCandidate> candidates, RuleObjective objective, std::size_t graphs)
      : candidates_(candidates), objective_(objective), user_(graphs), value_(graphs) {
    set({});
  }

  void set(std::vector<std::size_t> list) {
    list_ = std::move(list);
    std::fill(user_.begin(), user_.end(), list_.size());
    std::fill(value_.begin(), value_.end(), 0.0);
    for (std::size_t at = list_.size(); at-- > 0;) {
      for (const RuleEntry& entry : candidates_[list_[at]].entries) {
        const double value = value_of(entry, objective_);
        // Who tries goes on to later rules; who does not, uses the first.
        if (objective_ == RuleObjective::kSomewhere && value < value_[entry.graph]) continue;
        user_[entry.graph] = at;
        value_[entry.graph] = value;
      }
    }
  }

  [[nodiscard]] const std::vector<std::size_t>& list() const { return list_; }
  [[nodiscard]] double worth() const {
    double sum = 0;
    for (const double value : value_) sum += value;
    return sum;
  }

  struct Addition {
    std::size_t candidate = 0;
    std::size_t at = 0;
    double gain = 0;
  };

  /// Where the candidate adds most.
  [[nodiscard]] Addition best_place(std::size_t candidate) const {
    const auto& entries = candidates_[candidate].entries;
    Addition best{candidate, list_.size(), 0};
    if (objective_ == RuleObjective::kSomewhere) {
      for (const RuleEntry& entry : entries) {
        best.gain += std::max(0.0, value_of(entry, objective_) - value_[entry.graph]);
      }
      return best;
    }
    // At some place, it is used by all graphs whose rule does not come before.
    std::vector<double> by_user(list_.size() + 1, 0.0);
    for (const RuleEntry& entry : entries) {
      by_user[user_[entry.graph]] += value_of(entry, objective_) - value_[entry.graph];
    }
    double gain = 0;
    best.gain = by_user.back();
    for (std::size_t at = by_user.size(); at-- > 0;) {
      gain += by_user[at];
      if (gain > best.gain + kRounding) {
        best.gain = gain;
        best.at = at;
      }
    }
    return best;
  }

  [[nodiscard]] Addition best_addition(ThreadPool& pool) const {
    std::vector<Addition> all(candidates_.size());
    pool.for_chunks(all.size(), 64, [&](std::size_t begin, std::size_t end, int) {
      for (std::size_t c = begin; c < end; ++c) all[c] = best_place(c);
    });
    Addition best;
    for (const Addition& one : all) {
      if (one.gain > best.gain + kRounding) best = one;
    }
    return best;
  }

  void insert(const Addition& addition) {
    std::vector<std::size_t> list = list_;
    list.insert(list.begin() + static_cast<std::ptrdiff_t>(addition.at), addition.candidate);
    set(std::move(list));
  }

 private:
  std::span<const RuleCandidate> candidates_;
  RuleObjective objective_;
  std::vector<std::size_t> list_;
  std::vector<std::size_t> user_;  ///< by graph: the place of the rule that is used
  std::vector<double> value_;
};

std::vector<std::size_t> without(std::vector<std::size_t> list, std::size_t at) {
  list.erase(list.begin() + static_cast<std::ptrdiff_t>(at));
  return list;
}

/// One sweep; true if anything was exchanged.
bool exchange_each(ListState& state, ThreadPool& pool) {
  bool any = false;
  for (std::size_t at = 0; at < state.list().size(); ++at) {
    const std::vector<std::size_t> before = state.list();
    const double worth = state.worth();
    state.set(without(before, at));
    const ListState::Addition best = state.best_addition(pool);
    if (best.gain > 0) state.insert(best);
    if (state.worth() > worth + kRounding) {
      any = true;
    } else {
      state.set(before);
    }
  }
  return any;
}

/// Drops what the rest does nearly as well without.
void drop_needless(ListState& state, double least) {
  for (std::size_t at = state.list().size(); at-- > 0;) {
    const std::vector<std::size_t> before = state.list();
    const double worth = state.worth();
    state.set(without(before, at));
    if (state.worth() + least <= worth + kRounding) state.set(before);
  }
}

}  // namespace

double worth_of(std::span<const RuleCandidate> candidates, std::span<const std::size_t> list,
                RuleObjective objective, std::size_t num_graphs) {
  ListState state(candidates, objective, num_graphs);
  state.set({list.begin(), list.end()});
  return state.worth();
}

std::vector<std::size_t> choose_rules(std::span<const RuleCandidate> candidates,
                                      RuleObjective objective, std::size_t num_graphs,
                                      std::size_t most, double least, ThreadPool& pool) {
  ListState state(candidates, objective, num_graphs);
  while (state.list().size() < most) {
    const ListState::Addition best = state.best_addition(pool);
    if (best.gain <= 0 || best.gain + kRounding < least) break;
    state.insert(best);
  }
  constexpr int kSweeps = 20;
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    pool.check_stop();
    if (!exchange_each(state, pool)) break;
  }
  drop_needless(state, least);
  return state.list();
}

}  // namespace fewedits
