// SPDX-License-Identifier: MIT
// The local search on edit maps small enough to try every set of graphs.
#include "fewedits/search/improve/refine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <set>

#include "fewedits/cover/greedy.hpp"
#include "fewedits/edit/neighbours.hpp"
#include "support/fake_evaluator.hpp"
#include "support/shared.hpp"

namespace fewedits {
namespace {

using test::FakeEvaluator;

constexpr Label kLabels = 2;
constexpr std::size_t kInputs = 20;

std::size_t covered_by(const std::vector<Candidate>& set) {
  std::set<std::uint32_t> inputs;
  for (const Candidate& c : set) inputs.insert(c.covers.begin(), c.covers.end());
  return inputs.size();
}

class RefineTest : public testing::Test {
 protected:
  RefineTest() : pool_(1), all_(test::all_connected_graphs(3, kLabels)) {
    constraints_.max_nodes = 3;
    options_.work = 1'000'000;
  }

  /// Everything is accepted unless a test says otherwise; each graph covers about a third.
  static FakeEvaluator make_evaluator(std::uint64_t seed) {
    FakeEvaluator evaluator(std::vector<Graph>(kInputs), seed);
    evaluator.probability = [](const Graph&) { return 1.0F; };
    return evaluator;
  }

  [[nodiscard]] Candidate choice(const FakeEvaluator& evaluator, const Graph& g) const {
    const Graph canonical = Identity(g).canonical();
    return {g, evaluator.probability(canonical), evaluator.inputs_within(canonical, options_.theta),
            3, 4};
  }

  std::vector<Candidate> refined(FakeEvaluator& evaluator, const std::vector<Candidate>& chosen,
                                 const std::vector<Candidate>& pool) {
    return refine(chosen, pool, evaluator, constraints_, kLabels, options_, pool_);
  }

  void expect_sound(const FakeEvaluator& evaluator, const std::vector<Candidate>& set,
                    std::size_t k) const {
    EXPECT_LE(set.size(), k);
    std::set<Hash128> different;
    for (const Candidate& c : set) {
      const Identity identity(c.graph);
      EXPECT_EQ(c.covers, evaluator.inputs_within(identity.canonical(), options_.theta));
      EXPECT_EQ(c.probability, evaluator.probability(identity.canonical()));
      EXPECT_TRUE(evaluator.accepts(c.probability));
      EXPECT_TRUE(satisfies(c.graph, constraints_));
      EXPECT_TRUE(different.insert(identity.hash()).second) << "the same graph twice";
    }
  }

  /// The most that k accepted, allowed graphs cover together.
  [[nodiscard]] std::size_t optimum(const FakeEvaluator& evaluator, std::size_t k) const {
    std::vector<std::uint32_t> masks;
    for (const Graph& g : all_) {
      if (!evaluator.accepts(evaluator.probability(g))) continue;
      if (!satisfies(g, constraints_)) continue;
      std::uint32_t mask = 0;
      for (const std::uint32_t i : evaluator.inputs_within(g, options_.theta)) mask |= 1U << i;
      masks.push_back(mask);
    }
    return best_of(masks, 0, 0, k);
  }

  static std::size_t best_of(const std::vector<std::uint32_t>& masks, std::size_t from,
                             std::uint32_t covered, std::size_t k) {
    auto best = static_cast<std::size_t>(std::popcount(covered));
    if (k == 0) return best;
    for (std::size_t i = from; i < masks.size(); ++i) {
      best = std::max(best, best_of(masks, i + 1, covered | masks[i], k - 1));
    }
    return best;
  }

  ThreadPool pool_;
  std::vector<Graph> all_;
  Constraints constraints_;
  RefineOptions options_;
};

TEST_F(RefineTest, NeverLosesAndStaysWithinTheRules) {
  Rng rng(1);
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    FakeEvaluator evaluator = make_evaluator(seed);
    const bool choosy = rng.chance(0.5);
    if (choosy) {
      evaluator.probability = [seed](const Graph& g) {
        return static_cast<float>(FakeEvaluator::random_of(g, 0, seed));
      };
    }
    evaluator.accepted_from = rng.chance(0.5) ? 0.5 : 0.3;
    options_.max_neighbours = rng.chance(0.3) ? 4 : 0;
    options_.work = rng.chance(0.3) ? rng.below(60) : 1'000'000;
    options_.seed = seed;
    constraints_ = {};
    constraints_.max_nodes = 3;
    if (rng.chance(0.3)) constraints_.max_edges = 2;
    if (rng.chance(0.3)) constraints_.min_nodes = 2;
    std::vector<Candidate> legal;
    for (const Graph& g : all_) {
      Candidate c = choice(evaluator, g);
      if (evaluator.accepts(c.probability) && satisfies(g, constraints_)) {
        legal.push_back(std::move(c));
      }
    }
    if (legal.empty()) continue;
    rng.shuffle(std::span(legal));
    const std::size_t k = 1 + rng.below(4);
    const std::vector<Candidate> chosen(
        legal.begin(), legal.begin() + static_cast<std::ptrdiff_t>(std::min(k, legal.size())));
    const std::vector<Candidate> pool(
        legal.begin(), legal.begin() + static_cast<std::ptrdiff_t>(rng.below(legal.size() + 1)));
    const auto set = refined(evaluator, chosen, pool);
    EXPECT_GE(covered_by(set), covered_by(chosen)) << "seed " << seed;
    EXPECT_EQ(set.size(), chosen.size());
    EXPECT_LE(covered_by(set), optimum(evaluator, k));
    expect_sound(evaluator, set, k);
    // The same again.
    const auto again = refined(evaluator, chosen, pool);
    ASSERT_EQ(again.size(), set.size());
    for (std::size_t i = 0; i < set.size(); ++i) {
      EXPECT_EQ(again[i].graph, set[i].graph);
      EXPECT_EQ(again[i].covers, set[i].covers);
    }
  }
}

TEST_F(RefineTest, FindsTheBestGraphOfASmallMap) {
  int best = 0;
  constexpr int kRounds = 60;
  for (std::uint64_t seed = 1; seed <= kRounds; ++seed) {
    FakeEvaluator evaluator = make_evaluator(seed);
    const Candidate worst = [&] {
      std::vector<Candidate> choices;
      for (const Graph& g : all_) choices.push_back(choice(evaluator, g));
      return *std::min_element(choices.begin(), choices.end(), [](const auto& a, const auto& b) {
        return a.covers.size() < b.covers.size();
      });
    }();
    const auto set = refined(evaluator, {worst}, {worst});
    best += covered_by(set) == optimum(evaluator, 1) ? 1 : 0;
  }
  EXPECT_EQ(best, kRounds);
}

TEST_F(RefineTest, IsSeldomFarFromTheBestSet) {
  for (const std::size_t k : {2UL, 3UL}) {
    int best = 0;
    constexpr int kRounds = 60;
    for (std::uint64_t seed = 1; seed <= kRounds; ++seed) {
      FakeEvaluator evaluator = make_evaluator(seed);
      std::vector<Candidate> chosen;
      for (std::size_t i = 0; i < k; ++i) chosen.push_back(choice(evaluator, all_[i]));
      const auto set = refined(evaluator, chosen, chosen);
      const std::size_t most = optimum(evaluator, k);
      best += covered_by(set) == most ? 1 : 0;
      EXPECT_GE(covered_by(set) + 2, most) << "seed " << seed;
    }
    EXPECT_GE(best, kRounds * 2 / 3) << "k = " << k;
  }
}

TEST_F(RefineTest, WhereNothingIsToBeCoveredItEnds) {
  FakeEvaluator evaluator = make_evaluator(4);
  evaluator.how_far = [](const Graph&, std::size_t) { return 1.0; };
  const std::vector<Candidate> chosen{choice(evaluator, all_[0]), choice(evaluator, all_[1])};
  const auto set = refined(evaluator, chosen, chosen);
  ASSERT_EQ(set.size(), 2U);
  EXPECT_EQ(set[0].graph, all_[0]);
  EXPECT_EQ(set[1].graph, all_[1]);
  EXPECT_EQ(set[0].visits, 3U);
  EXPECT_EQ(set[0].origin, 4U);
}

TEST_F(RefineTest, WhereEverythingIsCoveredItStopsLooking) {
  FakeEvaluator evaluator = make_evaluator(5);
  evaluator.how_far = [](const Graph&, std::size_t) { return 0.0; };
  const std::vector<Candidate> chosen{choice(evaluator, all_[0]), choice(evaluator, all_[1])};
  const auto set = refined(evaluator, chosen, chosen);
  EXPECT_EQ(covered_by(set), kInputs);
  EXPECT_EQ(set.size(), 2U);
  EXPECT_EQ(evaluator.evaluated, 0U);
}

TEST_F(RefineTest, NothingGivenIsNothingTaken) {
  FakeEvaluator evaluator = make_evaluator(6);
  EXPECT_TRUE(refined(evaluator, {}, {}).empty());
  EXPECT_TRUE(refined(evaluator, {}, {choice(evaluator, all_[0])}).empty());
}

TEST_F(RefineTest, KeepsToItsWork) {
  FakeEvaluator evaluator = make_evaluator(7);
  const std::vector<Candidate> chosen{choice(evaluator, all_[0]), choice(evaluator, all_[3])};
  std::size_t largest = 0;
  for (const Graph& g : all_) {
    largest = std::max(largest, 1 + neighbours(g, {kLabels, {}}, constraints_).size());
  }
  for (const std::uint64_t work : {0ULL, 1ULL, 10ULL, 50ULL, 200ULL}) {
    options_.work = work;
    evaluator.evaluated = 0;
    const auto set = refined(evaluator, chosen, chosen);
    // The last neighbourhood may go beyond.
    EXPECT_LT(evaluator.evaluated, work == 0 ? 1 : work + largest);
    EXPECT_GE(covered_by(set), covered_by(chosen));
  }
}

TEST_F(RefineTest, AGraphMetBeforeCostsNothing) {
  std::size_t saved = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    FakeEvaluator evaluator = make_evaluator(seed);
    const std::vector<Candidate> chosen{choice(evaluator, all_[0]), choice(evaluator, all_[3])};
    std::vector<std::size_t> evaluated;
    std::vector<std::vector<Candidate>> found;
    std::vector<std::uint64_t> paid;
    for (const std::size_t cache : {std::size_t{0}, std::size_t{2000}, std::size_t{1} << 30}) {
      options_.cache_bytes = cache;
      options_.work = 300;
      evaluator.evaluated = 0;
      paid.push_back(0);
      found.push_back(refine(chosen, chosen, evaluator, constraints_, kLabels, options_, pool_,
                             [&](const ImproveProgress& p) {
                               paid.back() = p.evaluated;
                               return true;
                             }));
      evaluated.push_back(evaluator.evaluated);
    }
    EXPECT_EQ(found[0], found[2]);
    EXPECT_EQ(found[1], found[2]);
    EXPECT_EQ(evaluated[2], paid[2]) << "every neighbourhood once";
    EXPECT_EQ(paid[0], paid[2]) << "whatever the cache forgot";
    EXPECT_GE(evaluated[0], evaluated[1]);
    EXPECT_GE(evaluated[1], evaluated[2]);
    saved += evaluated[0] - evaluated[2];
  }
  EXPECT_GT(saved, 0U);
}

TEST_F(RefineTest, StopsWhenToldTo) {
  FakeEvaluator evaluator = make_evaluator(8);
  const std::vector<Candidate> chosen{choice(evaluator, all_[0]), choice(evaluator, all_[3])};
  for (const int calls : {1, 2, 5, 9}) {
    int asked = 0;
    std::uint64_t before = 0;
    const auto set = refine(chosen, chosen, evaluator, constraints_, kLabels, options_, pool_,
                            [&](const ImproveProgress& p) {
                              EXPECT_GE(p.evaluated, before);
                              EXPECT_EQ(p.work, options_.work);
                              EXPECT_LE(p.covered, kInputs);
                              before = p.evaluated;
                              return ++asked < calls;
                            });
    EXPECT_EQ(asked, calls) << "asked again after a no";
    EXPECT_GE(covered_by(set), covered_by(chosen));
    expect_sound(evaluator, set, 2);
  }
}

TEST_F(RefineTest, WhatIsReportedAsCoveredNeverShrinks) {
  FakeEvaluator evaluator = make_evaluator(9);
  const std::vector<Candidate> chosen{choice(evaluator, all_[0]), choice(evaluator, all_[3])};
  std::size_t most = covered_by(chosen);
  const auto set = refine(chosen, chosen, evaluator, constraints_, kLabels, options_, pool_,
                          [&](const ImproveProgress& p) {
                            EXPECT_GE(p.covered, most);
                            most = std::max(most, p.covered);
                            return true;
                          });
  EXPECT_LE(most, covered_by(set));
}

}  // namespace
}  // namespace fewedits
