// SPDX-License-Identifier: MIT
// The parts of the distance engine by themselves: lower bounds, dual ascent, local search.
#include <gtest/gtest.h>

#include <numeric>

#include "fewedits/ged/dual_bound.hpp"
#include "fewedits/ged/lower_bound.hpp"
#include "fewedits/ged/map_search.hpp"
#include "fewedits/ged/solver.hpp"
#include "support/ged.hpp"

namespace fewedits {
namespace {

using test::BruteForce;
using test::CostKind;
using test::kCostKinds;
using test::random_costs;
using test::random_part;

class EveryCostKind : public testing::TestWithParam<CostKind> {
 protected:
  EditCosts costs(Rng& rng) const { return random_costs(rng, GetParam()); }
};
using LowerBoundTest = EveryCostKind;
using DualBoundTest = EveryCostKind;
using MapSearchTest = EveryCostKind;

const auto kAllKinds = testing::ValuesIn(kCostKinds);
INSTANTIATE_TEST_SUITE_P(Costs, LowerBoundTest, kAllKinds, test::name_of);
INSTANTIATE_TEST_SUITE_P(Costs, DualBoundTest, kAllKinds, test::name_of);
INSTANTIATE_TEST_SUITE_P(Costs, MapSearchTest, kAllKinds, test::name_of);

// ---- Prepared graphs ----------------------------------------------------------------------

TEST(PreparedGraphTest, CountsWhatTheBoundsLookAt) {
  const PreparedGraph g(Graph({{7, 2, 7, 2, 2}}, {{Edge{0, 1, 4}, Edge{0, 2, 1}, Edge{0, 3, 4}}},
                              Graph::EdgeLabels::kPresent));
  EXPECT_EQ(g.profile().nodes, 5U);
  EXPECT_EQ(g.profile().edges, 3U);
  EXPECT_EQ(g.profile().labels, (LabelTally{{2, 3}, {7, 2}}));
  EXPECT_EQ(g.profile().edge_labels, (LabelTally{{1, 1}, {4, 2}}));
  EXPECT_EQ(g.profile().degree_above, (std::vector<std::uint32_t>{4, 1, 1}));
  const PreparedGraph none{Graph{}};
  EXPECT_EQ(none.profile().nodes, 0U);
  EXPECT_TRUE(none.profile().labels.empty());
}

TEST(PreparedGraphTest, ReverseEdgesAndTwinsAreWhatTheySay) {
  Rng rng(11);
  int twins = 0;
  for (int round = 0; round < 100; ++round) {
    const Graph g = random_part(rng, 1, 12);
    const PreparedGraph prepared(g);
    const auto reverse = prepared.reverse_edge();
    for (Node u = 0; u < g.num_nodes(); ++u) {
      for (std::uint32_t e = g.offsets()[u]; e < g.offsets()[u + 1]; ++e) {
        const Node v = g.targets()[e];
        ASSERT_EQ(g.targets()[reverse[e]], u);
        ASSERT_GE(reverse[e], g.offsets()[v]);
        ASSERT_LT(reverse[e], g.offsets()[v + 1]);
      }
      for (Node v = 0; v < u; ++v) {
        // Exchanging two nodes: the same graph again?
        std::vector<Node> position(g.num_nodes());
        std::iota(position.begin(), position.end(), Node{0});
        std::swap(position[u], position[v]);
        const auto alike = [&](const Graph& h) {
          return !h.has_edge(u, v) && h.permuted(position) == h;
        };
        const auto twin = prepared.twin(false);
        const auto labelled = prepared.twin(true);
        ASSERT_EQ(twin[u] == twin[v], alike(g.without_edge_labels())) << u << " and " << v;
        ASSERT_EQ(labelled[u] == labelled[v], alike(g)) << u << " and " << v;
        twins += alike(g) ? 1 : 0;
      }
      ASSERT_LE(prepared.twin(false)[u], u);
    }
  }
  EXPECT_GT(twins, 20);
}

// ---- Lower bounds -------------------------------------------------------------------------

/// Checks the chain of bounds and returns its strongest member.
std::int64_t strongest_bound(const PreparedGraph& a, const PreparedGraph& b,
                             const EditCosts& costs) {
  const std::int64_t size = size_bound(a.profile(), b.profile(), costs);
  const std::int64_t label = label_bound(a.profile(), b.profile(), costs);
  const std::int64_t degree = degree_bound(a.profile(), b.profile(), costs);
  const std::int64_t branch = branch_bound(a, b, costs);
  GedSolver solver({.costs = costs, .effort = {}, .budget = {}});
  EXPECT_GE(size, 0);
  EXPECT_LE(size, label);
  EXPECT_LE(label, degree);
  EXPECT_LE(degree, branch);
  EXPECT_EQ(solver.lower(a, b, LowerStrength::kLabels), label);
  EXPECT_EQ(solver.lower(a, b, LowerStrength::kDegrees), degree);
  EXPECT_EQ(solver.lower(a, b, LowerStrength::kBranches), branch);
  const std::int64_t dual = solver.lower(a, b, LowerStrength::kDual);
  EXPECT_LE(branch, dual);
  return dual;
}

TEST_P(LowerBoundTest, EachIsAtLeastTheOneBeforeAndNonePassesTheDistance) {
  Rng rng(1, static_cast<std::uint64_t>(GetParam()));
  for (int round = 0; round < 150 && !HasFailure(); ++round) {
    SCOPED_TRACE(round);
    const EditCosts c = costs(rng);
    const PreparedGraph a(random_part(rng, 0, 6));
    const PreparedGraph b(random_part(rng, 0, 6));
    EXPECT_LE(strongest_bound(a, b, c), test::brute_force(a.graph(), b.graph(), c));
  }
}

TEST_P(LowerBoundTest, NoMapOfLargerGraphsCostsLess) {
  Rng rng(2, static_cast<std::uint64_t>(GetParam()));
  for (int round = 0; round < 40 && !HasFailure(); ++round) {
    SCOPED_TRACE(round);
    const EditCosts c = costs(rng);
    const Graph first = random_part(rng, 2, 14);
    const Graph second = rng.chance(0.5) ? random_part(rng, 2, 14)
                                         : test::shuffled(rng, test::edited(rng, first, 3));
    const PreparedGraph a(first);
    const PreparedGraph b(second);
    GedSolver solver({.costs = c, .effort = {}, .budget = {.work = 20'000}});
    const GedBounds upper = solver.upper(a, b);
    const GedBounds exact = solver.exact(a, b);
    EXPECT_LE(upper.lower, exact.lower);
    EXPECT_LE(exact.lower, exact.upper);
    EXPECT_LE(exact.upper, upper.upper);
    EXPECT_LE(strongest_bound(a, b, c), exact.upper);
    test::expect_certified(first, second, upper.map, upper.upper, c);
    test::expect_certified(first, second, exact.map, exact.upper, c);
  }
}

TEST(LowerBoundTest, ShowWhatTheyLookAt) {
  // Same labels, same numbers of nodes and edges: only the degrees tell a star from a path.
  const PreparedGraph star(test::star(3));
  const PreparedGraph path(test::path(4));
  EXPECT_EQ(label_bound(star.profile(), path.profile(), {}), 0);
  EXPECT_EQ(degree_bound(star.profile(), path.profile(), {}), 2);
  EXPECT_EQ(size_bound(star.profile(), path.profile(), {}), 0);
  // Labels alone differ.
  const PreparedGraph other(test::path(4, 1));
  EXPECT_EQ(size_bound(path.profile(), other.profile(), {}), 0);
  EXPECT_EQ(label_bound(path.profile(), other.profile(), {}), 4);
  // Same counts, but each label at another degree: only the branches tell.
  const PreparedGraph inner(Graph({{0, 1, 0}}, {{Edge{0, 1}, Edge{1, 2}}}));
  const PreparedGraph outer(Graph({{1, 0, 0}}, {{Edge{0, 1}, Edge{1, 2}}}));
  EXPECT_EQ(degree_bound(inner.profile(), outer.profile(), {}), 0);
  EXPECT_GT(branch_bound(inner, outer, {}), 0);
}

// ---- Dual ascent --------------------------------------------------------------------------

/// The least cost of maps over open pairs. Rows must be the first graph's nodes.
std::optional<std::int64_t> best_over(const DualBound& dual, const MatchProblem& problem,
                                      const EditCosts& costs) {
  const BruteForce search(problem.rows(), problem.columns(), costs, [&](Node i, Node u) {
    return u == kUnmatched ? dual.skip_is_open(i) : dual.is_open(i, u);
  });
  return search.best();
}

TEST_P(DualBoundTest, NeverFallsAndNeverPassesTheDistance) {
  Rng rng(3, static_cast<std::uint64_t>(GetParam()));
  DualBound dual;  // one for all: nothing of the last pair may stay
  for (int round = 0; round < 100 && !HasFailure(); ++round) {
    SCOPED_TRACE(round);
    const EditCosts c = costs(rng);
    const PreparedGraph a(random_part(rng, 0, 6));
    const PreparedGraph b(random_part(rng, 0, 6));
    const MatchProblem problem(a, b, c);
    const std::int64_t distance = test::brute_force(a.graph(), b.graph(), c);
    ASSERT_TRUE(dual.bind(problem));
    ASSERT_EQ(dual.evaluate(), DualBound::Outcome::kBounded);
    EXPECT_EQ(std::max(dual.bound(), degree_bound(a.profile(), b.profile(), c)),
              branch_bound(a, b, c))
        << "equal shares give the branch bound";
    for (int sweep = 0; sweep < 30; ++sweep) {
      const std::int64_t before = dual.scaled_bound();
      dual.improve();
      ASSERT_EQ(dual.evaluate(), DualBound::Outcome::kBounded);
      EXPECT_GE(dual.scaled_bound(), before) << "sweep " << sweep;
      EXPECT_LE(dual.bound(), distance) << "sweep " << sweep;
    }
    const std::int64_t grain = dual.scaled_grain();
    EXPECT_EQ(dual.bound(), (dual.scaled_bound() + grain - 1) / grain * problem.grain());
  }
}

TEST_P(DualBoundTest, NeverFallsOnLargerGraphs) {
  Rng rng(4, static_cast<std::uint64_t>(GetParam()));
  DualBound dual;
  for (int round = 0; round < 6; ++round) {
    const EditCosts c = costs(rng);
    const PreparedGraph a(random_part(rng, 10, 30));
    const PreparedGraph b(random_part(rng, 10, 30));
    const MatchProblem problem(a, b, c);
    const std::int64_t upper =
        GedSolver({.costs = c, .effort = {}, .budget = {}}).upper(a, b).upper;
    ASSERT_TRUE(dual.bind(problem));
    ASSERT_EQ(dual.evaluate(), DualBound::Outcome::kBounded);
    for (int sweep = 0; sweep < 60; ++sweep) {
      const std::int64_t before = dual.scaled_bound();
      dual.improve();
      ASSERT_EQ(dual.evaluate(), DualBound::Outcome::kBounded);
      ASSERT_GE(dual.scaled_bound(), before) << "round " << round << " sweep " << sweep;
      ASSERT_LE(dual.bound(), upper) << "round " << round << " sweep " << sweep;
    }
  }
}

/// Closes pairs at random, and now and then forces one.
void close_some(Rng& rng, DualBound& dual, const MatchProblem& problem, double share) {
  for (Node i = 0; i < problem.num_rows(); ++i) {
    for (Node u = 0; u < problem.num_columns(); ++u) {
      if (rng.chance(share)) dual.close(i, u);
    }
    if (rng.chance(share)) dual.close_skip(i);
  }
  if (rng.chance(0.3) && problem.num_rows() > 0) {
    const auto column = static_cast<std::int32_t>(rng.below(problem.num_columns()));
    dual.force(rng.below(problem.num_rows()), rng.chance(0.2) ? kSkipped : column);
  }
}

TEST_P(DualBoundTest, BoundsTheMapsOverOpenPairs) {
  Rng rng(5, static_cast<std::uint64_t>(GetParam()));
  DualBound dual;
  int infeasible = 0;
  for (int round = 0; round < 150 && !HasFailure(); ++round) {
    SCOPED_TRACE(round);
    const EditCosts c = costs(rng);
    const PreparedGraph a(random_part(rng, 1, 5));
    const PreparedGraph b(random_part(rng, a.graph().num_nodes(), 6));
    const MatchProblem problem(a, b, c);
    ASSERT_TRUE(dual.bind(problem));
    for (int step = 0; step < 8; ++step) {
      const auto best = best_over(dual, problem, c);
      ASSERT_EQ(dual.evaluate(),
                best.has_value() ? DualBound::Outcome::kBounded : DualBound::Outcome::kInfeasible)
          << "step " << step;
      if (!best) {
        ++infeasible;
        break;
      }
      ASSERT_LE(dual.bound(), *best) << "step " << step;
      for (int sweep = 0; sweep < 3; ++sweep) {
        dual.improve();
        ASSERT_EQ(dual.evaluate(), DualBound::Outcome::kBounded);
        ASSERT_LE(dual.bound(), *best) << "step " << step << " sweep " << sweep;
      }
      close_some(rng, dual, problem, 0.15);
    }
  }
  EXPECT_GT(infeasible, 20);
}

TEST_P(DualBoundTest, ClosesNoPairThatAGoodEnoughMapUses) {
  Rng rng(6, static_cast<std::uint64_t>(GetParam()));
  DualBound dual;
  int closed = 0;
  for (int round = 0; round < 60 && !HasFailure(); ++round) {
    SCOPED_TRACE(round);
    const EditCosts c = costs(rng);
    const PreparedGraph a(random_part(rng, 1, 4));
    const PreparedGraph b(random_part(rng, a.graph().num_nodes(), 5));
    const MatchProblem problem(a, b, c);
    ASSERT_TRUE(dual.bind(problem));
    if (rng.chance(0.5)) close_some(rng, dual, problem, 0.1);
    for (int sweep = 0; sweep < 4; ++sweep) {
      if (dual.evaluate() != DualBound::Outcome::kBounded) break;
      const auto best = best_over(dual, problem, c);
      ASSERT_TRUE(best.has_value());
      const std::int64_t limit = *best + static_cast<std::int64_t>(rng.below(4));
      const DualBound before = dual;
      dual.close_hopeless(limit);
      const auto open = [&](const DualBound& d, Node i, Node u) {
        return u == kUnmatched ? d.skip_is_open(i) : d.is_open(i, u);
      };
      for (Node i = 0; i < problem.num_rows(); ++i) {
        for (Node u = 0; u <= problem.num_columns(); ++u) {
          const Node image = u == problem.num_columns() ? kUnmatched : u;
          if (open(dual, i, image)) {
            EXPECT_TRUE(open(before, i, image));
            continue;
          }
          if (!open(before, i, image)) continue;
          ++closed;
          const BruteForce with(problem.rows(), problem.columns(), c, [&](Node j, Node v) {
            return (j != i || v == image) && open(before, j, v);
          });
          if (with.best()) {
            EXPECT_GT(*with.best(), limit) << i << " on " << image;
          }
        }
      }
      dual.improve();
    }
  }
  EXPECT_GT(closed, 20);
}

TEST(DualBoundTest, ValuesKeptFromBeforeAreRight) {
  Rng rng(17);
  int compared = 0;
  for (int round = 0; round < 50; ++round) {
    const PreparedGraph a(test::random_graph(rng, 8, 4, 3));
    const PreparedGraph b(test::random_graph(rng, 9, 4, 3));
    const MatchProblem problem(a, b, {});
    DualBound dual;
    ASSERT_TRUE(dual.bind(problem));
    ASSERT_EQ(dual.evaluate(), DualBound::Outcome::kBounded);
    for (int step = 0; step < 12; ++step) {
      if (rng.chance(0.3)) dual.improve();
      dual.close(rng.below(8), rng.below(9));
      const auto kept = dual.evaluate();
      const std::int64_t bound = dual.scaled_bound();
      // A domain put back without its shares is valued anew throughout.
      DualBound::State state;
      dual.save(state, false);
      dual.restore(state);
      ASSERT_EQ(dual.evaluate(), kept);
      if (kept != DualBound::Outcome::kBounded) break;
      EXPECT_EQ(dual.scaled_bound(), bound) << "round " << round << " step " << step;
      ++compared;
    }
  }
  EXPECT_GT(compared, 300);
}

TEST(DualBoundTest, DomainAndSharesComeBack) {
  Rng rng(7);
  const EditCosts dear{1, 1, 5, 1, 1, 0};  // rows may be skipped
  const PreparedGraph a(test::random_graph(rng, 6, 3, 3));
  const PreparedGraph b(test::random_graph(rng, 7, 3, 3));
  const MatchProblem problem(a, b, dear);
  DualBound dual;
  ASSERT_TRUE(dual.bind(problem));
  ASSERT_EQ(dual.evaluate(), DualBound::Outcome::kBounded);
  dual.improve();
  dual.close(2, 3);
  dual.close_skip(4);
  ASSERT_EQ(dual.evaluate(), DualBound::Outcome::kBounded);
  const std::int64_t before = dual.scaled_bound();
  DualBound::State all;
  dual.save(all, true);
  DualBound::State domain_only;
  dual.save(domain_only, false);
  dual.force(0, 0);
  dual.force(1, kSkipped);
  EXPECT_FALSE(dual.is_open(0, 1));
  EXPECT_FALSE(dual.is_open(1, 1));
  EXPECT_FALSE(dual.is_open(2, 0));
  EXPECT_FALSE(dual.skip_is_open(0));
  EXPECT_TRUE(dual.skip_is_open(1));
  EXPECT_TRUE(dual.is_open(0, 0));
  for (int sweep = 0; sweep < 5; ++sweep) {
    ASSERT_EQ(dual.evaluate(), DualBound::Outcome::kBounded);
    dual.improve();
  }
  dual.restore(domain_only);
  ASSERT_EQ(dual.evaluate(), DualBound::Outcome::kBounded);
  dual.restore(all);
  ASSERT_EQ(dual.evaluate(), DualBound::Outcome::kBounded);
  EXPECT_EQ(dual.scaled_bound(), before);
  EXPECT_FALSE(dual.is_open(2, 3));
  EXPECT_FALSE(dual.skip_is_open(4));
  EXPECT_TRUE(dual.is_open(2, 0));
}

TEST(DualBoundTest, RefusesWhatDoesNotFitItsMemory) {
  const PreparedGraph large(test::path(4200));
  const PreparedGraph small(test::path(5));
  DualBound dual;
  const MatchProblem too_large(large, large, {});
  EXPECT_FALSE(dual.bind(too_large));
  const MatchProblem fine(small, large, {});
  EXPECT_TRUE(dual.bind(fine));
}

TEST(DualBoundTest, FindsTheOnlyMapHoweverDear) {
  // Row i may go to columns i and i+1, the last one to column 0 alone: everyone must move up,
  // which at the largest costs takes a path as long as the assignment will ever see.
  constexpr Node kNodes = 250;
  std::vector<Label> labels(kNodes);
  std::iota(labels.begin(), labels.end(), Label{0});
  const PreparedGraph g(Graph(labels, {}));
  const EditCosts costs{1000, 1000, 1000, 1000, 1000, 0};
  const MatchProblem problem(g, g, costs);
  DualBound dual;
  ASSERT_TRUE(dual.bind(problem));
  for (Node i = 0; i < kNodes; ++i) {
    for (Node u = 0; u < kNodes; ++u) {
      const bool open = i + 1 == kNodes ? u == 0 : u == i || u == i + 1;
      if (!open) dual.close(i, u);
    }
  }
  ASSERT_EQ(dual.evaluate(), DualBound::Outcome::kBounded);
  EXPECT_EQ(dual.bound(), 1000 * kNodes);
}

// ---- Local search -------------------------------------------------------------------------

/// Swapping two rows' columns, moving a row to a free column and leaving one out gain nothing.
void expect_local_optimum(const MatchProblem& problem, const MapSearch& search) {
  std::vector<std::int32_t> map(search.best().begin(), search.best().end());
  std::vector<bool> taken(problem.num_columns(), false);
  for (const std::int32_t u : map) {
    if (u != kSkipped) taken[static_cast<std::size_t>(u)] = true;
  }
  for (std::size_t i = 0; i < map.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      std::swap(map[i], map[j]);
      ASSERT_GE(problem.cost(map), search.best_cost()) << "rows " << i << " and " << j;
      std::swap(map[i], map[j]);
    }
    const std::int32_t now = map[i];
    for (std::size_t u = 0; u < problem.num_columns(); ++u) {
      if (taken[u]) continue;
      map[i] = static_cast<std::int32_t>(u);
      ASSERT_GE(problem.cost(map), search.best_cost()) << "row " << i << " to " << u;
    }
    map[i] = kSkipped;
    ASSERT_GE(problem.cost(map), search.best_cost()) << "without row " << i;
    map[i] = now;
  }
}

void expect_kept_costs_true(const Graph& a, const Graph& b, const MatchProblem& problem,
                            const MapSearch& search, const EditCosts& costs) {
  ASSERT_EQ(search.best().size(), problem.num_rows());
  const NodeMap map = problem.node_map(search.best());
  ASSERT_TRUE(is_node_map(a, b, map));
  ASSERT_EQ(induced_cost(a, b, map, costs), search.best_cost());
  ASSERT_EQ(problem.cost(search.best()), search.best_cost());
}

TEST_P(MapSearchTest, KeepsItsCostUpToDate) {
  Rng rng(8, static_cast<std::uint64_t>(GetParam()));
  MapSearch search;
  Assignment assignment;
  // Rows of one, two and three words, with and without padding.
  for (const auto& [na, nb] : {std::pair{0U, 3U},
                               {1U, 1U},
                               {5U, 7U},
                               {20U, 20U},
                               {31U, 33U},
                               {64U, 30U},
                               {30U, 65U},
                               {66U, 64U},
                               {129U, 100U}}) {
    SCOPED_TRACE(testing::Message() << na << " and " << nb << " nodes");
    const EditCosts c = costs(rng);
    const Label edge_labels = rng.chance(0.7) ? 3 : 0;
    const Graph first = test::random_graph(rng, na, na / 3, 3, edge_labels);
    const Graph second = test::random_graph(rng, nb, nb / 2, 3, rng.chance(0.7) ? 2 : 0);
    const PreparedGraph a(first);
    const PreparedGraph b(second);
    const MatchProblem problem(a, b, c);
    search.bind(problem);
    ASSERT_LE(search.best_cost(), problem.total() * problem.grain());
    expect_kept_costs_true(first, second, problem, search, c);
    for (int start = 0; start < MapSearch::kStarts; ++start) {
      search.start(start, assignment);
      expect_kept_costs_true(first, second, problem, search, c);
      for (int batch = 0; batch < 5; ++batch) {
        search.kick(4, 0, rng);
        expect_kept_costs_true(first, second, problem, search, c);
      }
    }
    const std::vector<std::int32_t> best(search.best().begin(), search.best().end());
    search.start_from(best);
    ASSERT_NO_FATAL_FAILURE(expect_local_optimum(problem, search));
  }
}

TEST_P(MapSearchTest, NeverEndsWorseThanTheMapItStartsFrom) {
  Rng rng(9, static_cast<std::uint64_t>(GetParam()));
  MapSearch search;
  for (int round = 0; round < 60; ++round) {
    const EditCosts c = costs(rng);
    const PreparedGraph a(random_part(rng, 1, 20));
    const PreparedGraph b(random_part(rng, 1, 80));
    const MatchProblem problem(a, b, c);
    search.bind(problem);
    // A random map, in places undefined.
    const auto order = test::random_permutation(rng, static_cast<Node>(problem.num_columns()));
    std::vector<std::int32_t> map(problem.num_rows(), kSkipped);
    for (std::size_t i = 0; i < map.size(); ++i) {
      if (rng.chance(0.8)) map[i] = static_cast<std::int32_t>(order[i]);
    }
    search.start_from(map);
    ASSERT_LE(search.best_cost(), problem.cost(map)) << "round " << round;
    expect_kept_costs_true(a.graph(), b.graph(), problem, search, c);
  }
}

TEST(MapSearchTest, StopsAtItsGoal) {
  Rng rng(10);
  const Graph g = test::random_graph(rng, 25, 5, 3);
  const PreparedGraph a(g);
  const PreparedGraph b(test::shuffled(rng, g));
  const MatchProblem problem(a, b, {});
  MapSearch search;
  Assignment assignment;
  Allowance allowance;
  search.bind(problem, &allowance);
  search.start(0, assignment);
  search.kick(1000, 0, rng);
  EXPECT_EQ(search.best_cost(), 0);
  const auto used = allowance.used();
  EXPECT_GT(used, 0U);
  search.kick(1000, 0, rng);
  EXPECT_EQ(allowance.used(), used);
}

}  // namespace
}  // namespace fewedits
