// SPDX-License-Identifier: MIT
// Real molecules and proteins, whose exact distances are known from elsewhere.
#include <gtest/gtest.h>

#include "support/golden_ged.hpp"

namespace fewedits {
namespace {

using test::GoldenPair;

struct Golden {
  test::GoldenSet set;
  // Of 150 pairs, at least so many are solved with kWork, which is deterministic.
  std::size_t solved;
  // At least this share of the near pairs' distances is found by the heuristic alone.
  double found;
};

/// Some milliseconds a pair; tests/ged_long_test.cpp gives more.
constexpr std::uint64_t kWork = 50'000;

GedOptions with_work(std::uint64_t work) {
  return {.costs = {}, .effort = {}, .budget = {.work = work}};
}

class GoldenGedTest : public testing::TestWithParam<Golden> {
 protected:
  void SetUp() override {
    FEWEDITS_REQUIRE_SHARED(std::filesystem::path("golden") / GetParam().set.folder /
                            "exact_ged.csv");
    pairs_ = test::read_golden_pairs(GetParam().set);
  }
  std::vector<GoldenPair> pairs_;
};

TEST_P(GoldenGedTest, BoundsHoldAndExactMeansExact) {
  const std::size_t solved = test::solve_golden(pairs_, with_work(kWork));
  RecordProperty("solved", static_cast<int>(solved));
  EXPECT_GE(solved, GetParam().solved);
}

TEST_P(GoldenGedTest, HeuristicFindsTheDistanceOfNearPairs) {
  GedSolver solver;
  int near = 0;
  int found = 0;
  for (const auto& [a, b, distance] : pairs_) {
    const GedBounds bounds = solver.upper(a, b);
    EXPECT_LE(bounds.lower, distance);
    EXPECT_GE(bounds.upper, distance);
    test::expect_certified(a.graph(), b.graph(), bounds.map, bounds.upper, {});
    if (distance > 12) continue;
    ++near;
    found += bounds.upper == distance ? 1 : 0;
  }
  RecordProperty("near", near);
  RecordProperty("found", found);
  ASSERT_GT(near, 0);
  EXPECT_GE(found, GetParam().found * near) << found << " of " << near;
}

TEST_P(GoldenGedTest, WithinIsNeverWrong) {
  GedSolver solver(with_work(kWork / 5));
  std::size_t decided = 0;
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    const auto& [a, b, distance] = pairs_[i];
    for (const std::int64_t limit : {distance - 1, distance, distance + 1}) {
      const Within found = solver.within(a, b, limit);
      decided += found.answer == Answer::kUnknown ? 0U : 1U;
      EXPECT_NE(found.answer, limit < distance ? Answer::kYes : Answer::kNo)
          << "pair " << i << " limit " << limit << " by " << name_of(found.stage);
      EXPECT_LE(found.lower, distance) << "pair " << i << " limit " << limit;
      EXPECT_GE(found.upper, distance) << "pair " << i << " limit " << limit;
      if (!found.map.empty()) {
        EXPECT_EQ(induced_cost(a.graph(), b.graph(), found.map), found.upper);
      }
    }
  }
  EXPECT_GT(decided, pairs_.size()) << "hardly an answer that could be wrong";
}

INSTANTIATE_TEST_SUITE_P(All, GoldenGedTest,
                         testing::Values(Golden{{"aids", "AIDS"}, 138, 0.8},
                                         Golden{{"mutagenicity", "Mutagenicity"}, 108, 0.8},
                                         Golden{{"nci1", "NCI1"}, 75, 0.6},
                                         Golden{{"proteins", "PROTEINS"}, 76, 0.8}),
                         [](const auto& test) { return std::string(test.param.set.folder); });

}  // namespace
}  // namespace fewedits
