// SPDX-License-Identifier: MIT
#include "fewedits/search/improve/refine.hpp"

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>

#include "fewedits/cover/cover_set.hpp"
#include "fewedits/edit/neighbours.hpp"
#include "fewedits/graph/shape_hash.hpp"
#include "fewedits/search/walk/neighbourhood_cache.hpp"

namespace fewedits {
namespace {

class Refiner {
 public:
  Refiner(const std::vector<Candidate>& chosen, std::span<const Candidate> pool,
          Evaluator& evaluator, const Constraints& constraints, std::size_t num_labels,
          const RefineOptions& options, ThreadPool& threads,
          const std::function<bool(const ImproveProgress&)>& go_on)
      : evaluator_(evaluator),
        constraints_(constraints),
        num_labels_(num_labels),
        options_(options),
        threads_(threads),
        go_on_(go_on),
        cache_(options.cache_bytes),
        archive_(archive_of(pool, evaluator.inputs().size())),
        set_(archive_, added(chosen, archive_)),
        stopped_(options.work == 0) {}

  std::vector<Candidate> run() {
    while (!stopped_ && set_.size() > 0 && set_.covered() < evaluator_.inputs().size()) {
      bool better = false;
      for (std::size_t s = 0; s < set_.size() && !stopped_; ++s) better |= improve(s);
      better |= swap_in_remembered();
      if (!better && !restart()) break;
    }
    std::vector<Candidate> out;
    for (std::size_t s = 0; s < set_.size(); ++s) out.push_back(set_[s]);
    return out;
  }

 private:
  static CandidateArchive archive_of(std::span<const Candidate> candidates, std::size_t inputs) {
    CandidateArchive out(inputs);
    for (const Candidate& c : candidates) out.add(c);
    return out;
  }

  static SolutionSet added(const std::vector<Candidate>& chosen, CandidateArchive& archive) {
    SolutionSet out;
    for (const Candidate& c : chosen) out.push_back(archive.add(c));
    return out;
  }

  /// Climbs from member s; true if it was replaced by something better.
  bool improve(std::size_t s) {
    most_covered_ = std::max(most_covered_, set_.covered());
    set_.suspend(s);
    const std::size_t best = climb(set_.members()[s]);
    const bool better = set_.marginal(archive_[best]) > set_.marginal_of_member(s);
    better ? set_.resume_as(s, best) : set_.resume(s);
    return better;
  }

  /// Exchanges members for remembered graphs as long as that covers more.
  bool swap_in_remembered() {
    SolutionSet members = set_.members();
    if (!exchange(archive_.table(), members, nullptr)) return false;
    set_ = CoverSet(archive_, std::move(members));
    return true;
  }

  /// The best graph on the way; `start` itself if there is none.
  std::size_t climb(std::size_t start) {
    std::size_t best = start;
    Candidate now = archive_[start];
    Identity identity(now.graph);
    std::size_t most = set_.marginal(now);
    std::unordered_set<std::uint64_t> seen{shape_hash(now.graph)};
    for (int idle = 0; idle < options_.patience && !stopped_; ++idle) {
      auto next = best_neighbour(now, identity, seen);
      if (!next) break;
      now = std::move(next->candidate);
      identity = Identity(now.graph);
      seen.insert(next->shape);
      const std::size_t place = archive_.add(now, identity.hash());
      if (const std::size_t value = set_.marginal(now); value > most) {
        most = value;
        best = place;
        idle = -1;
      }
    }
    return best;
  }

  struct NextGraph {
    Candidate candidate;
    std::uint64_t shape;  ///< shape_hash
  };

  /// The allowed neighbour not seen yet that covers most of what the set leaves; among equals the
  /// one that covers more altogether, then the first.
  std::optional<NextGraph> best_neighbour(const Candidate& of, const Identity& identity,
                                          const std::unordered_set<std::uint64_t>& seen) {
    const Neighbourhood& entries = neighbourhood(identity);
    const auto open = entries.mask([&](std::uint32_t input) { return !set_.covers(input); });
    std::vector<std::pair<std::pair<int, int>, std::size_t>> order;
    for (std::size_t e = 1; e < entries.size(); ++e) {
      if (entries.accepted[e] == 0) continue;
      order.push_back({{entries.num_covered(e, open), entries.num_covered(e)}, e});
    }
    std::stable_sort(order.begin(), order.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    for (const auto& [value, e] : order) {
      if (seen.contains(entries.shape[e])) continue;
      Graph next = apply(entries.graph, entries.edits[e]);
      if (!satisfies(next, constraints_)) continue;
      return NextGraph{{std::move(next), entries.probability[e], entries.covers(e), 0, of.origin},
                       entries.shape[e]};
    }
    return std::nullopt;
  }

  /// Valid until the next call; without neighbours once it is to stop.
  const Neighbourhood& neighbourhood(const Identity& graph) {
    try {
      return evaluated(graph);
    } catch (const Stopped&) {  // in the middle of it
      stopped_ = true;
      return none_;
    }
  }

  const Neighbourhood& evaluated(const Identity& graph) {
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

  /// Climbs from remembered graphs in place of the member that is missed least.
  bool restart() {
    most_covered_ = std::max(most_covered_, set_.covered());
    const std::size_t weakest = set_.weakest();
    set_.suspend(weakest);
    const std::size_t before = set_.marginal_of_member(weakest);
    std::vector<std::pair<std::size_t, std::size_t>> starts;
    for (std::size_t c = 0; c < archive_.size(); ++c) {
      if (!tried_.contains(c)) starts.push_back({set_.marginal(archive_[c]), c});
    }
    std::stable_sort(starts.begin(), starts.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    for (std::size_t i = 0; i < starts.size() && !stopped_; ++i) {
      tried_.insert(starts[i].second);
      const std::size_t best = climb(starts[i].second);
      if (set_.marginal(archive_[best]) <= before) continue;
      set_.resume_as(weakest, best);
      return true;
    }
    set_.resume(weakest);
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
  const std::function<bool(const ImproveProgress&)>& go_on_;
  NeighbourhoodCache cache_;
  std::unordered_set<Hash128> paid_;
  Neighbourhood none_{Graph(), {}};  ///< what there is no time for
  CandidateArchive archive_;
  CoverSet set_;  ///< its members are in the archive
  std::unordered_set<std::size_t> tried_;
  std::size_t most_covered_ = 0;  ///< by the whole set: now and then a member is left out
  std::uint64_t spent_ = 0;
  bool stopped_;
};

}  // namespace

std::vector<Candidate> refine(const std::vector<Candidate>& chosen, std::span<const Candidate> pool,
                              Evaluator& evaluator, const Constraints& constraints,
                              std::size_t num_labels, const RefineOptions& options,
                              ThreadPool& threads,
                              const std::function<bool(const ImproveProgress&)>& go_on) {
  return Refiner(chosen, pool, evaluator, constraints, num_labels, options, threads, go_on).run();
}

}  // namespace fewedits
