// SPDX-License-Identifier: MIT
// What the distance engine answers: against brute force, under every kind of costs, with every
// kind of budget, and on inputs nobody should give it.
#include "support/ged.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <string>

#include "fewedits/base/error.hpp"
#include "fewedits/distance/ged_distance.hpp"
#include "fewedits/ged/batch.hpp"
#include "fewedits/ged/lower_bound.hpp"
#include "fewedits/ged/solver.hpp"
#include "fewedits/graph/identity.hpp"

namespace fewedits {
namespace {

using test::brute_force;
using test::CostKind;
using test::expect_certified;
using test::kCostKinds;
using test::random_costs;
using test::random_part;

constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();

GedOptions with_costs(const EditCosts& costs) {
  return {.costs = costs, .effort = {}, .budget = {}};
}
GedOptions with_work(std::uint64_t work, const EditCosts& costs = {}) {
  return {.costs = costs, .effort = {}, .budget = {.work = work}};
}

Within edit_distance_within(const Graph& a, const Graph& b, std::int64_t limit,
                            const GedOptions& options = {}) {
  return GedSolver(options).within(PreparedGraph(a), PreparedGraph(b), limit);
}

void expect_sound(const Graph& a, const Graph& b, const GedBounds& bounds, std::int64_t distance,
                  const EditCosts& costs = {}) {
  EXPECT_LE(bounds.lower, distance);
  EXPECT_GE(bounds.upper, distance);
  expect_certified(a, b, bounds.map, bounds.upper, costs);
}

/// An answer may be missing, never wrong; what comes with it holds too.
void expect_sound(const Graph& a, const Graph& b, const Within& within, std::int64_t limit,
                  std::int64_t distance, const EditCosts& costs = {}) {
  EXPECT_LE(within.lower, distance);
  EXPECT_GE(within.upper, distance);
  switch (within.answer) {
    case Answer::kYes:
      EXPECT_LE(distance, limit);
      EXPECT_LE(within.upper, limit);
      EXPECT_EQ(within.map.size(), a.num_nodes());
      break;
    case Answer::kNo:
      EXPECT_GT(distance, limit);
      EXPECT_GT(within.lower, limit);
      break;
    case Answer::kUnknown: EXPECT_LE(within.lower, limit); EXPECT_GT(within.upper, limit);
  }
  EXPECT_EQ(within.answer == Answer::kUnknown, within.stage == GedStage::kNone);
  if (!within.map.empty()) expect_certified(a, b, within.map, within.upper, costs);
}

bool same(const GedBounds& x, const GedBounds& y) {
  return x.lower == y.lower && x.upper == y.upper && x.map == y.map;
}
bool same(const Within& x, const Within& y) {
  return x.answer == y.answer && x.stage == y.stage && x.lower == y.lower && x.upper == y.upper &&
         x.map == y.map;
}

Node random_size(Rng& rng, Node least, Node most) {
  return least + static_cast<Node>(rng.below(most - least + 1));
}

struct Pair {
  PreparedGraph a;
  PreparedGraph b;
};

/// Two graphs some edits apart, or two that have nothing to do with each other.
Pair random_pair(Rng& rng, std::size_t least, std::size_t most) {
  Graph a = random_part(rng, least, most);
  Graph b = random_part(rng, least, most);
  if (rng.chance(0.5) && a.num_nodes() > 0) {
    b = a;
    for (std::size_t k = rng.below(6); k > 0; --k) b = test::edited(rng, b, 3);
    b = test::shuffled(rng, b);
  }
  return {PreparedGraph(std::move(a)), PreparedGraph(std::move(b))};
}

class EveryCostKind : public testing::TestWithParam<CostKind> {
 protected:
  [[nodiscard]] Rng rng(std::uint64_t seed) const {
    return Rng(seed, static_cast<std::uint64_t>(GetParam()));
  }
};
using ExactTest = EveryCostKind;
using WithinTest = EveryCostKind;
using BudgetTest = EveryCostKind;

const auto kAllKinds = testing::ValuesIn(kCostKinds);
INSTANTIATE_TEST_SUITE_P(Costs, ExactTest, kAllKinds, test::name_of);
INSTANTIATE_TEST_SUITE_P(Costs, WithinTest, kAllKinds, test::name_of);
INSTANTIATE_TEST_SUITE_P(Costs, BudgetTest, kAllKinds, test::name_of);

// ---- Exact --------------------------------------------------------------------------------

TEST_P(ExactTest, AgreesWithBruteForceOverAllMaps) {
  Rng rng = this->rng(1);
  for (int round = 0; round < 400 && !HasFailure(); ++round) {
    SCOPED_TRACE(round);
    const EditCosts costs = random_costs(rng, GetParam());
    const Graph a = random_part(rng, 0, 6);
    const Graph b = random_part(rng, 0, 6);
    const std::int64_t distance = brute_force(a, b, costs);
    const GedBounds there = edit_distance(a, b, with_costs(costs));
    EXPECT_TRUE(there.exact());
    expect_sound(a, b, there, distance, costs);
    const GedBounds back = edit_distance(b, a, with_costs(test::reversed(costs)));
    EXPECT_TRUE(back.exact());
    EXPECT_EQ(back.upper, distance) << "the way back costs the same";
    const PreparedGraph pa(a);
    const PreparedGraph pb(b);
    expect_sound(a, b, GedSolver(with_costs(costs)).upper(pa, pb), distance, costs);
  }
}

TEST_P(ExactTest, IsProvenWithoutTheHelpOfTheHeuristic) {
  // With no start map, all must come from the tree; with few labels it has many ties.
  Rng rng = this->rng(2);
  for (int round = 0; round < 60 && !HasFailure(); ++round) {
    SCOPED_TRACE(round);
    const EditCosts costs = random_costs(rng, GetParam());
    const Graph a = test::random_graph(rng, random_size(rng, 4, 7), rng.below(6), 2, 2);
    const Graph b = test::random_graph(rng, random_size(rng, 4, 7), rng.below(6), 2, 2);
    const GedBounds found = edit_distance(a, b, {.costs = costs, .effort = {0, 0}, .budget = {}});
    EXPECT_TRUE(found.exact());
    expect_sound(a, b, found, brute_force(a, b, costs), costs);
  }
}

TEST_P(ExactTest, TwinsAreTreatedAlike) {
  // Stars, complete bipartite graphs and scattered nodes are full of interchangeable nodes.
  Rng rng = this->rng(3);
  const auto twins = [&] {
    const auto side = static_cast<Node>(1 + rng.below(3));
    const auto other = static_cast<Node>(1 + rng.below(4));
    std::vector<Edge> edges;
    for (Node u = 0; u < side; ++u) {
      for (Node v = 0; v < other; ++v) {
        if (rng.chance(0.9)) edges.push_back({u, side + v, static_cast<Label>(rng.below(2))});
      }
    }
    std::vector<Label> labels(side + other);
    for (Label& l : labels) l = rng.chance(0.2) ? 1 : 0;
    return test::shuffled(rng, Graph(labels, edges, Graph::EdgeLabels::kPresent));
  };
  for (int round = 0; round < 100 && !HasFailure(); ++round) {
    SCOPED_TRACE(round);
    const EditCosts costs = random_costs(rng, GetParam());
    const Graph a = twins();
    const Graph b = twins();
    const GedBounds found = edit_distance(a, b, {.costs = costs, .effort = {0, 0}, .budget = {}});
    EXPECT_TRUE(found.exact());
    expect_sound(a, b, found, brute_force(a, b, costs), costs);
  }
}

TEST_P(ExactTest, DoesNotDependOnTheOrderOfNodesNorOnTheSeed) {
  Rng rng = this->rng(4);
  for (int round = 0; round < 15 && !HasFailure(); ++round) {
    SCOPED_TRACE(round);
    const EditCosts costs = random_costs(rng, GetParam());
    const Pair p = random_pair(rng, 2, 10);
    const Graph& a = p.a.graph();
    const Graph& b = p.b.graph();
    const GedBounds found = edit_distance(a, b, with_costs(costs));
    ASSERT_TRUE(found.exact());
    GedOptions other = with_costs(costs);
    other.seed = rng.next();
    const GedBounds again = edit_distance(test::shuffled(rng, a), test::shuffled(rng, b), other);
    ASSERT_TRUE(again.exact());
    EXPECT_EQ(again.upper, found.upper);
    for (const std::int64_t limit : {found.upper - 1, found.upper}) {
      EXPECT_EQ(
          edit_distance_within(test::shuffled(rng, a), test::shuffled(rng, b), limit, other).answer,
          limit < found.upper ? Answer::kNo : Answer::kYes);
    }
  }
}

TEST(ExactTest, KnowsTheSmallestCases) {
  const Graph none;
  const Graph one({{0}}, {});
  const Graph other({{1}}, {});
  const EditCosts costs{2, 3, 4, 5, 6, 0};
  EXPECT_EQ(edit_distance(none, none, with_costs(costs)).upper, 0);
  EXPECT_EQ(edit_distance(none, one, with_costs(costs)).upper, 2);
  EXPECT_EQ(edit_distance(one, none, with_costs(costs)).upper, 3);
  EXPECT_EQ(edit_distance(one, one, with_costs(costs)).upper, 0);
  EXPECT_EQ(edit_distance(one, other, with_costs(costs)).upper, 4);
  EXPECT_EQ(edit_distance(one, other, with_costs({1, 1, 9, 1, 1, 0})).upper, 2)
      << "deleted and inserted";
  EXPECT_EQ(edit_distance(none, test::path(3), with_costs(costs)).upper, 3 * 2 + 2 * 5);
  EXPECT_EQ(edit_distance(test::path(3), none, with_costs(costs)).upper, 3 * 3 + 2 * 6);
  EXPECT_EQ(edit_distance(test::star(4), Graph({{0, 0, 0, 0}}, {})).upper, 5)
      << "a node of degree 4";
}

TEST(ExactTest, KnowsTheDistancesOfRegularShapes) {
  EXPECT_EQ(edit_distance(test::path(9), test::cycle(9)).upper, 1);
  EXPECT_EQ(edit_distance(test::cycle(9), test::cycle(10)).upper, 4);
  EXPECT_EQ(edit_distance(test::path(5), test::path(12)).upper, 14);
  EXPECT_EQ(edit_distance(test::complete(6), test::complete(8)).upper, 2 + 13);
  EXPECT_EQ(edit_distance(test::star(6), test::complete(7)).upper, 15);
  // A bond of another kind counts if its cost says so, and is then the cheaper of two ways.
  const Graph single({{0, 0}}, {{Edge{0, 1, 1}}}, Graph::EdgeLabels::kPresent);
  const Graph triple({{0, 0}}, {{Edge{0, 1, 3}}}, Graph::EdgeLabels::kPresent);
  EXPECT_EQ(edit_distance(single, triple).upper, 0);
  EXPECT_EQ(edit_distance(single, triple, with_costs({1, 1, 1, 1, 1, 1})).upper, 1);
  EXPECT_EQ(edit_distance(single, triple, with_costs({1, 1, 1, 1, 1, 9})).upper, 2);
}

TEST(ExactTest, IsAMetricAtUnitCosts) {
  Rng rng(5);
  int equal = 0;
  for (int round = 0; round < 150 && !testing::Test::HasFailure(); ++round) {
    SCOPED_TRACE(round);
    const Graph a = test::random_graph(rng, random_size(rng, 3, 6), rng.below(4), 2);
    Graph b = a;
    for (std::size_t k = rng.below(4); k > 0; --k) b = test::edited(rng, b, 2);
    Graph c = b;
    for (std::size_t k = rng.below(4); k > 0; --k) c = test::edited(rng, c, 2);
    b = test::shuffled(rng, b);
    c = test::shuffled(rng, c);
    const std::int64_t ab = edit_distance(a, b).upper;
    const std::int64_t bc = edit_distance(b, c).upper;
    const std::int64_t ac = edit_distance(a, c).upper;
    EXPECT_EQ(ab == 0, isomorphic(a, b));
    EXPECT_EQ(ac == 0, isomorphic(a, c));
    EXPECT_EQ(ab, edit_distance(b, a).upper);
    EXPECT_LE(ac, ab + bc);
    EXPECT_LE(ab, ac + bc);
    EXPECT_LE(bc, ab + ac);
    equal += ac == 0 ? 1 : 0;
  }
  EXPECT_GT(equal, 3);
}

TEST(ExactTest, KEditsAreADistanceOfAtMostK) {
  Rng rng(6);
  GedSolver solver;
  for (int round = 0; round < 60; ++round) {
    const Graph a = test::random_graph(rng, random_size(rng, 5, 24), 4, 4);
    Graph b = a;
    const auto edits = static_cast<std::int64_t>(rng.below(8));
    for (std::int64_t k = 0; k < edits; ++k) b = test::edited(rng, b, 4);
    const PreparedGraph pa(a);
    const PreparedGraph pb(test::shuffled(rng, b));
    const GedBounds found = solver.exact(pa, pb);
    ASSERT_TRUE(found.exact());
    EXPECT_LE(found.upper, edits) << "round " << round;
    EXPECT_EQ(solver.within(pa, pb, edits).answer, Answer::kYes) << "round " << round;
  }
}

TEST(ExactTest, ScalesWithTheCosts) {
  Rng rng(7);
  for (int round = 0; round < 40; ++round) {
    const EditCosts costs = random_costs(rng, CostKind::kAsymmetric);
    EditCosts scaled = costs;
    for (auto* cost : {&scaled.insert_node, &scaled.delete_node, &scaled.relabel_node,
                       &scaled.insert_edge, &scaled.delete_edge, &scaled.relabel_edge}) {
      *cost *= 111;
    }
    const Pair p = random_pair(rng, 2, 8);
    const GedBounds small = edit_distance(p.a.graph(), p.b.graph(), with_costs(costs));
    const GedBounds large = edit_distance(p.a.graph(), p.b.graph(), with_costs(scaled));
    ASSERT_TRUE(small.exact() && large.exact());
    EXPECT_EQ(large.upper, 111 * small.upper) << "round " << round;
  }
}

// ---- Within -------------------------------------------------------------------------------

TEST_P(WithinTest, AgreesWithTheDistanceAtEveryLimit) {
  Rng rng = this->rng(10);
  std::set<GedStage> stages;
  for (int round = 0; round < 100 && !HasFailure(); ++round) {
    SCOPED_TRACE(round);
    const EditCosts costs = random_costs(rng, GetParam());
    const Pair p = random_pair(rng, 0, round < 70 ? 6 : 11);
    const Graph& a = p.a.graph();
    const Graph& b = p.b.graph();
    GedSolver solver(with_costs(costs));
    const std::int64_t distance =
        round < 70 ? brute_force(a, b, costs) : solver.exact(p.a, p.b).upper;
    for (const std::int64_t limit :
         {std::int64_t{-1}, std::int64_t{0}, distance - 2, distance - 1, distance, distance + 1,
          distance + 2, distance + 5, largest_distance(a, b, costs), kHuge}) {
      SCOPED_TRACE(testing::Message() << "limit " << limit << ", distance " << distance);
      const Within found = solver.within(p.a, p.b, limit);
      EXPECT_EQ(found.answer, distance <= limit ? Answer::kYes : Answer::kNo);
      expect_sound(a, b, found, limit, distance, costs);
      stages.insert(found.stage);
    }
  }
  EXPECT_THAT(stages, testing::Contains(GedStage::kLabels));
  EXPECT_THAT(stages, testing::Contains(GedStage::kHeuristic));
}

TEST_P(WithinTest, AgreesWhenTheTreeMustFindTheMap) {
  Rng rng = this->rng(11);
  int searched = 0;
  for (int round = 0; round < 60 && !HasFailure(); ++round) {
    SCOPED_TRACE(round);
    const EditCosts costs = random_costs(rng, GetParam());
    const Graph a = test::random_graph(rng, random_size(rng, 6, 10), rng.below(9), 2);
    const Graph b = test::random_graph(rng, random_size(rng, 6, 10), rng.below(9), 2);
    const std::int64_t distance = edit_distance(a, b, with_costs(costs)).upper;
    for (std::int64_t limit = std::max<std::int64_t>(0, distance - 1); limit < distance + 5;
         ++limit) {
      SCOPED_TRACE(testing::Message() << "limit " << limit << ", distance " << distance);
      const Within found =
          edit_distance_within(a, b, limit, {.costs = costs, .effort = {0, 0}, .budget = {}});
      EXPECT_EQ(found.answer, distance <= limit ? Answer::kYes : Answer::kNo);
      expect_sound(a, b, found, limit, distance, costs);
      searched += found.stage == GedStage::kSearch ? 1 : 0;
    }
  }
  EXPECT_GT(searched, 5);
}

TEST(WithinTest, NamesItsStages) {
  std::set<std::string> names;
  for (std::size_t s = 0; s < kGedStages; ++s) names.insert(name_of(static_cast<GedStage>(s)));
  EXPECT_EQ(names.size(), kGedStages);
}

TEST(WithinTest, EmptyGraphsAndSingleNodesAreAnswered) {
  EXPECT_EQ(edit_distance_within({}, {}, 0).answer, Answer::kYes);
  EXPECT_EQ(edit_distance_within({}, {}, -1).answer, Answer::kNo);
  const Graph one({{0}}, {});
  EXPECT_EQ(edit_distance_within({}, one, 0).answer, Answer::kNo);
  EXPECT_EQ(edit_distance_within({}, one, 1).answer, Answer::kYes);
  EXPECT_EQ(edit_distance_within(one, one, 0).answer, Answer::kYes);
}

// ---- Budgets ------------------------------------------------------------------------------

TEST_P(BudgetTest, AnyAmountOfWorkGivesTrueBounds) {
  Rng rng = this->rng(20);
  int unproven = 0;
  int undecided = 0;
  for (int round = 0; round < 40 && !HasFailure(); ++round) {
    SCOPED_TRACE(round);
    const EditCosts costs = random_costs(rng, GetParam());
    const PreparedGraph a(test::random_graph(rng, random_size(rng, 5, 8), rng.below(9), 2, 2));
    const PreparedGraph b(test::random_graph(rng, random_size(rng, 5, 8), rng.below(9), 2, 2));
    const std::int64_t distance = GedSolver(with_costs(costs)).exact(a, b).upper;
    // With the heuristic, which mostly finds the distance, or with next to none.
    const MapEffort effort = rng.chance(0.5) ? MapEffort{} : MapEffort{0, 0};
    bool all_known = false;
    for (std::uint64_t work = 0; !all_known && !HasFailure(); work += 1 + work / 10) {
      SCOPED_TRACE(testing::Message() << "work " << work << ", distance " << distance);
      GedSolver solver({.costs = costs, .effort = effort, .budget = {.work = work}});
      const GedBounds bounds = solver.exact(a, b);
      expect_sound(a.graph(), b.graph(), bounds, distance, costs);
      all_known = bounds.exact();
      unproven += bounds.exact() ? 0 : 1;
      for (const std::int64_t limit : {distance - 1, distance, distance + 2}) {
        const Within found = solver.within(a, b, limit);
        expect_sound(a.graph(), b.graph(), found, limit, distance, costs);
        all_known = all_known && found.answer != Answer::kUnknown;
        undecided += found.answer == Answer::kUnknown ? 1 : 0;
      }
    }
  }
  EXPECT_GT(unproven, 0);
  EXPECT_GT(undecided, 0);
}

TEST(BudgetTest, MoreWorkNeverTellsLess) {
  Rng rng(21);
  int proven = 0;
  for (int round = 0; round < 20; ++round) {
    const Graph a = test::random_graph(rng, 12, 8, 1);
    const Graph b = test::random_graph(rng, 12, 8, 1);
    bool solved = false;
    for (std::uint64_t work = 64; work <= (1U << 20U); work *= 4) {
      const GedBounds bounds = edit_distance(a, b, with_work(work));
      EXPECT_TRUE(!solved || bounds.exact()) << "round " << round << " work " << work;
      solved = bounds.exact();
    }
    proven += solved ? 1 : 0;
  }
  EXPECT_GT(proven, 15);
}

TEST(BudgetTest, TimeLimitsAreKeptAndOddOnesUnderstood) {
  Rng rng(22);
  const Graph a = test::random_graph(rng, 9, 6, 2);
  const Graph b = test::random_graph(rng, 9, 6, 2);
  const std::int64_t distance = edit_distance(a, b).upper;
  const auto limited = [&](double milliseconds) {
    return edit_distance(a, b,
                         {.costs = {}, .effort = {0, 0}, .budget = {.milliseconds = milliseconds}});
  };
  for (const double none : {0.0, -1.0, -std::numeric_limits<double>::infinity()}) {
    expect_sound(a, b, limited(none), distance);
    EXPECT_FALSE(limited(none).exact()) << none;
  }
  // A limit that is never reached is no limit, however it is written.
  for (const double ample : {1e6, 1e9, 1e12, 1e13, 1e14, 9e14, 1e15, 1e18, 1e300,
                             std::numeric_limits<double>::infinity()}) {
    EXPECT_TRUE(limited(ample).exact()) << ample << " ms";
    EXPECT_EQ(limited(ample).upper, distance) << ample << " ms";
  }
}

TEST(BudgetTest, AnswersDoNotDependOnThePairsBefore) {
  Rng rng(23);
  std::vector<Pair> pairs;
  for (int i = 0; i < 40; ++i) pairs.push_back(random_pair(rng, 0, i % 4 == 0 ? 40 : 14));
  for (const std::uint64_t work : {0U, 500U, 20'000U}) {
    for (const EditCosts& costs : {EditCosts{}, EditCosts{1, 2, 5, 1, 1, 1}}) {
      GedSolver used(with_work(work, costs));
      for (int step = 0; step < 120; ++step) {
        const Pair& p = pairs[rng.below(pairs.size())];
        GedSolver fresh(with_work(work, costs));
        switch (rng.below(4)) {
          case 0: EXPECT_TRUE(same(used.exact(p.a, p.b), fresh.exact(p.a, p.b))); break;
          case 1: EXPECT_TRUE(same(used.upper(p.a, p.b), fresh.upper(p.a, p.b))); break;
          case 2: {
            const auto limit = static_cast<std::int64_t>(rng.below(12));
            EXPECT_TRUE(same(used.within(p.a, p.b, limit), fresh.within(p.a, p.b, limit)));
            break;
          }
          default:
            EXPECT_EQ(used.lower(p.a, p.b, LowerStrength::kDual),
                      fresh.lower(p.a, p.b, LowerStrength::kDual));
        }
      }
    }
  }
}

TEST(SolverTest, RefusesCostsOutOfRange) {
  for (const EditCosts& bad : {EditCosts{-1, 1, 1, 1, 1, 0}, EditCosts{1, 1, 1001, 1, 1, 0},
                               EditCosts{1, 1, 1, 1, 1, -7}}) {
    EXPECT_THROW(GedSolver(with_costs(bad)), Error);
    EXPECT_THROW(static_cast<void>(edit_distance({}, {}, with_costs(bad))), Error);
    EXPECT_THROW(static_cast<void>(edit_distance_within({}, {}, 1, with_costs(bad))), Error);
    EXPECT_THROW(GedIndex({}, bad), Error);
    ThreadPool pool(1);
    EXPECT_THROW(GedDistance({}, {.ged = with_costs(bad)}, pool), Error);
  }
}

TEST(SolverTest, CanBeMoved) {
  const PreparedGraph a(test::path(4));
  const PreparedGraph b(test::star(3));
  GedSolver first;
  EXPECT_EQ(first.exact(a, b).upper, 2);
  GedSolver second(std::move(first));
  EXPECT_EQ(second.exact(a, b).upper, 2);
}

// ---- Large and odd inputs -----------------------------------------------------------------

struct Odd {
  const char* name;
  Graph a;
  Graph b;
  std::int64_t least;  ///< the distance at unit costs, or what it is at least
  std::int64_t most;
};

std::vector<Odd> odd_pairs() {
  Rng rng(50);
  const Graph sparse = test::random_graph(rng, 500, 50, 4);
  Graph near = sparse;
  for (int k = 0; k < 9; ++k) near = test::edited(rng, near, 4);
  const Graph scattered(std::vector<Label>(500, 0), {});
  const Graph one({{0}}, {});
  const Graph dense = test::random_graph(rng, 50, 800, 2);
  return {{"sparse and near", sparse, test::shuffled(rng, near), 0, 9},
          {"sparse and sparse", sparse, test::random_graph(rng, 500, 60, 4), 1, 1100},
          {"path and cycle", test::path(500), test::cycle(500), 1, 1},
          {"path and star", test::path(500), test::star(499), 994, 994},
          {"star and cycle", test::star(499), test::cycle(500), 995, 995},
          {"path and longer path", test::path(499), test::path(500), 2, 2},
          {"one and path", one, test::path(500), 998, 998},
          {"star and one", test::star(499), one, 998, 998},
          {"none and path", {}, test::path(500), 999, 999},
          {"scattered and path", scattered, test::path(500), 499, 499},
          {"complete ones", test::complete(40), test::complete(60), 1010, 1010},
          {"complete and star", test::complete(60), test::star(59), 1711, 1711},
          {"complete and large star", test::complete(40), test::star(499), 1661, 1661},
          {"dense ones", dense, test::random_graph(rng, 50, 800, 2), 1, 1500}};
}

/// Everything the solver can be asked about a pair, with next to no budget.
void expect_survives(const Odd& odd, const EditCosts& costs, std::int64_t least,
                     std::int64_t most) {
  SCOPED_TRACE(odd.name);
  const PreparedGraph a(odd.a);
  const PreparedGraph b(odd.b);
  GedSolver solver(
      {.costs = costs, .effort = {1, 2}, .budget = {.work = 1000, .milliseconds = 50}});
  EXPECT_LE(solver.lower(a, b, LowerStrength::kDual), most);
  for (const GedBounds& found : {solver.upper(a, b), solver.exact(a, b)}) {
    EXPECT_GE(found.lower, 0);
    EXPECT_LE(found.lower, most);
    EXPECT_GE(found.upper, least);
    EXPECT_LE(found.upper, largest_distance(odd.a, odd.b, costs));
    expect_certified(odd.a, odd.b, found.map, found.upper, costs);
  }
  for (const double theta : {0.0, 0.1, 1.0}) {
    const std::int64_t limit = distance_limit(theta, odd.a, odd.b, costs);
    const Within found = solver.within(a, b, limit);
    if (limit < least) {
      EXPECT_NE(found.answer, Answer::kYes);
    }
    if (limit >= most) {
      EXPECT_NE(found.answer, Answer::kNo);
    }
    EXPECT_LE(found.lower, most);
    EXPECT_GE(found.upper, least);
    if (!found.map.empty()) expect_certified(odd.a, odd.b, found.map, found.upper, costs);
  }
}

TEST(OddInputTest, LargePairsWithASmallBudget) {
  for (const Odd& odd : odd_pairs()) {
    const auto begin = std::chrono::steady_clock::now();
    expect_survives(odd, {}, odd.least, odd.most);
    // The budget covers the search, not the heuristic; still this is a matter of milliseconds,
    // or of seconds under a sanitizer.
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30)) << odd.name;
  }
}

TEST(OddInputTest, LargestCosts) {
  const EditCosts dear{1000, 1000, 1000, 1000, 1000, 0};
  for (const Odd& odd : odd_pairs()) {
    expect_survives(odd, dear, 1000 * odd.least, 1000 * odd.most);
  }
}

TEST(OddInputTest, CostsAtTheirLimits) {
  Rng rng(51);
  const std::vector<Odd> pairs{
      {"sparse", test::random_graph(rng, 90, 9, 3, 3), test::random_graph(rng, 80, 9, 3, 3), 0, 0},
      {"star", test::star(120), test::cycle(100), 0, 0},
      {"dense", test::random_graph(rng, 25, 200, 2, 2), test::complete(30), 0, 0}};
  for (std::uint32_t mask = 0; mask < 64; ++mask) {
    SCOPED_TRACE(testing::Message() << "costs " << mask);
    const auto cost = [&](std::uint32_t bit) { return (mask >> bit & 1U) != 0 ? 1000 : 0; };
    const EditCosts costs{cost(0), cost(1), cost(2), cost(3), cost(4), cost(5)};
    for (const Odd& odd : pairs) {
      expect_survives(odd, costs, 0, largest_distance(odd.a, odd.b, costs));
    }
  }
}

TEST(OddInputTest, NothingCostsAnything) {
  const EditCosts free{0, 0, 0, 0, 0, 0};
  const GedBounds found = edit_distance(test::star(5), test::cycle(7), with_costs(free));
  EXPECT_TRUE(found.exact());
  EXPECT_EQ(found.upper, 0);
  EXPECT_EQ(edit_distance_within(test::star(5), {}, 0, with_costs(free)).answer, Answer::kYes);
  EXPECT_EQ(distance_limit(0.5, test::star(5), test::cycle(7), free), 0);
}

// ---- Many pairs ---------------------------------------------------------------------------

/// Molecules of few sizes, so that groups have several members; also an empty graph.
std::vector<Graph> random_set(Rng& rng, std::size_t count) {
  std::vector<Graph> graphs{Graph{}};
  while (graphs.size() < count) {
    const Graph g = test::random_graph(rng, random_size(rng, 1, 9), rng.below(3), 2);
    graphs.push_back(g);
    if (graphs.size() < count) graphs.push_back(test::shuffled(rng, test::edited(rng, g, 2)));
  }
  return graphs;
}

struct Batch {
  std::vector<PairAnswer> answers;
  BatchStatistics statistics;
};

Batch run_batch(std::span<const PreparedGraph> queries, const GedIndex& index, double theta,
                const GedOptions& options, int threads) {
  ThreadPool pool(threads);
  Batch batch;
  batch.statistics = within_theta(queries, index, theta, options, pool,
                                  [&](const PairAnswer& p) { batch.answers.push_back(p); });
  return batch;
}

class BatchTest : public testing::Test {
 protected:
  BatchTest()
      : queries_(prepare_graphs(random_set(rng_, 70), pool_)),
        targets_(prepare_graphs(random_set(rng_, 50), pool_)) {}

  Rng rng_{30};
  ThreadPool pool_{2};
  std::vector<PreparedGraph> queries_;
  std::vector<PreparedGraph> targets_;
};

TEST_F(BatchTest, EqualsAPlainDoubleLoop) {
  for (const EditCosts& costs : {EditCosts{}, EditCosts{2, 1, 4, 1, 1, 0}}) {
    const GedIndex index(targets_, costs);
    GedSolver solver(with_costs(costs));
    for (const double theta : {0.0, 0.1, 0.25, 1.0}) {
      SCOPED_TRACE(theta);
      const Batch batch = run_batch(queries_, index, theta, with_costs(costs), 2);
      auto next = batch.answers.begin();
      std::uint64_t yes = 0;
      for (std::uint32_t q = 0; q < queries_.size(); ++q) {
        const auto candidates = index.candidates(queries_[q], theta);
        EXPECT_TRUE(std::is_sorted(candidates.begin(), candidates.end()));
        for (std::uint32_t t = 0; t < targets_.size(); ++t) {
          const std::int64_t limit =
              distance_limit(theta, queries_[q].graph(), targets_[t].graph(), costs);
          const Within expected = solver.within(queries_[q], targets_[t], limit);
          ASSERT_NE(expected.answer, Answer::kUnknown);
          yes += expected.answer == Answer::kYes ? 1 : 0;
          const bool is_candidate = std::binary_search(candidates.begin(), candidates.end(), t);
          const bool kept = next != batch.answers.end() && next->query == q && next->target == t;
          ASSERT_EQ(kept, is_candidate);
          ASSERT_EQ(kept, expected.stage != GedStage::kLabels || expected.answer == Answer::kYes)
              << "a group is left out by labels alone";
          if (kept) {
            EXPECT_TRUE(same(next++->within, expected));
          }
        }
      }
      EXPECT_EQ(next, batch.answers.end());
      const BatchStatistics& s = batch.statistics;
      EXPECT_EQ(s.pairs(), queries_.size() * targets_.size());
      EXPECT_EQ(std::accumulate(s.yes.begin(), s.yes.end(), std::uint64_t{0}), yes);
      EXPECT_EQ(s.unknown, 0U);
      EXPECT_EQ(s.untouched, s.pairs() - batch.answers.size());
      EXPECT_GE(s.no[static_cast<std::size_t>(GedStage::kLabels)], s.untouched);
      if (theta == 1.0) {
        EXPECT_EQ(yes, s.pairs()) << "everything is within one";
      }
    }
  }
}

TEST_F(BatchTest, ThreadsDoNotChangeAnything) {
  const GedIndex index(targets_);
  for (const std::uint64_t work : {std::uint64_t{0}, std::uint64_t{400}, GedBudget::kUnlimited}) {
    const Batch one = run_batch(queries_, index, 0.2, with_work(work), 1);
    const Batch three = run_batch(queries_, index, 0.2, with_work(work), 3);
    ASSERT_EQ(one.answers.size(), three.answers.size());
    for (std::size_t i = 0; i < one.answers.size(); ++i) {
      ASSERT_EQ(one.answers[i].query, three.answers[i].query);
      ASSERT_EQ(one.answers[i].target, three.answers[i].target);
      ASSERT_TRUE(same(one.answers[i].within, three.answers[i].within)) << i;
    }
    EXPECT_EQ(one.statistics.yes, three.statistics.yes);
    EXPECT_EQ(one.statistics.no, three.statistics.no);
    EXPECT_EQ(one.statistics.unknown, three.statistics.unknown);
    EXPECT_EQ(one.statistics.untouched, three.statistics.untouched);
  }
}

TEST_F(BatchTest, StopsWhenAsked) {
  const GedIndex index(targets_);
  std::vector<std::size_t> told;
  std::set<std::uint32_t> seen;
  const auto statistics = within_theta(
      queries_, index, 1.0, {}, pool_, [&](const PairAnswer& p) { seen.insert(p.query); },
      [&](std::size_t done) {
        told.push_back(done);
        return true;
      });
  ASSERT_EQ(told.size(), 1U);
  EXPECT_GE(told[0], 1U);
  EXPECT_LT(told[0], queries_.size());
  EXPECT_EQ(seen.size(), told[0]) << "what is left out was not begun";
  EXPECT_EQ(statistics.pairs(), told[0] * targets_.size());
  told.clear();
  const auto all = within_theta(
      queries_, index, 0.0, {}, pool_, [](const PairAnswer&) {},
      [&](std::size_t done) {
        told.push_back(done);
        return false;
      });
  EXPECT_EQ(told.back(), queries_.size());
  EXPECT_EQ(all.pairs(), queries_.size() * targets_.size());
}

TEST_F(BatchTest, NothingAgainstNothing) {
  const GedIndex index(targets_);
  const GedIndex empty({});
  EXPECT_EQ(run_batch({}, index, 0.1, {}, 2).statistics.pairs(), 0U);
  EXPECT_EQ(run_batch(queries_, empty, 0.1, {}, 2).statistics.pairs(), 0U);
  EXPECT_TRUE(empty.candidates(queries_[3], 1.0).empty());
}

TEST_F(BatchTest, RefusesThetaOutOfRange) {
  const GedIndex index(targets_);
  for (const double theta : {-0.1, 1.1, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THROW(static_cast<void>(run_batch(queries_, index, theta, {}, 3)), Error) << theta;
  }
}

TEST_F(BatchTest, StatisticsAddUp) {
  BatchStatistics a;
  a.add(Within{{}, Answer::kYes, GedStage::kHeuristic});
  a.add(Within{{}, Answer::kNo, GedStage::kDual});
  BatchStatistics b;
  b.add(Within{});
  b.add(a);
  b.add(a);
  EXPECT_EQ(b.pairs(), 5U);
  EXPECT_EQ(b.unknown, 1U);
  EXPECT_EQ(b.yes[static_cast<std::size_t>(GedStage::kHeuristic)], 2U);
  EXPECT_EQ(b.no[static_cast<std::size_t>(GedStage::kDual)], 2U);
}

// ---- The common interface -----------------------------------------------------------------

class GedDistanceTest : public testing::Test {
 protected:
  GedDistanceTest() : graphs_(random_set(rng_, 16)) {
    for (std::uint32_t a = 0; a < graphs_.size(); ++a) {
      for (std::uint32_t b = 0; b < graphs_.size(); ++b) {
        pairs_.push_back({a, b});
        exact_.push_back(edit_distance(graphs_[a], graphs_[b]).upper);
      }
    }
  }

  static void expect_same(const Measure& x, const Measure& y) {
    EXPECT_EQ(x.distance, y.distance);
    EXPECT_EQ(x.normalized, y.normalized);
    EXPECT_EQ(x.lower, y.lower);
    EXPECT_EQ(x.upper, y.upper);
    EXPECT_EQ(x.status, y.status);
    EXPECT_EQ(x.map, y.map);
    EXPECT_EQ(x.stage, y.stage);
  }

  /// Measures all pairs and checks what holds whatever the method.
  std::vector<Measure> measure(const GedDistanceOptions& options) {
    GedDistance distance(graphs_, options, pool_);
    std::vector<Measure> out(pairs_.size());
    std::vector<Measure> again(pairs_.size());
    distance.measure(pairs_, out, pool_);
    distance.measure(pairs_, again, pool_);
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      SCOPED_TRACE(i);
      const Graph& a = graphs_[pairs_[i].a];
      const Graph& b = graphs_[pairs_[i].b];
      const Measure& m = out[i];
      EXPECT_TRUE(m.done);
      expect_same(m, again[i]);
      const auto truth = static_cast<double>(exact_[i]);
      EXPECT_LE(m.lower, truth);
      EXPECT_GE(m.upper, truth);
      EXPECT_GE(m.distance, m.lower);
      EXPECT_LE(m.distance, m.upper);
      EXPECT_GE(m.normalized, 0.0);
      EXPECT_LE(m.normalized, 1.0);
      EXPECT_EQ(m.normalized, normalized_distance(static_cast<std::int64_t>(m.distance), a, b));
      if (m.status == PairStatus::kExact) {
        EXPECT_EQ(m.lower, m.upper);
        EXPECT_EQ(m.distance, truth);
      }
      if (!m.map.empty()) {
        expect_certified(a, b, m.map, static_cast<std::int64_t>(m.upper), {});
      }
    }
    return out;
  }

  Rng rng_{40};
  ThreadPool pool_{2};
  std::vector<Graph> graphs_;
  std::vector<GraphPair> pairs_;
  std::vector<std::int64_t> exact_;
};

TEST_F(GedDistanceTest, LowerIsTheDualBound) {
  for (const Measure& m : measure({.method = GedMethod::kLower, .ged = {}})) {
    EXPECT_EQ(m.distance, m.lower);
    EXPECT_EQ(m.status == PairStatus::kExact, m.lower == m.upper);
    EXPECT_TRUE(m.status == PairStatus::kExact || m.status == PairStatus::kBounds);
  }
}

TEST_F(GedDistanceTest, UpperIsAMap) {
  for (const Measure& m : measure({.method = GedMethod::kUpper, .ged = {}})) {
    EXPECT_EQ(m.distance, m.upper);
    EXPECT_EQ(m.status == PairStatus::kExact, m.lower == m.upper);
    EXPECT_TRUE(m.status == PairStatus::kExact || m.status == PairStatus::kBounds);
  }
}

TEST_F(GedDistanceTest, ExactSaysWhetherItIs) {
  for (const Measure& m : measure({.method = GedMethod::kExact, .ged = {}})) {
    EXPECT_EQ(m.status, PairStatus::kExact);
    EXPECT_EQ(m.distance, m.upper);
  }
  for (const Measure& m : measure({.method = GedMethod::kExact, .ged = with_work(0)})) {
    EXPECT_EQ(m.distance, m.upper);
    EXPECT_EQ(m.status == PairStatus::kExact, m.lower == m.upper);
  }
}

TEST_F(GedDistanceTest, WithinAnswersTheQuestion) {
  for (const double theta : {0.0, 0.1, 0.3, 1.0}) {
    const auto measured = measure({.method = GedMethod::kWithin, .ged = {}, .theta = theta});
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      const Measure& m = measured[i];
      const std::int64_t limit = distance_limit(theta, graphs_[pairs_[i].a], graphs_[pairs_[i].b]);
      EXPECT_EQ(m.status, exact_[i] <= limit ? PairStatus::kYes : PairStatus::kNo) << i;
      EXPECT_EQ(m.distance, m.status == PairStatus::kYes ? m.upper : m.lower);
      EXPECT_EQ(m.distance <= static_cast<double>(limit), m.status == PairStatus::kYes);
    }
  }
}

TEST_F(GedDistanceTest, WithoutWorkSomeQuestionsStayOpen) {
  std::size_t open = 0;
  const GedOptions hasty{.costs = {}, .effort = {0, 0}, .budget = {.work = 0}};
  for (const double theta : {0.1, 0.2, 0.3}) {
    for (const Measure& m : measure({.method = GedMethod::kWithin, .ged = hasty, .theta = theta})) {
      if (m.status != PairStatus::kUnknown) continue;
      EXPECT_EQ(m.distance, m.upper);
      EXPECT_LT(m.lower, m.upper);
      ++open;
    }
  }
  EXPECT_GT(open, 10U);
}

TEST_F(GedDistanceTest, MapsComeWithTheMethodsThatMakeThem) {
  for (const GedMethod method : {GedMethod::kUpper, GedMethod::kExact}) {
    GedDistance distance(graphs_, {.method = method, .ged = {}}, pool_);
    std::vector<Measure> out(pairs_.size());
    distance.measure(pairs_, out, pool_);
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      EXPECT_EQ(out[i].map.size(), graphs_[pairs_[i].a].num_nodes());
    }
  }
}

TEST_F(GedDistanceTest, ThreadsDoNotChangeAnything) {
  ThreadPool one(1);
  ThreadPool three(3);
  for (const GedMethod method :
       {GedMethod::kLower, GedMethod::kUpper, GedMethod::kExact, GedMethod::kWithin}) {
    GedDistance distance(graphs_, {.method = method, .ged = with_work(300)}, one);
    std::vector<Measure> x(pairs_.size());
    std::vector<Measure> y(pairs_.size());
    distance.measure(pairs_, x, one);
    distance.measure(pairs_, y, three);
    for (std::size_t i = 0; i < pairs_.size() && !HasFailure(); ++i) expect_same(x[i], y[i]);
  }
}

TEST_F(GedDistanceTest, StoppedItSaysWhichPairsAreDone) {
  ThreadPool one(1);
  GedDistance distance(graphs_, {.method = GedMethod::kExact, .ged = {}}, one);
  std::vector<Measure> out(pairs_.size());
  std::size_t calls = 0;
  distance.measure(pairs_, out, one, [&](std::size_t done, std::size_t total) {
    EXPECT_EQ(done, ++calls);
    EXPECT_EQ(total, pairs_.size());
    return calls < 20;
  });
  EXPECT_EQ(calls, 20U);
  EXPECT_EQ(std::count_if(out.begin(), out.end(), [](const Measure& m) { return m.done; }), 20);
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    if (out[i].done) {
      EXPECT_EQ(out[i].distance, static_cast<double>(exact_[i]));
    }
  }
}

TEST_F(GedDistanceTest, RowsAreUpperEndsAndRightAboutTheta) {
  for (const double theta : {0.05, 0.2}) {
    GedDistance distance(graphs_, {.method = GedMethod::kExact, .ged = {}, .theta = theta}, pool_);
    const auto rows = distance.rows(graphs_, pool_);
    std::vector<Measure> measured(pairs_.size());
    distance.measure(pairs_, measured, pool_);
    ASSERT_EQ(rows.size(), graphs_.size());
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      const double row = rows[pairs_[i].a].at(pairs_[i].b);
      EXPECT_GE(row, measured[i].normalized) << i;
      EXPECT_LE(row, 1) << i;
      // Graphs this small leave nothing open.
      EXPECT_EQ(row <= theta, measured[i].normalized <= theta) << i;
    }
  }
}

TEST_F(GedDistanceTest, RefusesThetaOutOfRange) {
  for (const double theta : {-0.1, 1.1, std::numeric_limits<double>::quiet_NaN()}) {
    const auto ask = [&] {
      GedDistance distance(graphs_, {.method = GedMethod::kWithin, .ged = {}, .theta = theta},
                           pool_);
      std::vector<Measure> out(pairs_.size());
      distance.measure(pairs_, out, pool_);
    };
    EXPECT_THROW(ask(), Error) << theta;
  }
}

TEST_F(GedDistanceTest, NamesWhatIsKnown) {
  std::set<std::string_view> names;
  for (const PairStatus status : {PairStatus::kExact, PairStatus::kBounds, PairStatus::kYes,
                                  PairStatus::kNo, PairStatus::kUnknown}) {
    names.insert(name_of(status));
  }
  EXPECT_EQ(names.size(), 5U);
}

}  // namespace
}  // namespace fewedits
