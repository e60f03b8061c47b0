// SPDX-License-Identifier: MIT
// The stages in a row, on made-up models: stopped anywhere and resumed, the same explanation.
#include "gcfx/explain/explainer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "gcfx/base/error.hpp"
#include "support/fake_evaluator.hpp"
#include "support/shared.hpp"

namespace gcfx {
namespace {

using test::FakeEvaluator;

class ExplainerTest : public testing::Test {
 protected:
  ExplainerTest() : pool_(1), evaluator_(test::all_connected_graphs(3, 2)) {
    options_.k = 4;
    options_.steps = 130;
    options_.candidates = 8;
    options_.refine_work = 500;
    options_.constraints.max_nodes = 4;
  }

  Explanation run(const ExplainHooks& hooks = {}) {
    std::vector<std::uint32_t> indices(evaluator_.inputs().size());
    std::iota(indices.begin(), indices.end(), 100U);
    return run_explainer({evaluator_, 2, indices, {}, {}, {}}, options_, pool_, hooks);
  }

  /// Stopped at that call of the progress hook; what was saved last.
  std::optional<SearchState> stopped_at(int call, std::optional<SearchState> from = {}) {
    std::optional<SearchState> saved;
    ExplainHooks hooks;
    hooks.resume = std::move(from);
    hooks.progress = [&, calls = 0](const ExplainProgress&) mutable { return ++calls < call; };
    hooks.save = [&](const SearchState& state) { saved = state; };
    try {
      const Explanation e = run(hooks);
      if (e.complete) return std::nullopt;
      EXPECT_GT(e.counterfactuals.size(), 0U);
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("0 counterfactuals"));
    }
    return saved;
  }

  Explanation resumed(const SearchState& state) {
    ExplainHooks hooks;
    hooks.resume = state;
    return run(hooks);
  }

  ThreadPool pool_;
  FakeEvaluator evaluator_;
  ExplainOptions options_;
};

TEST_F(ExplainerTest, WhereverItIsStoppedItGoesOnToTheSameExplanation) {
  for (const std::uint64_t patience : {0UL, 40UL}) {
    for (const bool forgetful : {false, true}) {
      evaluator_.forgetful = forgetful;
      options_.patience = patience;
      const Explanation expected = run();
      EXPECT_TRUE(expected.complete);
      EXPECT_EQ(expected.steps<options_.steps, patience> 0);
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
      std::optional<SearchState> state = stopped_at(9);
      SearchState last;
      while (state) {
        last = *state;
        state = last.walk.steps < expected.steps ? stopped_at(9, last) : std::nullopt;
      }
      EXPECT_EQ(resumed(last), expected);
    }
  }
}

TEST_F(ExplainerTest, TheTraceTellsHowItWent) {
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

TEST_F(ExplainerTest, WhatItGivesIsAcceptedAllowedAndDifferent) {
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

TEST_F(ExplainerTest, NothingToExplainOrTooLittleFoundIsAnError) {
  options_.k = 1000;
  EXPECT_THROW(run(), Error);
  options_.k = 2;
  evaluator_.probability = [](const Graph&) { return 0.1F; };
  EXPECT_THROW(run(), Error);
  EXPECT_THROW(run_explainer({evaluator_, 2, {}, {}, {}, {}}, options_, pool_), Error);
}

TEST_F(ExplainerTest, SavesAtTheEndOfTheWalkAtLeast) {
  int saves = 0;
  ExplainHooks hooks;
  hooks.save = [&](const SearchState& state) {
    ++saves;
    EXPECT_EQ(state.walk.steps, 130U);
  };
  run(hooks);
  EXPECT_EQ(saves, 1);
  saves = 0;
  hooks.save = [&](const SearchState&) { ++saves; };
  hooks.save_seconds = 0;
  run(hooks);
  EXPECT_GE(saves, 130);
}

}  // namespace
}  // namespace gcfx
