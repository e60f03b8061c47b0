// SPDX-License-Identifier: MIT
#include "gcfx/explain/certified_search.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <set>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "gcfx/explain/climber.hpp"
#include "gcfx/explain/cover_archive.hpp"
#include "gcfx/explain/cover_measure.hpp"
#include "gcfx/explain/known_maps.hpp"
#include "gcfx/explain/terrain.hpp"
#include "gcfx/ged/lower_bound.hpp"
#include "gcfx/graph/shape_hash.hpp"

namespace gcfx {
namespace {

constexpr std::uint64_t kParts = 3;  ///< searches of their own, before the first that goes on
constexpr double kPartShare = 0.15;  ///< of the work

constexpr std::size_t kClimbs = 8;  ///< in a round
constexpr std::size_t kTries = 32;  ///< to shake the set after a round
constexpr std::size_t kArchive = 10'000;
constexpr std::uint64_t kEarlyClimbs = 40;
constexpr std::size_t kRunnersUp = 6;  ///< for each member

/// For graphs that may enter the set, those that did, and those that stayed for some rounds.
constexpr MeasureEffort kForCandidates{{3, 20}, 8};
constexpr MeasureEffort kForMembers{{4, 40}, 10};
constexpr MeasureEffort kForThoseThatStay{{4, 40}, 10, 3, 60'000};
constexpr int kStayingRounds = 4;

/// A place in the set for which nothing was found yet.
bool is_vacant(const Choice& choice) { return choice.graph.num_nodes() == 0; }

class Search {
 public:
  Search(std::vector<Choice> chosen, std::span<const Choice> pool, const Terrain& terrain,
         ThreadPool& threads, std::uint64_t stream)
      : terrain_(terrain),
        threads_(threads),
        candidates_(terrain, kForCandidates, threads),
        members_(terrain, kForMembers, threads),
        staying_(terrain, kForThoseThatStay, threads),
        set_(std::move(chosen), terrain.inputs.size()),
        archive_(terrain.inputs.size()),
        stream_(stream << 40),
        rng_(terrain.options.seed, stream_) {
    for (std::size_t c = 0; c < kClimbs; ++c) {
      climbers_.push_back(std::make_unique<Climber>(terrain));
    }
    for (const Choice& c : pool) remember(c);
    for (const Choice& c : set_.members()) remember(c);
  }

  /// Climbs for each of several members of the set at a time.
  void round() {
    std::vector<Climber::Plan> plans;
    for (std::size_t c = 0; c < kClimbs; ++c) plans.push_back(next_plan());
    std::vector<Climber::Outcome> outcomes(kClimbs);
    threads_.for_chunks(kClimbs, 1, [&](std::size_t c, std::size_t, int) {
      outcomes[c] = climbers_[c]->climb(plans[c]);
    });
    for (Climber::Outcome& o : outcomes) {
      starts_.keep(std::move(o.start));
      take(o);
    }
    shake(kTries);
  }

  /// Wanders among the sets of remembered graphs.
  void shake(std::size_t tries) {
    std::vector<std::size_t> team = as_team();
    archive_.shrink(kArchive, team);
    team = archive_.shaken(team, tries, rng_.next(), threads_);
    std::vector<Choice> members;
    for (const std::size_t c : team) members.push_back(archive_.choices()[c]);
    set_ = ChosenSet(std::move(members), terrain_.inputs.size());
    measure_members();
  }

  /// Measures the remembered graphs that nearly made it, and chooses again: what climbs know of
  /// them is too little, and differs less than what they cover.
  void reconsider() {
    for (const std::size_t c : runners_up()) {
      Choice choice = archive_.choices()[c];
      ++rounds_[shape_hash(choice.graph)];
      members_.extend(choice, starts_.of(choice.graph).get());
      archive_.extend(c, choice.covers);
    }
    shake(kTries * kTries);
  }

  [[nodiscard]] const ChosenSet& set() const { return set_; }
  [[nodiscard]] const CoverArchive& archive() const { return archive_; }
  [[nodiscard]] std::uint64_t work() const {
    std::uint64_t sum = candidates_.work() + members_.work() + staying_.work();
    for (const auto& c : climbers_) sum += c->work();
    return sum;
  }

 private:
  void remember(const Choice& choice) {
    if (known_.insert(shape_hash(choice.graph)).second) archive_.add(choice);
  }

  /// What a climb found; the best of it is measured, if it could enter the set.
  void take(Climber::Outcome& outcome) {
    std::vector<Choice> choices;
    for (Climber::Found& f : outcome.found) {
      if (!known_.contains(shape_hash(f.choice.graph))) {
        const bool best = &f == &outcome.found.front();
        if (best && is_promising(f.choice)) candidates_.extend(f.choice, f.known.get());
        starts_.keep(std::move(f.known));
        remember(f.choice);
      }
      choices.push_back(std::move(f.choice));
    }
    set_.swap_in(choices);
  }

  /// Nearly as good as the member it could replace.
  bool is_promising(const Choice& choice) {
    for (std::size_t s = 0; s < set_.size(); ++s) {
      set_.take_out(s);
      const std::size_t adds = set_.marginal(choice);
      const std::size_t own = set_.marginal(set_.members()[s]);
      set_.put_back(s);
      if (10 * adds >= 8 * own) return true;
    }
    return false;
  }

  /// For each member, those that would add most in its place; not those that were measured.
  std::vector<std::size_t> runners_up() {
    std::vector<std::size_t> among;
    for (std::size_t c = 0; c < archive_.size(); ++c) {
      if (!rounds_.contains(shape_hash(archive_.choices()[c].graph))) among.push_back(c);
    }
    std::set<std::size_t> out;
    for (std::size_t s = 0; s < set_.size(); ++s) {
      set_.take_out(s);
      const auto best = most_useful(among, kRunnersUp);
      out.insert(best.begin(), best.end());
      set_.put_back(s);
    }
    return {out.begin(), out.end()};
  }

  /// Of some remembered graphs, those that add most to the set as it is; best first.
  std::vector<std::size_t> most_useful(std::span<const std::size_t> among, std::size_t count) {
    std::vector<std::pair<std::size_t, std::size_t>> adds;
    for (const std::size_t c : among) adds.push_back({set_.marginal(archive_.choices()[c]), c});
    const auto end = adds.begin() + static_cast<std::ptrdiff_t>(std::min(adds.size(), count));
    std::partial_sort(adds.begin(), end, adds.end(), [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first > b.first : a.second < b.second;
    });
    std::vector<std::size_t> out;
    for (auto best = adds.begin(); best != end; ++best) out.push_back(best->second);
    return out;
  }

  /// Members of the set are measured with care: what they cover need not be climbed for.
  void measure_members() {
    for (std::size_t s = 0; s < set_.size(); ++s) {
      Choice member = set_.members()[s];
      if (is_vacant(member)) continue;
      const int rounds = rounds_[shape_hash(member.graph)]++;
      if (rounds != 0 && rounds != kStayingRounds) continue;
      const auto known = starts_.of(member.graph);
      (rounds == 0 ? members_ : staying_).extend(member, known.get());
      archive_.extend(index_of(member.graph), member.covers);
      set_.take_out(s);
      set_.put_back(s, std::move(member));
    }
  }

  [[nodiscard]] std::size_t index_of(const Graph& graph) const {
    const auto& choices = archive_.choices();
    const auto at = std::find_if(choices.rbegin(), choices.rend(),
                                 [&](const Choice& c) { return c.graph == graph; });
    return choices.size() - 1 - static_cast<std::size_t>(at - choices.rbegin());
  }

  std::vector<std::size_t> as_team() {
    std::vector<std::size_t> team;
    for (const Choice& member : set_.members()) {
      std::size_t at = index_of(member.graph);
      if (at >= archive_.size()) {  // another graph of the same shape is known
        archive_.add(member);
        at = archive_.size() - 1;
      }
      team.push_back(at);
    }
    return team;
  }

  Climber::Plan next_plan() {
    const std::size_t s = number_ % set_.size();
    Climber::Plan plan{
        set_.members()[s], nullptr, {}, Rng(terrain_.options.seed, stream_ + 1 + number_)};
    const std::vector<std::size_t> out = members_left_out(s);
    for (const std::size_t o : out) set_.take_out(o);
    std::vector<std::uint32_t> open;
    for (std::uint32_t i = 0; i < terrain_.inputs.size(); ++i) {
      plan.counts.push_back(set_.covers(i) ? 0 : 1);
      if (!set_.covers(i)) open.push_back(i);
    }
    // Half of the climbs start from the member itself, others from graphs of the archive or inputs.
    const double die = rng_.uniform();
    const double from_input = number_ < kEarlyClimbs ? 0.5 : 0.85;
    if (die >= 0.5 && die < from_input) plan.start = good_choice();
    if (!open.empty() && (die >= from_input || is_vacant(plan.start))) {
      plan.start = crowded_input(open);
    }
    plan.known = starts_.of(plan.start.graph);
    for (const std::size_t o : out) set_.put_back(o);
    ++number_;
    return plan;
  }

  /// The member to be replaced, and now and then others: what is found may go with another set.
  std::vector<std::size_t> members_left_out(std::size_t s) {
    std::vector<std::size_t> out{s};
    if (!rng_.chance(0.3)) return out;
    for (std::uint64_t left = 1 + rng_.below(3); left > 0; --left) {
      const std::size_t o = rng_.below(set_.size());
      if (std::find(out.begin(), out.end(), o) == out.end()) out.push_back(o);
    }
    return out;
  }

  /// One of the twenty that add most to the set as it is.
  const Choice& good_choice() {
    std::vector<std::size_t> all(archive_.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    const auto best = most_useful(all, 20);
    return archive_.choices()[best[rng_.below(best.size())]];
  }

  /// Of a few open inputs, the one that could have most open ones within theta.
  Choice crowded_input(const std::vector<std::uint32_t>& open) {
    constexpr int kDrawn = 6;
    std::uint32_t best = open[0];
    std::int64_t most = -1;
    for (int t = 0; t < kDrawn; ++t) {
      const std::uint32_t i = open[rng_.below(open.size())];
      const PreparedGraph& a = terrain_.inputs[i];
      const auto near = std::count_if(open.begin(), open.end(), [&](std::uint32_t j) {
        const PreparedGraph& b = terrain_.inputs[j];
        return degree_bound(a.profile(), b.profile(), {}) <= terrain_.limit(a, b);
      });
      if (near <= most) continue;
      most = near;
      best = i;
    }
    return {terrain_.inputs[best].graph(), 0, {}, 0, best};
  }

  const Terrain& terrain_;
  ThreadPool& threads_;
  CoverMeasure candidates_;
  CoverMeasure members_;
  CoverMeasure staying_;
  ChosenSet set_;
  CoverArchive archive_;
  MapStore starts_;
  std::unordered_set<std::uint64_t> known_;        ///< shapes in the archive
  std::unordered_map<std::uint64_t, int> rounds_;  ///< in the set, by shape
  std::vector<std::unique_ptr<Climber>> climbers_;
  std::uint64_t stream_;
  Rng rng_;
  std::uint64_t number_ = 0;  ///< of climbs planned
};

/// Some searches of their own, then one that goes on with what all of them found; when that one
/// comes to nothing for a while, another of its own, and so on.
class Campaign {
 public:
  Campaign(std::vector<Choice> chosen, std::span<const Choice> pool, const Terrain& terrain,
           ThreadPool& threads, const std::function<bool(const RefineProgress&)>& go_on)
      : chosen_(std::move(chosen)),
        pool_(pool),
        terrain_(terrain),
        threads_(threads),
        go_on_(go_on),
        share_(static_cast<std::uint64_t>(kPartShare * static_cast<double>(work()))),
        best_(chosen_, terrain.inputs.size()),
        found_(pool.begin(), pool.end()) {}

  std::vector<Choice> run() {
    for (std::uint64_t part = 0; spent_ < work() && !stopped_; ++part) {
      const bool pooled = part >= kParts && (part - kParts) % 2 == 0;
      pooled ? go_on_with_all(part) : begin_anew(part);
    }
    return best_.members();
  }

 private:
  [[nodiscard]] std::uint64_t work() const { return terrain_.options.work; }

  void begin_anew(std::uint64_t part) {
    Search search(chosen_, pool_, terrain_, threads_, part);
    advance(search, std::min(work(), spent_ + share_), work());
    const auto& archive = search.archive().choices();
    found_.insert(found_.end(), archive.begin(), archive.end());
    finish(search);
  }

  void go_on_with_all(std::uint64_t part) {
    Search search(best_.members(), found_, terrain_, threads_, part);
    search.shake(kTries * kTries);
    search.reconsider();
    advance(search, work(), share_);
    for (int again = 0; again < 2 && !stopped_; ++again) search.reconsider();
    found_ = search.archive().choices();
    finish(search);
  }

  /// Up to so much work in all, or until nothing came of so much of it, if enough is left for
  /// others.
  void advance(Search& search, std::uint64_t end, std::uint64_t patience) {
    std::size_t most = 0;
    for (std::uint64_t risen = spent_ + search.work(); !stopped_;) {
      const std::uint64_t now = spent_ + search.work();
      if (now >= end || (now - risen > patience && now + 2 * share_ < work())) return;
      if (search.set().covered() > most) {
        most = search.set().covered();
        risen = now;
      }
      stopped_ = go_on_ && !go_on_({now, work(), std::max(best_.covered(), most)});
      if (!stopped_) search.round();
    }
  }

  void finish(const Search& search) {
    spent_ += search.work();
    if (search.set().covered() > best_.covered()) best_ = search.set();
  }

  std::vector<Choice> chosen_;
  std::span<const Choice> pool_;
  const Terrain& terrain_;
  ThreadPool& threads_;
  const std::function<bool(const RefineProgress&)>& go_on_;
  std::uint64_t share_;
  ChosenSet best_;
  std::vector<Choice> found_;
  std::uint64_t spent_ = 0;
  bool stopped_ = false;
};

}  // namespace

std::vector<Choice> certified_search(std::vector<Choice> chosen, std::span<const Choice> pool,
                                     std::size_t k, std::span<const PreparedGraph> inputs,
                                     const Classifier& classifier, std::size_t desired_class,
                                     const Constraints& constraints, const RefineOptions& options,
                                     ThreadPool& threads,
                                     const std::function<bool(const RefineProgress&)>& go_on) {
  chosen.resize(std::max(chosen.size(), k));
  const Terrain terrain{inputs, classifier, desired_class, constraints, options};
  std::vector<Choice> out = Campaign(std::move(chosen), pool, terrain, threads, go_on).run();
  std::erase_if(out, is_vacant);
  return out;
}

}  // namespace gcfx
