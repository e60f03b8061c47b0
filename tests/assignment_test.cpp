// SPDX-License-Identifier: MIT
#include "fewedits/ged/assignment.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "fewedits/base/rng.hpp"

namespace fewedits {
namespace {

using Cost = Assignment::Cost;
using Start = Assignment::Start;
constexpr Cost kForbidden = Assignment::kForbidden;

/// A matrix that owns its entries.
struct Problem {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<Cost> cost;
  std::vector<Cost> skip;

  [[nodiscard]] Assignment::Matrix matrix() const { return {rows, columns, cost.data(), skip}; }
  [[nodiscard]] Cost at(std::size_t i, std::size_t j) const { return cost[i * columns + j]; }
};

struct Shape {
  Cost largest = 5;  ///< in magnitude
  double forbidden = 0;
  bool skip = false;
};

Cost random_entry(Rng& rng, const Shape& shape) {
  if (rng.chance(shape.forbidden)) return kForbidden;
  const auto span = 2 * static_cast<std::uint64_t>(shape.largest) + 1;
  return static_cast<Cost>(rng.below(span)) - shape.largest;
}

Problem random_problem(Rng& rng, std::size_t rows, std::size_t columns, const Shape& shape) {
  Problem p{rows, columns, std::vector<Cost>(rows * columns), {}};
  for (Cost& c : p.cost) c = random_entry(rng, shape);
  if (shape.skip) {
    p.skip.resize(rows);
    for (Cost& c : p.skip) c = random_entry(rng, shape);
  }
  return p;
}

Shape random_shape(Rng& rng) {
  static constexpr Cost kLargest[] = {1, 5, 1000, 1 << 20};
  static constexpr double kShares[] = {0, 0.3, 0.7};
  return {kLargest[rng.below(4)], kShares[rng.below(3)], rng.chance(0.5)};
}

/// Every way to place the rows.
class BruteForce {
 public:
  explicit BruteForce(const Problem& problem) : p_(problem), taken_(problem.columns, false) {
    place(0, 0);
  }
  [[nodiscard]] std::optional<std::int64_t> best() const { return best_; }

 private:
  void place(std::size_t i, std::int64_t cost) {
    if (i == p_.rows) {
      best_ = std::min(best_.value_or(cost), cost);
      return;
    }
    if (!p_.skip.empty() && p_.skip[i] != kForbidden) place(i + 1, cost + p_.skip[i]);
    for (std::size_t j = 0; j < p_.columns; ++j) {
      if (taken_[j] || p_.at(i, j) == kForbidden) continue;
      taken_[j] = true;
      place(i + 1, cost + p_.at(i, j));
      taken_[j] = false;
    }
  }

  const Problem& p_;
  std::vector<bool> taken_;
  std::optional<std::int64_t> best_;
};

/// The placement costs what is claimed, and the potentials prove that none costs less.
void expect_proven(const Assignment& solved, const Problem& p) {
  const auto columns = solved.columns();
  const auto row = solved.row_potentials();
  const auto column = solved.column_potentials();
  ASSERT_EQ(columns.size(), p.rows);
  ASSERT_EQ(row.size(), p.rows);
  ASSERT_EQ(column.size(), p.columns);
  std::vector<bool> taken(p.columns, false);
  std::int64_t cost = 0;
  std::int64_t proof = 0;
  for (std::size_t i = 0; i < p.rows; ++i) {
    proof += row[i];
    if (columns[i] == Assignment::kNone) {
      ASSERT_FALSE(p.skip.empty());
      ASSERT_NE(p.skip[i], kForbidden);
      cost += p.skip[i];
      EXPECT_EQ(row[i], p.skip[i]);
    } else {
      const auto j = static_cast<std::size_t>(columns[i]);
      ASSERT_LT(j, p.columns);
      ASSERT_FALSE(taken[j]);
      taken[j] = true;
      ASSERT_NE(p.at(i, j), kForbidden);
      cost += p.at(i, j);
      EXPECT_EQ(p.at(i, j), row[i] + column[j]);
    }
    if (!p.skip.empty()) {
      EXPECT_LE(row[i], p.skip[i]);
    }
    for (std::size_t j = 0; j < p.columns; ++j) ASSERT_LE(row[i] + column[j], p.at(i, j));
  }
  for (std::size_t j = 0; j < p.columns; ++j) {
    proof += column[j];
    ASSERT_LE(column[j], 0);
    if (!taken[j]) {
      ASSERT_EQ(column[j], 0);
    }
  }
  EXPECT_EQ(solved.total(), cost);
  EXPECT_EQ(solved.total(), proof);
}

void expect_solves(Assignment& assignment, const Problem& p, Start start) {
  const auto best = BruteForce(p).best();
  ASSERT_EQ(assignment.solve(p.matrix(), start), best.has_value());
  if (!best) return;
  EXPECT_EQ(assignment.total(), *best);
  expect_proven(assignment, p);
}

TEST(AssignmentTest, AgreesWithBruteForce) {
  Rng rng(1);
  Assignment assignment;
  for (int round = 0; round < 20'000 && !testing::Test::HasFailure(); ++round) {
    SCOPED_TRACE(round);
    // More rows than columns too: then some must be skipped, or it cannot be done.
    const Problem p = random_problem(rng, rng.below(6), rng.below(7), random_shape(rng));
    expect_solves(assignment, p, Start::kCold);
  }
}

TEST(AssignmentTest, WarmStartAgreesWithBruteForceWhileTheMatrixChanges) {
  Rng rng(2);
  for (int sequence = 0; sequence < 300; ++sequence) {
    const Shape shape = random_shape(rng);
    Problem p = random_problem(rng, 1 + rng.below(5), 1 + rng.below(6), shape);
    Assignment assignment;
    for (int step = 0; step < 40 && !testing::Test::HasFailure(); ++step) {
      SCOPED_TRACE(testing::Message() << "sequence " << sequence << " step " << step);
      expect_solves(assignment, p, Start::kWarm);
      for (std::size_t k = 1 + rng.below(4); k > 0; --k) {
        p.cost[rng.below(p.cost.size())] = random_entry(rng, shape);
        if (!p.skip.empty()) p.skip[rng.below(p.rows)] = random_entry(rng, shape);
      }
    }
  }
}

TEST(AssignmentTest, WarmStartForgetsAMatrixOfAnotherWidth) {
  Rng rng(3);
  Assignment assignment;
  for (int round = 0; round < 3000 && !testing::Test::HasFailure(); ++round) {
    SCOPED_TRACE(round);
    const Problem p = random_problem(rng, rng.below(5), rng.below(6), random_shape(rng));
    expect_solves(assignment, p, Start::kWarm);
  }
}

TEST(AssignmentTest, PotentialsProveLargeOnesColdAndWarm) {
  Rng rng(4);
  for (const auto& [rows, columns] : {std::pair{70, 70}, {64, 65}, {30, 130}, {1, 200}}) {
    for (const bool skip : {false, true}) {
      const Shape shape{100'000, 0.05, skip};
      Problem p = random_problem(rng, static_cast<std::size_t>(rows),
                                 static_cast<std::size_t>(columns), shape);
      Assignment warm;
      for (int step = 0; step < 30; ++step) {
        Assignment cold;
        ASSERT_TRUE(cold.solve(p.matrix()));
        ASSERT_TRUE(warm.solve(p.matrix(), Start::kWarm));
        ASSERT_NO_FATAL_FAILURE(expect_proven(cold, p));
        ASSERT_NO_FATAL_FAILURE(expect_proven(warm, p));
        for (int k = 0; k < 50; ++k) p.cost[rng.below(p.cost.size())] = random_entry(rng, shape);
      }
    }
  }
}

TEST(AssignmentTest, EntriesMayBeAsLargeAsPromised) {
  Rng rng(5);
  Assignment assignment;
  for (int round = 0; round < 10'000 && !testing::Test::HasFailure(); ++round) {
    SCOPED_TRACE(round);
    const std::size_t rows = 1 + rng.below(5);
    const Cost largest = Assignment::largest_entry(rows);
    Problem p = random_problem(rng, rows, 1 + rng.below(6), {largest, 0.4, rng.chance(0.3)});
    // Mostly the extremes themselves.
    for (auto* entries : {&p.cost, &p.skip}) {
      for (Cost& c : *entries) {
        if (c == kForbidden || rng.chance(0.2)) continue;
        c = c < 0 ? -largest : largest;
      }
    }
    expect_solves(assignment, p, rng.chance(0.5) ? Start::kCold : Start::kWarm);
  }
}

TEST(AssignmentTest, ALongPathIsNotAForbiddenOne) {
  // The last row has one column only, and drives every other row out of its best.
  constexpr Cost kL = Assignment::largest_entry(4);
  constexpr Cost kF = kForbidden;
  const Problem p{4, 4, {-kL, kL, kF, kF, kF, -kL, kL, kF, kF, kF, -kL, kL, kL, kF, kF, kF}, {}};
  Assignment assignment;
  ASSERT_TRUE(assignment.solve(p.matrix()));
  EXPECT_EQ(assignment.total(), 4 * std::int64_t{kL});
}

TEST(AssignmentTest, ARowWithoutAnyColumnCannotBePlaced) {
  Assignment assignment;
  const Problem forbidden{1, 1, {kForbidden}, {}};
  EXPECT_FALSE(assignment.solve(forbidden.matrix()));
  const Problem not_even_skipped{1, 2, {kForbidden, kForbidden}, {kForbidden}};
  EXPECT_FALSE(assignment.solve(not_even_skipped.matrix()));
  const Problem no_columns{1, 0, {}, {}};
  EXPECT_FALSE(assignment.solve(no_columns.matrix()));
  const Problem one_of_two{2, 2, {3, 4, kForbidden, kForbidden}, {}};
  EXPECT_FALSE(assignment.solve(one_of_two.matrix()));
  // And it can be used again afterwards.
  const Problem fine{2, 2, {3, 4, 1, kForbidden}, {}};
  ASSERT_TRUE(assignment.solve(fine.matrix(), Start::kWarm));
  EXPECT_EQ(assignment.total(), 5);
}

TEST(AssignmentTest, NothingToPlaceCostsNothing) {
  Assignment assignment;
  EXPECT_TRUE(assignment.solve({}));
  EXPECT_EQ(assignment.total(), 0);
  const Problem columns_only{0, 3, {}, {}};
  EXPECT_TRUE(assignment.solve(columns_only.matrix()));
  EXPECT_EQ(assignment.total(), 0);
  const Problem skipped{2, 0, {}, {4, -1}};
  EXPECT_TRUE(assignment.solve(skipped.matrix()));
  EXPECT_EQ(assignment.total(), 3);
}

}  // namespace
}  // namespace fewedits
