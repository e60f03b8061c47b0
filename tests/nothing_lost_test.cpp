// SPDX-License-Identifier: MIT
// What a search holds when it is stopped, wherever that is, is what the explanation says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "fewedits/base/error.hpp"
#include "fewedits/extend.hpp"
#include "fewedits/proof/packed_maps.hpp"
#include "fewedits/search/run_file.hpp"
#include "fewedits/search/state.hpp"
#include "fewedits/synthetic/generator.hpp"
#include "support/fake_classifier.hpp"
#include "support/shared.hpp"
#include "support/stop_watch.hpp"

namespace fewedits {
namespace {

// ---- Maps in few bytes

NodeMap random_map(Rng& rng, Node nodes, Node images) {
  NodeMap out(nodes);
  for (Node& v : out) v = rng.chance(0.2) ? kUnmatched : static_cast<Node>(rng.below(images));
  return out;
}

TEST(PackedMapsTest, GiveBackWhatWasSetInWhateverOrderAndWidth) {
  Rng rng(3);
  for (int round = 0; round < 50; ++round) {
    const auto nodes = static_cast<Node>(rng.below(9));
    PackedMaps packed(nodes);
    std::map<std::uint32_t, NodeMap> plain;
    for (int i = 0; i < 40; ++i) {
      const auto graph = static_cast<std::uint32_t>(rng.below(30));
      constexpr std::array<Node, 5> kImages{10, 255, 256, 65'536, 1U << 30};
      const NodeMap map =
          random_map(rng, nodes, kImages[rng.below(1 + static_cast<std::uint64_t>(i) / 8)]);
      packed.set(graph, map);
      plain[graph] = map;
    }
    ASSERT_EQ(packed.size(), plain.size());
    std::size_t place = 0;
    for (const auto& [graph, map] : plain) {
      EXPECT_TRUE(packed.has(graph));
      EXPECT_EQ(packed.graphs()[place], graph);
      EXPECT_EQ(packed.at(place++), map);
    }
    EXPECT_FALSE(packed.has(30));
    const auto images = packed.images();
    const auto graphs = packed.graphs();
    EXPECT_EQ(PackedMaps(nodes, {graphs.begin(), graphs.end()}, packed.width(),
                         {images.begin(), images.end()}),
              packed);
  }
}

TEST(PackedMapsTest, FollowOtherNumbersAndFillGapsOnly) {
  PackedMaps maps(3);
  maps.set(5, NodeMap{7, kUnmatched, 300});
  const PackedMaps renumbered = maps.renumbered(std::vector<Node>{2, 0, 1});
  EXPECT_EQ(renumbered.at(0), (NodeMap{kUnmatched, 300, 7}));
  PackedMaps others(3);
  others.set(5, NodeMap{0, 1, 2});
  others.set(9, NodeMap{0, 1, 2});
  maps.add_missing(others);
  EXPECT_EQ(maps.at(0), (NodeMap{7, kUnmatched, 300}));
  EXPECT_EQ(maps.at(1), (NodeMap{0, 1, 2}));
}

// ---- A search that is stopped

/// The model accepts graphs of 25 nodes and more.
class NothingLostTest : public testing::Test {
 protected:
  NothingLostTest()
      : pool_(2),
        data_(prepare(generate({.graphs = 150, .seed = 8, .undesired_share = 0.5, .threads = 1}),
                      generated_metadata())),
        model_(data_.node_labels.size(), 2, [](const Graph& g) {
          const double yes = 1 / (1 + std::exp(24.5 - g.num_nodes()));
          return std::vector{1 - yes, yes};
        }) {
    options_.k = 5;
    options_.bonds = false;  // with them, there is no walk
    options_.steps = 1000;
    options_.refine_work = 30'000'000;
    graphs_ = rejected_graphs(data_, model_, pool_);
  }

  Explanation run(const ExplainHooks& hooks) {
    return explain(data_, model_, graphs_, options_, pool_, hooks, builtin_parts());
  }

  /// Share of the inputs that the members which a saved run holds cover.
  [[nodiscard]] double held(const SavedSearch& saved) const {
    const auto& refinement = saved.state().refinement;
    if (!refinement) return 0;
    const CertifiedSearchState& s = refinement->search;
    const std::size_t most =
        std::max(s.found.covered(s.best), s.search.archive.covered(s.search.incumbent));
    return static_cast<double>(most) / static_cast<double>(graphs_.rejected.size());
  }

  ThreadPool pool_;
  Dataset data_;
  test::FakeClassifier model_;
  RejectedGraphs graphs_;
  ExplainOptions options_;
};

TEST_F(NothingLostTest, WhereverItIsStoppedTheFileSaysWhatTheSearchHeld) {
  std::size_t calls = 0;
  std::size_t steps = 0;
  ExplainHooks counting;
  counting.progress = [&](const ExplainProgress& p) {
    steps += p.stage == ExplainProgress::Stage::kWalk ? 1 : 0;
    return ++calls > 0;
  };
  const Explanation whole = run(counting);
  ASSERT_GT(whole.metrics.coverage, 0.05);
  Rng rng(2);
  double most = 0;
  for (int round = 0; round < 12; ++round) {
    const std::size_t stop = steps + 2 + rng.below(calls - steps);
    std::optional<SavedSearch> saved;
    double told = 0;
    ExplainHooks hooks;
    hooks.save_seconds = 0;
    hooks.save = [&](const SavedSearch& search) { saved = search; };
    hooks.progress = [&, call = std::size_t{0}](const ExplainProgress& p) mutable {
      if (p.stage == ExplainProgress::Stage::kRefine) told = std::max(told, *p.coverage);
      return ++call < stop;
    };
    const Explanation e = run(hooks);
    EXPECT_GE(e.metrics.coverage, told) << "stopped at " << stop << " of " << calls;
    ASSERT_TRUE(saved);
    EXPECT_GE(e.metrics.coverage, held(*saved));
    EXPECT_LE(e.metrics.coverage, *e.metrics.coverage_upper);
    most = std::max(most, told);
    // What was held is in the file of the run, too.
    const RunFile file{{}, *saved};
    const RunFile again = parse_run_file(run_file_bytes(file), "run", graphs_.rejected.size(),
                                         data_.node_labels.size());
    EXPECT_EQ(held(again.search), held(*saved));
    ExplainHooks resumed;
    resumed.resume = again.search;
    resumed.progress = [](const ExplainProgress&) { return false; };
    EXPECT_GE(run(resumed).metrics.coverage, held(*saved)) << "resumed and stopped at once";
  }
  EXPECT_GT(most, 0.05) << "nothing was held when it was stopped";
}

TEST_F(NothingLostTest, ARunThatIsResumedMayAskForMoreOrFewer) {
  std::optional<SavedSearch> saved;
  ExplainHooks hooks;
  hooks.save_seconds = 0;
  hooks.save = [&](const SavedSearch& search) { saved = search; };
  std::size_t rounds = 0;
  hooks.progress = [&](const ExplainProgress& p) {
    const bool is_saved = saved && saved->state().refinement;
    return p.stage != ExplainProgress::Stage::kRefine || !is_saved || ++rounds < 100;
  };
  const double before = run(hooks).metrics.coverage;
  ASSERT_TRUE(saved && saved->state().refinement);
  ExplainHooks resumed;
  resumed.resume = saved;
  resumed.progress = [](const ExplainProgress&) { return false; };
  options_.fill = true;
  double covered = 0;
  for (const std::size_t k : std::vector<std::size_t>{1, 3, 8}) {
    options_.k = k;
    const Explanation e = run(resumed);
    EXPECT_EQ(e.counterfactuals.size(), k);
    EXPECT_GT(e.metrics.coverage, covered);
    covered = e.metrics.coverage;
  }
  EXPECT_GE(covered, before) << "eight cover no less than five";
}

TEST_F(NothingLostTest, CtrlCWhileARunIsRestoredIsHeardWhateverTheTimeLimit) {
  std::optional<SavedSearch> saved;
  ExplainHooks hooks;
  hooks.save_seconds = 0;
  hooks.save = [&](const SavedSearch& search) { saved = search; };
  hooks.progress = [&](const ExplainProgress&) { return !saved || !saved->state().refinement; };
  run(hooks);
  ASSERT_TRUE(saved && saved->state().refinement);
  // It would go on for hours.
  options_.refine_work = 1'000'000'000'000;
  options_.time_limit = 10'000;
  StopSign asked;
  Parts parts = builtin_parts();
  parts.sources = Registry<SourceKind>("method");
  SourceKind walk = builtin_parts().sources.at("gcf");
  walk.make = [&asked, make = walk.make] {
    asked.set();
    return make();
  };
  parts.sources.add("gcf", walk);
  ExplainHooks resumed;
  resumed.resume = saved;
  resumed.stop = &asked;
  const test::StopWatch watch;
  const Explanation e = explain(data_, model_, graphs_, options_, pool_, resumed, parts);
  EXPECT_LT(watch.seconds(), test::kEndOfCtrlC);
  EXPECT_EQ(e.ended, RunEnd::kInterrupted);
  EXPECT_GE(e.metrics.coverage, held(*saved));
  EXPECT_GT(e.metrics.coverage, 0);
}

TEST_F(NothingLostTest, AWalkThatOnlySuppliesStartsLeavesMostOfTheTime) {
  options_.steps = 1'000'000'000;
  options_.refine_work = 1'000'000'000'000;
  options_.time_limit = 4 * test::kSlowness;
  double last_step = 0;
  std::size_t rounds = 0;
  ExplainHooks hooks;
  const test::StopWatch watch;
  hooks.progress = [&](const ExplainProgress& p) {
    if (p.stage == ExplainProgress::Stage::kWalk) last_step = watch.seconds();
    if (p.stage == ExplainProgress::Stage::kRefine) ++rounds;
    return true;
  };
  const Explanation e = run(hooks);
  EXPECT_LT(last_step, 0.5 * options_.time_limit);
  EXPECT_GT(rounds, 0U);
  EXPECT_EQ(e.ended, RunEnd::kTimeLimit);
}

TEST_F(NothingLostTest, WhoFindsNothingInTimeIsToldHowFarItCame) {
  options_.steps = 1'000'000'000;
  options_.time_limit = 1;
  const test::FakeClassifier never(data_.node_labels.size(), 2, [](const Graph&) {
    return std::vector{0.9, 0.1};
  });
  EXPECT_THAT([&] { explain(data_, never, graphs_, options_, pool_, {}, builtin_parts()); },
              testing::ThrowsMessage<Error>(
                  testing::AllOf(testing::HasSubstr("time was up after"),
                                 testing::HasSubstr("of 1,000,000,000 steps of the walk"))));
}

TEST_F(NothingLostTest, ASearchThatGainsNothingEndsAndSaysSo) {
  options_.refine_work = 400'000'000;
  options_.patience = 0.02;
  std::uint64_t work = 0;
  ExplainHooks hooks;
  hooks.progress = [&](const ExplainProgress& p) {
    if (p.stage == ExplainProgress::Stage::kRefine) work = p.done;
    return true;
  };
  const Explanation e = run(hooks);
  EXPECT_EQ(e.ended, RunEnd::kConverged);
  EXPECT_TRUE(e.complete);
  EXPECT_LT(e.metrics.coverage, 1);
  EXPECT_LT(work, 200'000'000U);
}

TEST_F(NothingLostTest, ASearchThatCoversEverythingEndsAndSaysSo) {
  options_.theta = 0.6;
  options_.refine_work = 1'000'000'000'000;
  const Explanation e = run({});
  EXPECT_EQ(e.ended, RunEnd::kAllCovered);
  EXPECT_TRUE(e.complete);
  EXPECT_EQ(e.metrics.coverage, 1);
  EXPECT_EQ(e.metrics.coverage_upper, 1);
}

TEST_F(NothingLostTest, WhatAddsNothingIsListedOnRequestOnly) {
  options_.k = 40;
  const Explanation e = run({});
  EXPECT_LT(e.counterfactuals.size(), 40U);
  for (const Counterfactual& c : e.counterfactuals) EXPECT_GT(c.gain, 0U);
  options_.fill = true;
  const Explanation filled = run({});
  EXPECT_GT(filled.counterfactuals.size(), e.counterfactuals.size());
  EXPECT_EQ(filled.counterfactuals.back().gain, 0U);
  EXPECT_EQ(filled.metrics.coverage, e.metrics.coverage);
}

TEST_F(NothingLostTest, ALimitThatIsOverBeforeTheSearchIsSaid) {
  options_.time_limit = 1;
  ExplainHooks hooks;
  hooks.started -= std::chrono::seconds(2);
  EXPECT_THAT([&] { run(hooks); }, testing::ThrowsMessage<Error>(
                                       testing::HasSubstr("was over before the search began")));
}

TEST_F(NothingLostTest, EverythingInTheArchiveHasItsMap) {
  std::optional<SavedSearch> saved;
  ExplainHooks hooks;
  hooks.save_seconds = 0;
  hooks.save = [&](const SavedSearch& search) { saved = search; };
  run(hooks);
  ASSERT_TRUE(saved && saved->state().refinement);
  const CandidateArchive& archive = saved->state().refinement->search.search.archive;
  ASSERT_GT(archive.size(), 20U);
  for (std::size_t c = 0; c < archive.size(); ++c) {
    const Candidate& candidate = archive[c];
    ASSERT_TRUE(std::ranges::equal(candidate.maps.graphs(), candidate.covers));
    for (std::size_t i = 0; i < candidate.maps.size(); ++i) {
      const Graph input = data_.graphs[graphs_.rejected[candidate.covers[i]]].without_edge_labels();
      const NodeMap map = candidate.maps.at(i);
      ASSERT_TRUE(is_node_map(candidate.graph, input, map));
      EXPECT_LE(induced_cost(candidate.graph, input, map),
                distance_limit(kEditTheta, candidate.graph, input));
    }
  }
}

}  // namespace
}  // namespace fewedits
