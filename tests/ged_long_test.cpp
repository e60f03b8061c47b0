// SPDX-License-Identifier: MIT
// The distance engine with the time it wants: minutes, so labelled long.
#include <gtest/gtest.h>

#include "support/golden_ged.hpp"

namespace fewedits {
namespace {

using test::kCostKinds;

struct Golden {
  test::GoldenSet set;
  // Of 150 pairs, at least so many are solved with kWork, which is deterministic.
  std::size_t solved;
  // And at least this share in one second each.
  double in_a_second;
};

/// Some 0.15 s a pair.
constexpr std::uint64_t kWork = 3'000'000;

class GoldenGedLongTest : public testing::TestWithParam<Golden> {
 protected:
  void SetUp() override {
    FEWEDITS_REQUIRE_SHARED(std::filesystem::path("golden") / GetParam().set.folder /
                            "exact_ged.csv");
    pairs_ = test::read_golden_pairs(GetParam().set);
  }
  std::vector<test::GoldenPair> pairs_;
};

TEST_P(GoldenGedLongTest, MostAreSolvedWithAFixedAmountOfWork) {
  const std::size_t solved =
      test::solve_golden(pairs_, {.costs = {}, .effort = {}, .budget = {.work = kWork}});
  RecordProperty("solved", static_cast<int>(solved));
  EXPECT_GE(solved, GetParam().solved);
}

TEST_P(GoldenGedLongTest, MostAreSolvedInASecond) {
  const std::size_t solved =
      test::solve_golden(pairs_, {.costs = {}, .effort = {}, .budget = {.milliseconds = 1000}});
  RecordProperty("solved", static_cast<int>(solved));
  EXPECT_GE(static_cast<double>(solved),
            GetParam().in_a_second * static_cast<double>(pairs_.size()))
      << solved << " of " << pairs_.size();
}

INSTANTIATE_TEST_SUITE_P(All, GoldenGedLongTest,
                         testing::Values(Golden{{"aids", "AIDS"}, 147, 0.95},
                                         Golden{{"mutagenicity", "Mutagenicity"}, 143, 0.9},
                                         Golden{{"nci1", "NCI1"}, 140, 0.9},
                                         Golden{{"proteins", "PROTEINS"}, 124, 0.8}),
                         [](const auto& test) { return std::string(test.param.set.folder); });

/// Two graphs that test::BruteForce can still compare, often full of interchangeable nodes.
Graph random_small(Rng& rng) {
  if (rng.chance(0.7)) return test::random_part(rng, 2, 8);
  const auto side = static_cast<Node>(1 + rng.below(3));
  const auto other = static_cast<Node>(1 + rng.below(5));
  std::vector<Edge> edges;
  for (Node u = 0; u < side; ++u) {
    for (Node v = 0; v < other; ++v) {
      if (rng.chance(0.85)) edges.push_back({u, side + v, static_cast<Label>(rng.below(2))});
    }
  }
  std::vector<Label> labels(side + other);
  for (Label& l : labels) l = rng.chance(0.25) ? 1 : 0;
  return test::shuffled(rng, Graph(labels, edges, Graph::EdgeLabels::kPresent));
}

TEST(GedLongTest, ThousandsOfPairsAgreeWithBruteForce) {
  constexpr int kRounds = 20'000;
  for (int round = 0; round < kRounds && !testing::Test::HasFailure(); ++round) {
    SCOPED_TRACE(round);
    Rng rng(1, static_cast<std::uint64_t>(round));
    const EditCosts costs = test::random_costs(rng, kCostKinds[rng.below(std::size(kCostKinds))]);
    const PreparedGraph a(random_small(rng));
    const PreparedGraph b(random_small(rng));
    const std::int64_t distance = test::brute_force(a.graph(), b.graph(), costs);
    const MapEffort effort = rng.chance(0.5) ? MapEffort{} : MapEffort{0, 0};
    GedSolver solver({.costs = costs, .effort = effort, .budget = {}});
    const GedBounds found = solver.exact(a, b);
    EXPECT_EQ(found.lower, distance);
    EXPECT_EQ(found.upper, distance);
    EXPECT_EQ(induced_cost(a.graph(), b.graph(), found.map, costs), distance);
    for (std::int64_t limit = distance - 2; limit < distance + 4; ++limit) {
      const Within within = solver.within(a, b, limit);
      EXPECT_EQ(within.answer, distance <= limit ? Answer::kYes : Answer::kNo);
      EXPECT_LE(within.lower, distance);
      EXPECT_GE(within.upper, distance);
    }
    for (const std::uint64_t most : {500U, 3000U, 20'000U}) {
      GedSolver hasty({.costs = costs, .effort = effort, .budget = {.work = rng.below(most)}});
      const GedBounds bounds = hasty.exact(a, b);
      EXPECT_LE(bounds.lower, distance);
      EXPECT_GE(bounds.upper, distance);
      const Within within = hasty.within(a, b, distance - 1);
      EXPECT_NE(within.answer, Answer::kYes);
      EXPECT_LE(within.lower, distance);
    }
  }
}

}  // namespace
}  // namespace fewedits
