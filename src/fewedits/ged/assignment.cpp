// SPDX-License-Identifier: MIT
#include "fewedits/ged/assignment.hpp"

#include <algorithm>
#include <limits>

#include "fewedits/base/target_clones.hpp"

namespace fewedits {
namespace {

using Cost = Assignment::Cost;

constexpr Cost kUnreached = Assignment::kForbidden * 2;
constexpr Cost kFinal = Assignment::kForbidden * 4 - 1 - kUnreached;  // the sum fits a Cost
/// Forbidden entries keep at least this reduced cost, allowed ones stay below.
constexpr Cost kHopeless = Assignment::kForbidden / 2;

/// Shortens distances by the way over `row`, and gives the least one that is not final.
///
/// PERF NOTE: the innermost loop. Columns that are final are not left out but carry a penalty
/// (their distance cannot improve), which keeps it free of branches and eight columns wide with
/// AVX2.
FEWEDITS_TARGET_CLONES Cost relax(std::size_t columns, const Cost* cost, const Cost* potential,
                                  const Cost* penalty, Cost offset, std::int32_t row,
                                  Cost* distance, std::int32_t* reached_from) {
  Cost least = std::numeric_limits<Cost>::max();
  for (std::size_t j = 0; j < columns; ++j) {
    const Cost way = cost[j] - potential[j] + offset;
    const bool shorter = way < distance[j];
    distance[j] = shorter ? way : distance[j];
    reached_from[j] = shorter ? row : reached_from[j];
    least = std::min(least, distance[j] + penalty[j]);
  }
  return least;
}

/// min over j of cost[j] − potential[j].
FEWEDITS_TARGET_CLONES Cost least_reduced(std::size_t columns, const Cost* cost,
                                          const Cost* potential) {
  Cost least = kUnreached;
  for (std::size_t j = 0; j < columns; ++j) least = std::min(least, cost[j] - potential[j]);
  return least;
}

}  // namespace

bool Assignment::solve(const Matrix& matrix, Start start, Allowance* allowance) {
  // A row of a matrix below that takes less than a look at the clock.
  constexpr std::size_t kLarge = 128;
  if (matrix.rows < kLarge) allowance = nullptr;
  reset(matrix, start);
  do {
    place_cheaply(matrix);
  } while (release_stale_columns(matrix));
  for (const std::uint32_t row : unplaced_) {
    const bool nothing_allowed = row_potential_[row] >= kHopeless;
    if (allowance != nullptr && allowance->out_of_time()) return false;
    if (nothing_allowed || !augment(matrix, row)) return false;
  }
  total_ = 0;
  for (const Cost potential : row_potential_) total_ += potential;
  for (const Cost potential : column_potential_) total_ += potential;
  return true;
}

void Assignment::reset(const Matrix& matrix, Start start) {
  if (start == Start::kCold || column_potential_.size() != matrix.columns) {
    column_potential_.assign(matrix.columns, 0);
  }
  row_potential_.resize(matrix.rows);
  distance_.resize(matrix.columns);
  reached_from_.resize(matrix.columns);
  penalty_.assign(matrix.columns, 0);
}

/// Row potentials follow from the columns'; a row whose cheapest column is free takes it.
void Assignment::place_cheaply(const Matrix& matrix) {
  column_of_.assign(matrix.rows, kNone);
  row_of_.assign(matrix.columns, kNone);
  unplaced_.clear();
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    const Cost* cost = matrix.cost + i * matrix.columns;
    const Cost* potential = column_potential_.data();
    Cost least = least_reduced(matrix.columns, cost, potential);
    if (!matrix.skip.empty() && matrix.skip[i] <= least) {
      row_potential_[i] = matrix.skip[i];
      if (matrix.skip[i] >= kHopeless) unplaced_.push_back(static_cast<std::uint32_t>(i));
      continue;
    }
    row_potential_[i] = least;
    std::size_t j = 0;
    while (j < matrix.columns && (cost[j] - potential[j] != least || row_of_[j] != kNone)) ++j;
    if (j < matrix.columns && least < kHopeless) {
      row_of_[j] = static_cast<std::int32_t>(i);
      column_of_[i] = static_cast<std::int32_t>(j);
    } else {
      unplaced_.push_back(static_cast<std::uint32_t>(i));
    }
  }
}

/// A free column is worth nothing, so its potential must be 0. Where a warm start left another
/// value it is put right, and the rows are placed anew; each round settles a column for good.
bool Assignment::release_stale_columns(const Matrix& matrix) {
  bool stale = false;
  for (std::size_t j = 0; j < matrix.columns; ++j) {
    if (row_of_[j] == kNone && column_potential_[j] != 0) {
      column_potential_[j] = 0;
      stale = true;
    }
  }
  return stale;
}

/// Keeps reduced costs non-negative after a path of that length from `row` was found.
void Assignment::shift_potentials(Cost length, std::size_t row) {
  row_potential_[row] += length;
  for (const std::uint32_t j : scanned_) {
    const Cost rest = length - distance_[j];
    column_potential_[j] -= rest;
    row_potential_[static_cast<std::size_t>(row_of_[j])] += rest;
  }
}

/// The shortest path from an unplaced row to a free column, or to a row that is better off
/// without one (Dijkstra on reduced costs).
bool Assignment::augment(const Matrix& matrix, std::size_t row) {
  std::fill(distance_.begin(), distance_.end(), kUnreached);
  scanned_.clear();
  Cost skip_length = kUnreached;
  std::size_t skip_row = row;
  std::size_t now = row;
  Cost length = 0;
  std::size_t end = matrix.columns;
  for (;;) {
    const Cost offset = length - row_potential_[now];
    if (!matrix.skip.empty() && matrix.skip[now] + offset < skip_length) {
      skip_length = matrix.skip[now] + offset;
      skip_row = now;
    }
    const Cost least =
        relax(matrix.columns, matrix.cost + now * matrix.columns, column_potential_.data(),
              penalty_.data(), offset, static_cast<std::int32_t>(now), distance_.data(),
              reached_from_.data());
    length = std::min(least, skip_length);
    if (length >= kHopeless) break;
    if (skip_length <= least) break;
    end = 0;
    while (distance_[end] + penalty_[end] != least) ++end;
    if (row_of_[end] == kNone) break;
    penalty_[end] = kFinal;
    scanned_.push_back(static_cast<std::uint32_t>(end));
    now = static_cast<std::size_t>(row_of_[end]);
    end = matrix.columns;
  }
  for (const std::uint32_t j : scanned_) penalty_[j] = 0;
  if (length >= kHopeless) return false;
  shift_potentials(length, row);
  if (end == matrix.columns) {
    // skip_row gives its column up to the row before it on the path.
    const std::int32_t given_up = column_of_[skip_row];
    column_of_[skip_row] = kNone;
    if (skip_row == row) return true;
    end = static_cast<std::size_t>(given_up);
  }
  for (;;) {
    const auto from = static_cast<std::size_t>(reached_from_[end]);
    row_of_[end] = static_cast<std::int32_t>(from);
    const std::int32_t before = column_of_[from];
    column_of_[from] = static_cast<std::int32_t>(end);
    if (from == row) return true;
    end = static_cast<std::size_t>(before);
  }
}

}  // namespace fewedits
