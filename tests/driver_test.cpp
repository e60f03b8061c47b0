// SPDX-License-Identifier: MIT
// The stages in a row, on made-up models: stopped anywhere and resumed, the same explanation.
#include "fewedits/search/driver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <numeric>
#include <set>
#include <thread>

#include "fewedits/base/error.hpp"
#include "fewedits/cover/greedy.hpp"
#include "fewedits/search/kept.hpp"
#include "fewedits/search/option_table.hpp"
#include "fewedits/search/run_control.hpp"
#include "fewedits/search/state.hpp"
#include "support/fake_classifier.hpp"
#include "support/fake_evaluator.hpp"
#include "support/shared.hpp"

namespace fewedits {
namespace {

using test::FakeEvaluator;

/// Gives back what it gets, after somebody looked at the search.
class IdleImprover final : public Improver {
 public:
  using Look = std::function<void(SearchContext&)>;
  explicit IdleImprover(Look look) : look_(std::move(look)) {}
  std::vector<Candidate> improve(const std::vector<Candidate>& chosen,
                                 const std::vector<Candidate>& /*pool*/,
                                 SearchContext& context) override {
    look_(context);
    return chosen;
  }

 private:
  Look look_;
};

class DriverTest : public testing::Test {
 protected:
  DriverTest() : pool_(1), evaluator_(test::all_connected_graphs(3, 2)) {
    options_.k = 4;
    options_.steps = 130;
    options_.candidates = 8;
    options_.refine_work = 500;
    options_.constraints.max_nodes = 4;
  }

  Explanation run(const ExplainHooks& hooks = {}) {
    std::vector<std::uint32_t> indices(evaluator_.inputs().size());
    std::iota(indices.begin(), indices.end(), 100U);
    return run_search({evaluator_, classifier_, 1, indices, {}, {}}, full(), parts_, pool_, hooks);
  }
  void improve_by(const IdleImprover::Look& look) {
    parts_.improvers = Registry<ImproverKind>("improver");
    parts_.improvers.add("idle", {"idle", [=] { return std::make_unique<IdleImprover>(look); }});
  }
  [[nodiscard]] ExplainOptions full() const {
    ExplainOptions out = options_;
    out.distance = "greed";
    return with_defaults(out, parts_);
  }

  /// Stopped at that call of the progress hook; what was saved last.
  std::optional<SavedSearch> stopped_at(int call, std::optional<SavedSearch> from = {}) {
    std::optional<SavedSearch> saved;
    ExplainHooks hooks;
    hooks.resume = std::move(from);
    hooks.progress = [&, calls = 0](const ExplainProgress&) mutable { return ++calls < call; };
    hooks.save = [&](const SavedSearch& search) { saved = search; };
    try {
      const Explanation e = run(hooks);
      if (e.complete) return std::nullopt;
      EXPECT_GT(e.counterfactuals.size(), 0U);
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("no counterfactual was found"));
      EXPECT_THAT(error.remedy(), testing::HasSubstr("longer"));
    }
    return saved;
  }

  Explanation resumed(const SavedSearch& state) {
    ExplainHooks hooks;
    hooks.resume = state;
    return run(hooks);
  }

  ThreadPool pool_;
  FakeEvaluator evaluator_;
  /// Only its number of labels counts: the evaluator answers.
  test::FakeClassifier classifier_{2, 2, [](const Graph&) { return std::vector{0.5, 0.5}; }};
  ExplainOptions options_;
  Parts parts_ = builtin_parts();
};

/// Milliseconds until the sign is set; it would take the clock of the run hours.
std::int64_t until_set(const StopSign& sign) {
  const auto begin = StopSign::Clock::now();
  const auto gone = [&] { return StopSign::Clock::now() - begin; };
  while (!sign.is_set() && gone() < std::chrono::seconds(20)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return std::chrono::duration_cast<std::chrono::milliseconds>(gone()).count();
}

TEST(RunControlTest, WhoAsksForTheEndIsNotKeptWaitingByLaterStages) {
  StopSign asked;
  ExplainHooks hooks;
  hooks.stop = &asked;
  StopSign sign(&asked);
  RunControl control(10'000, hooks, sign);
  control.begin_stage(kWalkShares.walk);
  EXPECT_FALSE(control.is_over());
  asked.set();
  EXPECT_TRUE(control.is_over());
  control.grant_a_moment(100);
  EXPECT_FALSE(sign.is_set()) << "nothing would be saved";
  control.begin_stage(kImproveShare);
  EXPECT_LT(until_set(sign), 2000);
  EXPECT_EQ(control.ended(), RunEnd::kInterrupted);
}

TEST(RunControlTest, ItIsTheShorterAMomentTheMoreInputsThereAre) {
  StopSign asked;
  asked.set();
  ExplainHooks hooks;
  hooks.stop = &asked;
  StopSign sign(&asked);
  RunControl control(0, hooks, sign);
  control.grant_a_moment(150'000);
  EXPECT_LT(until_set(sign), 400);
}

TEST_F(DriverTest, WhereverItIsStoppedItGoesOnToTheSameExplanation) {
  for (const double patience : {0.0, 40.0 / 130}) {
    for (const bool forgetful : {false, true}) {
      evaluator_.forgetful = forgetful;
      options_.patience = patience;
      const Explanation expected = run();
      EXPECT_TRUE(expected.complete);
      EXPECT_EQ(expected.steps < *options_.steps, (patience > 0));
      EXPECT_EQ(expected.counterfactuals.size(), 4U);
      int stops = 0;
      for (int call = 1; call < 200; call += 7) {
        const auto state = stopped_at(call);
        if (!state) continue;
        ++stops;
        EXPECT_EQ(resumed(*state), expected) << "stopped at call " << call;
      }
      EXPECT_GT(stops, 5);
      // And again and again.
      std::optional<SavedSearch> state = stopped_at(9);
      SavedSearch last;
      while (state) {
        last = *state;
        state = last.state().walk.steps < expected.steps ? stopped_at(9, last) : std::nullopt;
      }
      EXPECT_EQ(resumed(last), expected);
    }
  }
}

TEST_F(DriverTest, TheTraceTellsHowItWent) {
  options_.refine_work = 20'000;
  const Explanation e = run();
  ASSERT_EQ(e.trace.size(), 65U) << "130 steps, every second of them";
  for (std::size_t i = 0; i < e.trace.size(); ++i) {
    EXPECT_EQ(e.trace[i].step, 2 * (i + 1));
    EXPECT_LE(e.trace[i].candidates, 8U);
    EXPECT_TRUE(
        std::is_sorted(e.trace[i].summary_coverage.begin(), e.trace[i].summary_coverage.end()));
  }
  // The greedy choice among the candidates, refined after it.
  EXPECT_GE(e.metrics.coverage, e.trace.back().summary_coverage.back());
  ASSERT_GE(e.refinement.size(), 2U);
  EXPECT_EQ(e.refinement.front(), (RefinementPoint{0, e.trace.back().summary_coverage.back()}));
  EXPECT_EQ(e.refinement.back().coverage, e.metrics.coverage);
  for (std::size_t i = 1; i < e.refinement.size(); ++i) {
    EXPECT_GE(e.refinement[i].work, e.refinement[i - 1].work);
    EXPECT_GE(e.refinement[i].coverage, e.refinement[i - 1].coverage);
  }
  options_.refine = false;
  const Explanation plain = run();
  EXPECT_EQ(plain.metrics.coverage, e.trace.back().summary_coverage.back());
  EXPECT_TRUE(plain.refinement.empty());
}

/// The most visited graphs; among equals those that cover more, if that counts, then those that got
/// there first.
std::vector<VisitedGraph> candidates_of(const WalkState& walk, std::size_t places, bool by_coverage,
                                        const FakeEvaluator& evaluator, double theta) {
  std::vector<VisitedGraph> all = walk.visited;
  std::sort(all.begin(), all.end(), [&](const VisitedGraph& a, const VisitedGraph& b) {
    return a.count != b.count ? a.count > b.count : a.reached < b.reached;
  });
  const auto by_covers = [&](const VisitedGraph& a, const VisitedGraph& b) {
    return std::pair(a.count, evaluator.inputs_within(a.graph, theta).size()) >
           std::pair(b.count, evaluator.inputs_within(b.graph, theta).size());
  };
  if (by_coverage) std::stable_sort(all.begin(), all.end(), by_covers);
  if (all.size() > places) all.resize(places);
  return all;
}

TEST_F(DriverTest, SummarisesTheMostVisitedAndOfEqualsThoseThatCoverMoreOrTheEarliest) {
  options_.refine = false;
  options_.candidates = 5;
  options_.steps = 40;  // most graphs are visited once
  int differs = 0;
  for (options_.seed = 1; options_.seed <= 20; ++options_.seed) {
    std::vector<std::vector<std::size_t>> gains;
    for (const auto& [quick, ties] :
         {std::pair(true, CandidateTies::kCoverage), std::pair(true, CandidateTies::kEarliest),
          std::pair(false, CandidateTies::kCoverage)}) {
      evaluator_.quick = quick;
      options_.ties = ties;
      const bool by_coverage = quick && ties == CandidateTies::kCoverage;
      std::optional<SavedSearch> saved;
      ExplainHooks hooks;
      hooks.save = [&](const SavedSearch& search) { saved = search; };
      const Explanation e = run(hooks);
      std::vector<std::vector<std::uint32_t>> covers;
      const auto candidates = candidates_of(saved->state().walk, options_.candidates, by_coverage,
                                            evaluator_, kEditTheta);
      for (const VisitedGraph& v : candidates) {
        covers.push_back(evaluator_.inputs_within(v.graph, kEditTheta));
      }
      const auto picks = greedy_summary(covers, evaluator_.inputs().size(), options_.k);
      ASSERT_EQ(picks.size(), e.counterfactuals.size());
      gains.emplace_back();
      for (std::size_t i = 0; i < picks.size(); ++i) {
        EXPECT_EQ(e.counterfactuals[i].graph, candidates[picks[i].candidate].graph);
        EXPECT_EQ(e.counterfactuals[i].gain, picks[i].gain);
        gains.back().push_back(picks[i].gain);
      }
    }
    EXPECT_EQ(gains[1], gains[2]);
    differs += gains[0] != gains[1] ? 1 : 0;
  }
  EXPECT_GT(differs, 5) << "or the test shows nothing";
}

TEST_F(DriverTest, MoreThanTheWalkKeepsIsRefusedAtOnce) {
  options_.k = 9;
  evaluator_.evaluated = 0;
  EXPECT_THAT([&] { run(); },
              testing::ThrowsMessage<Error>(testing::HasSubstr("the walk keeps 8 candidates")));
  EXPECT_EQ(evaluator_.evaluated, 0U);
}

/// The walk would take weeks. What it leaves is a second or more, so that a busy machine is no
/// reason to fail.
TEST_F(DriverTest, ATimeLimitLeavesTimeForTheRefinement) {
  std::vector<bool> had_time;
  improve_by([&](SearchContext& context) {
    had_time.push_back(context.control.goes_on({ExplainProgress::Stage::kRefine, 0, 1, 0, {}}));
  });
  options_.steps = std::uint64_t{1} << 40;
  options_.time_limit = 3;
  const Explanation e = run();
  EXPECT_THAT(had_time, testing::ElementsAre(true));
  EXPECT_FALSE(e.complete);
  EXPECT_GT(e.steps, 0U);
  EXPECT_EQ(e.counterfactuals.size(), 4U);
}

/// Time was short: the walk made room for the refinement, and both were saved. With more time the
/// walk goes on, and finds more to refine. The best set that was ever held is never given up.
TEST_F(DriverTest, OfAShortenedWalkTheRefinementIsNotResumed) {
  std::vector<bool> resumed;
  improve_by([&](SearchContext& context) {
    resumed.push_back(context.state.refinement.has_value());
    const CandidateArchive empty(context.num_inputs());
    context.state.refinement = {{.found = empty, .best = {}, .search = {empty, {}}}, {}};
    context.control.save(context.state);
  });
  ExplainHooks hooks;
  hooks.save_seconds = 0;
  hooks.save = [&](const SavedSearch& search) { hooks.resume = search; };
  run(hooks);
  ASSERT_TRUE(hooks.resume->state().refinement.has_value());
  const std::vector<Candidate> kept = hooks.resume->state().kept;
  EXPECT_EQ(kept.size(), options_.k);
  run(hooks);
  options_.steps = 150;
  run(hooks);
  const std::size_t inputs = evaluator_.inputs().size();
  EXPECT_GE(covered_by(hooks.resume->state().kept, inputs), covered_by(kept, inputs));
  EXPECT_THAT(resumed, testing::ElementsAre(false, true, false));
}

/// A run that is resumed and stopped with less, or comes to its end with less, gives what was kept.
TEST_F(DriverTest, WhatWasKeptIsNotLost) {
  options_.theta = 0.03;
  options_.refine_work = 1;
  const Explanation plain = run();
  const auto early = stopped_at(20);
  ASSERT_TRUE(early);
  options_.refine_work = 50'000;
  std::optional<SavedSearch> saved;
  ExplainHooks hooks;
  hooks.save = [&](const SavedSearch& search) { saved = search; };
  const double most = run(hooks).metrics.coverage;
  ASSERT_GT(most, plain.metrics.coverage);
  options_.refine_work = 1;
  SearchState state = early->state();
  state.kept = saved->state().kept;
  for (const int calls : {1, 10, 1000}) {
    ExplainHooks resumed;
    resumed.resume = SavedSearch(state);
    resumed.progress = [&, call = 0](const ExplainProgress&) mutable { return ++call < calls; };
    resumed.save = hooks.save;
    const Explanation e = run(resumed);
    EXPECT_EQ(e.complete, calls == 1000);
    EXPECT_EQ(e.metrics.coverage, most);
    EXPECT_EQ(saved->state().kept, state.kept);
    EXPECT_TRUE(e.refinement.empty() || e.refinement.back().coverage == most);
  }
  // With a smaller k, the best of it.
  options_.k = 2;
  ExplainHooks resumed;
  resumed.resume = SavedSearch(state);
  resumed.progress = [](const ExplainProgress&) { return false; };
  const Explanation e = run(resumed);
  EXPECT_EQ(e.counterfactuals.size(), 2U);
  EXPECT_GE(e.metrics.coverage, most / 2);
}

TEST_F(DriverTest, WhatItGivesIsAcceptedAllowedAndDifferent) {
  for (options_.seed = 1; options_.seed <= 10; ++options_.seed) {
    options_.refine = options_.seed % 2 == 0;
    const Explanation e = run();
    std::set<Hash128> different;
    for (const Counterfactual& c : e.counterfactuals) {
      EXPECT_GE(c.probability, 0.5);
      EXPECT_TRUE(satisfies(c.graph, options_.constraints));
      EXPECT_TRUE(different.insert(Identity(c.graph).hash()).second);
      EXPECT_GE(c.origin.value(), 100U);
    }
    EXPECT_EQ(e.recourse.size(), evaluator_.inputs().size());
  }
}

TEST_F(DriverTest, NothingToExplainOrTooLittleFoundIsAnError) {
  options_.k = 1000;
  EXPECT_THROW(run(), Error);
  options_.k = 2;
  evaluator_.probability = [](const Graph&) { return 0.1F; };
  EXPECT_THROW(run(), Error);
  EXPECT_THROW(run_search({evaluator_, classifier_, 1, {}, {}, {}}, full(), parts_, pool_), Error);
}

TEST_F(DriverTest, SavesAtTheEndOfTheWalkAtLeast) {
  int saves = 0;
  ExplainHooks hooks;
  hooks.save = [&](const SavedSearch& search) {
    ++saves;
    EXPECT_EQ(search.state().walk.steps, 130U);
  };
  run(hooks);
  EXPECT_EQ(saves, 2) << "at the end of the walk and at that of the refinement";
  saves = 0;
  hooks.save = [&](const SavedSearch&) { ++saves; };
  hooks.save_seconds = 0;
  run(hooks);
  EXPECT_GE(saves, 130);
}

}  // namespace
}  // namespace fewedits
