// SPDX-License-Identifier: MIT
#include "fewedits/search/climb/solution_search.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "fewedits/ged/lower_bound.hpp"
#include "fewedits/graph/identity.hpp"

namespace fewedits {
namespace {

constexpr std::size_t kTries = 32;  ///< to perturb the set after a round
constexpr std::size_t kArchive = 10'000;
constexpr std::uint64_t kEarlyClimbs = 40;
constexpr std::size_t kRunnersUp = 6;  ///< for each member

/// For graphs that may enter the set, those that did, and those that stayed for some rounds.
constexpr MeasureEffort kForCandidates{{3, 20}, 8};
constexpr MeasureEffort kForMembers{{4, 40}, 10};
constexpr MeasureEffort kForThoseThatStay{{4, 40}, 10, 3, 60'000};
constexpr std::uint32_t kStayingRounds = 4;

}  // namespace

SolutionSearch::SolutionSearch(CandidateArchive archive, SolutionSet incumbent, std::size_t k,
                               const SearchSpace& space, ThreadPool& threads, std::uint64_t stream)
    : SolutionSearch(
          {std::move(archive), std::move(incumbent), Rng(space.options.seed, stream << 40).state()},
          k, space, threads, stream) {}

SolutionSearch::SolutionSearch(SolutionSearchState state, std::size_t k, const SearchSpace& space,
                               ThreadPool& threads, std::uint64_t stream)
    : space_(space),
      k_(k),
      threads_(threads),
      candidates_(space, kForCandidates, threads),
      members_(space, kForMembers, threads),
      staying_(space, kForThoseThatStay, threads),
      archive_(std::move(state.archive)),
      set_(archive_, {}),
      stream_(stream << 40),
      rng_(state.rng),
      climbs_(state.climbs),
      work_(state.work) {
  for (std::size_t c = 0; c < space.options.climbs; ++c) {
    climbers_.push_back(std::make_unique<Climber>(space));
  }
  set_incumbent(std::move(state.incumbent));
}

SolutionSearchState SolutionSearch::state() const {
  return {archive_, set_.members(), rng_.state(), climbs_, work()};
}

std::uint64_t SolutionSearch::work() const {
  std::uint64_t sum = work_ + candidates_.work() + members_.work() + staying_.work();
  for (const auto& c : climbers_) sum += c->work();
  return sum;
}

void SolutionSearch::set_incumbent(SolutionSet set) { set_ = CoverSet(archive_, std::move(set)); }

/// All climbs take a step at a time: what they want to know is one batch for the classifier, which
/// is asked from this thread alone; what they make of the answers they compute in parallel.
bool SolutionSearch::climb(const GoOn& go_on) {
  std::vector<Climber::Plan> plans;
  for (std::size_t c = 0; c < climbers_.size(); ++c) plans.push_back(next_plan());
  threads_.for_chunks(climbers_.size(), 1, [&](std::size_t c, std::size_t, int) {
    climbers_[c]->begin(std::move(plans[c]));
  });
  std::vector<Graph> batch;
  std::vector<std::size_t> first(climbers_.size());
  for (;;) {
    if (!go_on()) return false;
    batch.clear();
    for (std::size_t c = 0; c < climbers_.size(); ++c) {
      first[c] = batch.size();
      const auto wanted = climbers_[c]->wanted();
      batch.insert(batch.end(), wanted.begin(), wanted.end());
    }
    if (batch.empty()) return true;
    const auto answers = judge(batch, space_.classifier, space_.goal, threads_);
    threads_.for_chunks(climbers_.size(), 1, [&](std::size_t c, std::size_t, int) {
      const std::size_t count = climbers_[c]->wanted().size();
      if (count > 0) climbers_[c]->tell(std::span(answers).subspan(first[c], count));
    });
  }
}

void SolutionSearch::round(const GoOn& go_on) {
  bool finished = false;
  try {
    finished = climb(go_on);
  } catch (const Stopped&) {  // in the middle of a step
  }
  if (!finished) return take_unfinished();
  std::vector<Climber::Outcome> outcomes;
  for (const auto& climber : climbers_) outcomes.push_back(climber->take_outcome());
  const auto ids = identities(outcomes);
  for (std::size_t c = 0; c < outcomes.size(); ++c) {
    starts_.keep(std::move(outcomes[c].start));
    take(outcomes[c], ids[c]);
  }
  reselect(kTries);
}

/// What climbs found that were ended on the way.
void SolutionSearch::take_unfinished() {
  for (const auto& climber : climbers_) {
    climber->end();
    for (Climber::Found& f : climber->take_outcome().found) archive_.add(std::move(f.candidate));
  }
  SolutionSet set = set_.members();
  fill_up(archive_.table(), set, k_, nullptr);
  exchange(archive_.table(), set, nullptr);
  set_incumbent(std::move(set));
}

/// Canonical forms take as long as many steps, and are nobody's but the graph's: on all threads.
std::vector<std::vector<Hash128>> SolutionSearch::identities(
    const std::vector<Climber::Outcome>& outcomes) {
  std::vector<std::vector<Hash128>> out;
  std::vector<std::pair<const Graph*, Hash128*>> all;
  for (const Climber::Outcome& outcome : outcomes) {
    auto& ids = out.emplace_back(outcome.found.size());
    for (std::size_t f = 0; f < ids.size(); ++f) {
      all.emplace_back(&outcome.found[f].candidate.graph, &ids[f]);
    }
  }
  const StopScope to_the_end(threads_, nullptr);
  threads_.for_chunks(all.size(), 4, [&](std::size_t begin, std::size_t end, int) {
    for (std::size_t i = begin; i < end; ++i) *all[i].second = Identity(*all[i].first).hash();
  });
  return out;
}

/// What a climb found; the best of it is measured, if it could enter the set.
void SolutionSearch::take(Climber::Outcome& outcome, std::span<const Hash128> ids) {
  for (std::size_t i = 0; i < outcome.found.size(); ++i) {
    Climber::Found& f = outcome.found[i];
    if (i == 0 && is_promising(f.candidate)) candidates_.extend(f.candidate, f.known.get());
    starts_.keep(std::move(f.known));
    archive_.add(std::move(f.candidate), ids[i]);
  }
}

/// Nearly as good as the member it could replace.
bool SolutionSearch::is_promising(const Candidate& candidate) {
  if (set_.size() < k_) return true;
  for (std::size_t s = 0; s < set_.size(); ++s) {
    set_.suspend(s);
    const std::size_t adds = set_.marginal(candidate);
    const std::size_t own = set_.marginal_of_member(s);
    set_.resume(s);
    if (10 * adds >= 8 * own) return true;
  }
  return false;
}

/// Wanders among the sets that can be chosen.
void SolutionSearch::reselect(std::size_t tries) {
  SolutionSet set = set_.members();
  fill_up(archive_.table(), set, k_, &rng_);
  archive_.shrink(kArchive, set);
  set_incumbent(set);
  set_incumbent(archive_.perturbed(set, k_, tries, rng_.next(), threads_));
  work_ += tries * archive_.work_of_a_try();
  measure_members();
}

/// Members are measured with care: what they cover need not be climbed for.
void SolutionSearch::measure_members() {
  const SolutionSet members = set_.members();
  for (const std::size_t at : members) {
    const std::uint32_t rounds = archive_.rounds(at);
    archive_.set_rounds(at, rounds + 1);
    if (rounds != 0 && rounds != kStayingRounds) continue;
    Candidate member = archive_[at];
    (rounds == 0 ? members_ : staying_).extend(member, starts_.of(member.graph).get());
    archive_.extend(at, member);
  }
  set_incumbent(members);
}

void SolutionSearch::reconsider(Care care, const GoOn& go_on) {
  const bool decide = care == Care::kDecide;
  const std::uint32_t enough = decide ? kStayingRounds : 0;
  for (const std::size_t at : runners_up(enough)) {
    if (!go_on()) return;
    Candidate candidate = archive_[at];
    (decide ? staying_ : members_).extend(candidate, starts_.of(candidate.graph).get());
    archive_.extend(at, candidate);
    archive_.set_rounds(at, enough + 1);
  }
  choose_again();
}

void SolutionSearch::choose_again() { reselect(kTries * kTries); }

/// For each member, those that would add most in its place, itself perhaps; of those that were at
/// most so many rounds in the set.
std::vector<std::size_t> SolutionSearch::runners_up(std::uint32_t rounds) {
  std::vector<std::size_t> among;
  for (std::size_t c = 0; c < archive_.size(); ++c) {
    if (archive_.rounds(c) <= rounds) among.push_back(c);
  }
  std::set<std::size_t> out;
  for (std::size_t s = 0; s < set_.size(); ++s) {
    set_.suspend(s);
    const auto best = most_useful(among, kRunnersUp);
    out.insert(best.begin(), best.end());
    set_.resume(s);
  }
  return {out.begin(), out.end()};
}

/// Of some remembered graphs, those that add most to the set as it is; best first.
std::vector<std::size_t> SolutionSearch::most_useful(std::span<const std::size_t> among,
                                                     std::size_t count) {
  std::vector<std::pair<std::size_t, std::size_t>> adds(among.size());
  const StopScope to_the_end(threads_, nullptr);  // members may be suspended
  threads_.for_chunks(among.size(), 512, [&](std::size_t begin, std::size_t end, int) {
    for (std::size_t i = begin; i < end; ++i) {
      adds[i] = {set_.marginal(archive_[among[i]]), among[i]};
    }
  });
  const auto end = adds.begin() + static_cast<std::ptrdiff_t>(std::min(adds.size(), count));
  std::partial_sort(adds.begin(), end, adds.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  std::vector<std::size_t> out;
  for (auto best = adds.begin(); best != end; ++best) out.push_back(best->second);
  return out;
}

Climber::Plan SolutionSearch::next_plan() {
  const std::size_t s = climbs_ % k_;
  Climber::Plan plan{{}, nullptr, {}, Rng(space_.options.seed, stream_ + 1 + climbs_)};
  const std::vector<std::size_t> out = members_left_out(s);
  for (const std::size_t o : out) set_.suspend(o);
  std::vector<std::uint32_t> open;
  for (std::uint32_t i = 0; i < space_.inputs.size(); ++i) {
    plan.counts.push_back(set_.covers(i) ? 0 : 1);
    if (!set_.covers(i)) open.push_back(i);
  }
  // Half of the climbs start from the member itself, others from graphs of the archive or inputs.
  const double die = rng_.uniform();
  const double from_input = climbs_ < kEarlyClimbs ? 0.5 : 0.85;
  if (!open.empty() && (die >= from_input || archive_.size() == 0)) {
    plan.start = crowded_input(open);
  } else if (archive_.size() > 0) {
    plan.start = die < 0.5 && s < set_.size() ? set_[s] : good_candidate();
  }
  plan.known = starts_.of(plan.start.graph);
  for (const std::size_t o : out) set_.resume(o);
  ++climbs_;
  return plan;
}

/// The member to be replaced, and now and then others: what is found may go with another set.
std::vector<std::size_t> SolutionSearch::members_left_out(std::size_t s) {
  std::vector<std::size_t> out;
  if (s < set_.size()) out.push_back(s);
  if (set_.size() == 0 || !rng_.chance(0.3)) return out;
  for (std::uint64_t left = 1 + rng_.below(3); left > 0; --left) {
    const std::size_t o = rng_.below(set_.size());
    if (std::find(out.begin(), out.end(), o) == out.end()) out.push_back(o);
  }
  return out;
}

/// One of the twenty that add most to the set as it is.
const Candidate& SolutionSearch::good_candidate() {
  std::vector<std::size_t> all(archive_.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  const auto best = most_useful(all, 20);
  return archive_[best[rng_.below(best.size())]];
}

/// Of a few open inputs, the one that could have most open ones within theta.
Candidate SolutionSearch::crowded_input(const std::vector<std::uint32_t>& open) {
  constexpr int kDrawn = 6;
  std::uint32_t best = open[0];
  std::int64_t most = -1;
  for (int t = 0; t < kDrawn; ++t) {
    const std::uint32_t i = open[rng_.below(open.size())];
    const PreparedGraph& a = space_.inputs[i];
    const auto near = std::count_if(open.begin(), open.end(), [&](std::uint32_t j) {
      const PreparedGraph& b = space_.inputs[j];
      return degree_bound(a.profile(), b.profile(), space_.costs) <= space_.limit(a, b);
    });
    if (near <= most) continue;
    most = near;
    best = i;
  }
  return {space_.inputs[best].graph(), 0, {}, 0, best};
}

}  // namespace fewedits
