// SPDX-License-Identifier: MIT
#include "fewedits/search/improve/refine.hpp"

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>

#include "fewedits/edit/neighbours.hpp"
#include "fewedits/graph/shape_hash.hpp"
#include "fewedits/search/walk/neighbourhood_cache.hpp"

namespace fewedits {
namespace {

class Refiner {
 public:
  Refiner(std::vector<Choice> chosen, std::span<const Choice> pool, Evaluator& evaluator,
          const Constraints& constraints, std::size_t num_labels, const RefineOptions& options,
          ThreadPool& threads, const std::function<bool(const RefineProgress&)>& go_on)
      : evaluator_(evaluator),
        constraints_(constraints),
        num_labels_(num_labels),
        options_(options),
        threads_(threads),
        go_on_(go_on),
        cache_(options.cache_bytes),
        set_(std::move(chosen), evaluator.inputs().size()),
        archive_(pool.begin(), pool.end()),
        stopped_(options.work == 0) {
    for (const Choice& c : archive_) archived_.insert(Identity(c.graph).hash());
  }

  std::vector<Choice> run() {
    while (!stopped_ && set_.size() > 0 && set_.covered() < evaluator_.inputs().size()) {
      bool better = false;
      for (std::size_t s = 0; s < set_.size() && !stopped_; ++s) better |= improve(s);
      better |= set_.swap_in(archive_);
      if (!better && !restart()) break;
    }
    return set_.members();
  }

 private:
  /// Climbs from member s; true if it was replaced by something better.
  bool improve(std::size_t s) {
    most_covered_ = std::max(most_covered_, set_.covered());
    set_.take_out(s);
    const std::size_t before = set_.marginal(set_.members()[s]);
    Choice best = climb(set_.members()[s]);
    const bool better = set_.marginal(best) > before;
    if (better) {
      set_.put_back(s, std::move(best));
    } else {
      set_.put_back(s);
    }
    return better;
  }

  /// The best graph on the way; `start` itself if there is none.
  Choice climb(const Choice& start) {
    Choice best = start;
    Choice now = start;
    std::size_t most = set_.marginal(start);
    std::unordered_set<std::uint64_t> seen{shape_hash(start.graph)};
    for (int idle = 0; idle < options_.patience && !stopped_; ++idle) {
      auto next = best_neighbour(now, seen);
      if (!next) break;
      now = std::move(*next);
      seen.insert(shape_hash(now.graph));
      remember(now);
      if (const std::size_t value = set_.marginal(now); value > most) {
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
    const Neighbourhood& entries = neighbourhood(Identity(of.graph));
    const auto open = entries.mask([&](std::uint32_t input) { return !set_.covers(input); });
    std::vector<std::pair<std::pair<int, int>, std::size_t>> order;
    for (std::size_t e = 1; e < entries.size(); ++e) {
      if (entries.probability[e] < options_.min_probability) continue;
      order.push_back({{entries.num_covered(e, open), entries.num_covered(e)}, e});
    }
    std::stable_sort(order.begin(), order.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    for (const auto& [value, e] : order) {
      if (seen.contains(entries.shape[e])) continue;
      Graph next = apply(entries.graph, entries.edits[e]);
      if (!satisfies(next, constraints_)) continue;
      return Choice{std::move(next), entries.probability[e], entries.covers(e), 0, of.origin};
    }
    return std::nullopt;
  }

  /// Valid until the next call.
  const Neighbourhood& neighbourhood(const Identity& graph) {
    KnownNeighbourhood& known = cache_.at(graph.hash());
    if (!known.evaluated) {
      const auto edits = sampled_neighbours(graph, num_labels_, constraints_,
                                            options_.max_neighbours, options_.seed);
      known.entries = evaluator_.evaluate(graph.canonical(), edits, options_.theta, threads_);
      known.evaluated = true;
      cache_.forget_until_it_fits();
    }
    // Not what the cache had to do: the answer must not depend on its size.
    spend(paid_.insert(graph.hash()).second ? known.entries.size() : 0);
    return known.entries;
  }

  void remember(const Choice& c) {
    if (archived_.insert(Identity(c.graph).hash()).second) archive_.push_back(c);
  }

  /// Climbs from remembered graphs in place of the member that is missed least.
  bool restart() {
    most_covered_ = std::max(most_covered_, set_.covered());
    const std::size_t weakest = set_.weakest();
    set_.take_out(weakest);
    const std::size_t before = set_.marginal(set_.members()[weakest]);
    std::vector<std::pair<std::size_t, std::size_t>> starts;
    for (std::size_t c = 0; c < archive_.size(); ++c) {
      if (!tried_.contains(c)) starts.push_back({set_.marginal(archive_[c]), c});
    }
    std::stable_sort(starts.begin(), starts.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    for (std::size_t i = 0; i < starts.size() && !stopped_; ++i) {
      tried_.insert(starts[i].second);
      Choice best = climb(archive_[starts[i].second]);
      if (set_.marginal(best) <= before) continue;
      set_.put_back(weakest, std::move(best));
      return true;
    }
    set_.put_back(weakest);
    return false;
  }

  void spend(std::uint64_t neighbours) {
    spent_ += neighbours;
    stopped_ =
        spent_ >= options_.work || (go_on_ && !go_on_({spent_, options_.work, most_covered_}));
  }

  Evaluator& evaluator_;
  const Constraints& constraints_;
  std::size_t num_labels_;
  const RefineOptions& options_;
  ThreadPool& threads_;
  const std::function<bool(const RefineProgress&)>& go_on_;
  NeighbourhoodCache cache_;
  std::unordered_set<Hash128> paid_;
  ChosenSet set_;
  std::vector<Choice> archive_;
  std::unordered_set<Hash128> archived_;
  std::unordered_set<std::size_t> tried_;
  std::size_t most_covered_ = 0;  ///< by the whole set: now and then a member is left out
  std::uint64_t spent_ = 0;
  bool stopped_;
};

}  // namespace

std::vector<Choice> refine(std::vector<Choice> chosen, std::span<const Choice> pool,
                           Evaluator& evaluator, const Constraints& constraints,
                           std::size_t num_labels, const RefineOptions& options,
                           ThreadPool& threads,
                           const std::function<bool(const RefineProgress&)>& go_on) {
  return Refiner(std::move(chosen), pool, evaluator, constraints, num_labels, options, threads,
                 go_on)
      .run();
}

}  // namespace fewedits
