// SPDX-License-Identifier: MIT
#include "gcfx/explain/refine.hpp"

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>

#include "gcfx/edit/neighbours.hpp"
#include "gcfx/graph/shape_hash.hpp"

namespace gcfx {
namespace {

class Refiner {
 public:
  Refiner(std::vector<Choice> chosen, std::span<const Choice> pool, std::size_t k,
          Evaluator& evaluator, const Constraints& constraints, std::size_t num_labels,
          const RefineOptions& options, ThreadPool& threads,
          const std::function<bool(const RefineProgress&)>& go_on)
      : k_(k),
        evaluator_(evaluator),
        constraints_(constraints),
        num_labels_(num_labels),
        options_(options),
        threads_(threads),
        go_on_(go_on),
        set_(std::move(chosen)),
        archive_(pool.begin(), pool.end()),
        counts_(evaluator.inputs().size(), 0) {
    for (const Choice& c : set_) count(c, true);
    for (const Choice& c : archive_) archived_.insert(Identity(c.graph).hash());
  }

  std::vector<Choice> run() {
    fill_up();
    while (!stopped_ && !set_.empty() && covered_ < counts_.size()) {
      bool better = false;
      for (std::size_t s = 0; s < set_.size() && !stopped_; ++s) better |= improve(s);
      better |= swap_in();
      if (!better && !restart()) break;
    }
    return std::move(set_);
  }

 private:
  void count(const Choice& c, bool enters) {
    for (const std::uint32_t input : c.covers) {
      covered_ -= counts_[input] > 0 ? 1U : 0U;
      counts_[input] += enters ? 1 : -1;
      covered_ += counts_[input] > 0 ? 1U : 0U;
    }
    most_covered_ = std::max(most_covered_, covered_);
  }

  /// Inputs that the graph covers and nobody in the set does.
  [[nodiscard]] std::size_t marginal(const Choice& c) const {
    return static_cast<std::size_t>(
        std::count_if(c.covers.begin(), c.covers.end(),
                      [&](std::uint32_t input) { return counts_[input] == 0; }));
  }

  /// Fewer than k were given: take what adds most.
  void fill_up() {
    while (set_.size() < k_) {
      const Choice* best = nullptr;
      std::size_t most = 0;
      for (const Choice& c : archive_) {
        const std::size_t adds = marginal(c);
        if (adds > most) {
          most = adds;
          best = &c;
        }
      }
      if (best == nullptr) return;
      set_.push_back(*best);
      count(set_.back(), true);
    }
  }

  /// Climbs from member s; true if it was replaced by something better.
  bool improve(std::size_t s) {
    count(set_[s], false);
    const std::size_t before = marginal(set_[s]);
    Choice best = climb(set_[s]);
    const bool better = marginal(best) > before;
    if (better) set_[s] = std::move(best);
    count(set_[s], true);
    return better;
  }

  /// The best graph on the way; `start` itself if there is none.
  Choice climb(const Choice& start) {
    Choice best = start;
    Choice now = start;
    std::size_t most = marginal(start);
    std::unordered_set<std::uint64_t> seen{shape_hash(start.graph)};
    for (int idle = 0; idle < options_.patience && !stopped_; ++idle) {
      auto next = best_neighbour(now, seen);
      if (!next) break;
      now = std::move(*next);
      seen.insert(shape_hash(now.graph));
      remember(now);
      if (const std::size_t value = marginal(now); value > most) {
        most = value;
        best = now;
        idle = -1;
      }
    }
    return best;
  }

  /// The allowed neighbour not seen yet that covers most of what the set leaves; among equals the
  /// one that covers more altogether, then the first.
  std::optional<Choice> best_neighbour(const Choice& of,
                                       const std::unordered_set<std::uint64_t>& seen) {
    const Identity identity(of.graph);
    const Graph& graph = identity.canonical();
    const auto edits = sampled_neighbours(identity, num_labels_, constraints_,
                                          options_.max_neighbours, options_.seed);
    const Neighbourhood entries = evaluator_.evaluate(graph, edits, options_.theta, threads_);
    spend(entries.size());
    const auto open = entries.mask([&](std::uint32_t input) { return counts_[input] == 0; });
    std::vector<std::pair<std::pair<int, int>, std::size_t>> order;
    for (std::size_t e = 1; e < entries.size(); ++e) {
      if (entries.probability[e] < options_.min_probability) continue;
      order.push_back({{entries.num_covered(e, open), entries.num_covered(e)}, e});
    }
    std::stable_sort(order.begin(), order.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    for (const auto& [value, e] : order) {
      if (seen.contains(entries.shape[e])) continue;
      Graph next = apply(graph, entries.edits[e]);
      if (!satisfies(next, constraints_)) continue;
      return Choice{std::move(next), entries.probability[e], entries.covers(e), 0, of.origin};
    }
    return std::nullopt;
  }

  void remember(const Choice& c) {
    if (archived_.insert(Identity(c.graph).hash()).second) archive_.push_back(c);
  }

  /// Exchanges one member for a remembered graph as long as that covers more.
  bool swap_in() {
    bool better = false;
    for (bool again = true; again;) {
      again = false;
      for (std::size_t s = 0; s < set_.size(); ++s) {
        count(set_[s], false);
        const Choice* best = &set_[s];
        std::size_t most = marginal(set_[s]);
        for (const Choice& c : archive_) {
          if (c.covers.size() <= most) continue;
          if (const std::size_t value = marginal(c); value > most) {
            most = value;
            best = &c;
          }
        }
        if (best != &set_[s]) {
          set_[s] = *best;
          again = better = true;
        }
        count(set_[s], true);
      }
    }
    return better;
  }

  /// Climbs from remembered graphs in place of the member that is missed least.
  bool restart() {
    const std::size_t weakest = [&] {
      std::size_t at = 0;
      std::size_t least = counts_.size() + 1;
      for (std::size_t s = 0; s < set_.size(); ++s) {
        count(set_[s], false);
        const std::size_t value = marginal(set_[s]);
        count(set_[s], true);
        if (value < least) {
          least = value;
          at = s;
        }
      }
      return at;
    }();
    count(set_[weakest], false);
    const std::size_t before = marginal(set_[weakest]);
    std::vector<std::pair<std::size_t, std::size_t>> starts;
    for (std::size_t c = 0; c < archive_.size(); ++c) {
      if (!tried_.contains(c)) starts.push_back({marginal(archive_[c]), c});
    }
    std::stable_sort(starts.begin(), starts.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    bool better = false;
    for (std::size_t i = 0; i < starts.size() && !stopped_ && !better; ++i) {
      tried_.insert(starts[i].second);
      Choice best = climb(archive_[starts[i].second]);
      if (marginal(best) > before) {
        set_[weakest] = std::move(best);
        better = true;
      }
    }
    count(set_[weakest], true);
    return better;
  }

  void spend(std::uint64_t neighbours) {
    spent_ += neighbours;
    stopped_ =
        spent_ >= options_.work || (go_on_ && !go_on_({spent_, options_.work, most_covered_}));
  }

  std::size_t k_;
  Evaluator& evaluator_;
  const Constraints& constraints_;
  std::size_t num_labels_;
  const RefineOptions& options_;
  ThreadPool& threads_;
  const std::function<bool(const RefineProgress&)>& go_on_;
  std::vector<Choice> set_;
  std::vector<Choice> archive_;
  std::unordered_set<Hash128> archived_;
  std::unordered_set<std::size_t> tried_;
  std::vector<int> counts_;  ///< members that cover each input
  std::size_t covered_ = 0;
  std::size_t most_covered_ = 0;  ///< by the whole set: now and then a member is left out
  std::uint64_t spent_ = 0;
  bool stopped_ = false;
};

}  // namespace

std::vector<Choice> refine(std::vector<Choice> chosen, std::span<const Choice> pool, std::size_t k,
                           Evaluator& evaluator, const Constraints& constraints,
                           std::size_t num_labels, const RefineOptions& options,
                           ThreadPool& threads,
                           const std::function<bool(const RefineProgress&)>& go_on) {
  return Refiner(std::move(chosen), pool, k, evaluator, constraints, num_labels, options, threads,
                 go_on)
      .run();
}

}  // namespace gcfx
