// SPDX-License-Identifier: MIT
// Minimum-cost assignment of rows to columns (LSAP), the inner loop of every bound.
//
// Successive shortest augmenting paths (Jonker & Volgenant 1987) in whole numbers, O(rows² ·
// columns) at worst; 30 × 30 takes a few microseconds. A warm start keeps the column potentials of
// the last call: after a small change of the matrix most rows find their column at once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fewedits/ged/allowance.hpp"

namespace fewedits {

class Assignment {
 public:
  using Cost = std::int32_t;
  /// Marks an entry that must not be chosen.
  static constexpr Cost kForbidden = Cost{1} << 28;
  /// All other entries are at most this in magnitude, so that the length of a path over all rows
  /// stays away from the forbidden.
  static constexpr Cost largest_entry(std::size_t rows) {
    return kForbidden / 8 / static_cast<Cost>(rows + 1);
  }
  static constexpr std::int32_t kNone = -1;

  /// Row-major rows × columns. With `skip`, row i may stay without a column at cost skip[i]
  /// (kForbidden: it may not); without, every row needs one.
  struct Matrix {
    std::size_t rows = 0;
    std::size_t columns = 0;
    const Cost* cost = nullptr;
    std::span<const Cost> skip;
  };
  enum class Start { kCold, kWarm };

  /// False if rows cannot all be placed, or time ran out in the middle, at which only large
  /// matrices look; then only column() of the placed rows has a meaning.
  bool solve(const Matrix& matrix, Start start = Start::kCold, Allowance* allowance = nullptr);

  /// Cost of the solution = Σ row potentials + Σ column potentials: the certificate of optimality.
  [[nodiscard]] std::int64_t total() const { return total_; }
  /// Column of a row, or kNone.
  [[nodiscard]] std::span<const std::int32_t> columns() const { return column_of_; }
  /// cost(i,j) − row(i) − column(j) ≥ 0 everywhere, = 0 where assigned; columns ≤ 0.
  [[nodiscard]] std::span<const Cost> row_potentials() const { return row_potential_; }
  [[nodiscard]] std::span<const Cost> column_potentials() const { return column_potential_; }

 private:
  void reset(const Matrix& matrix, Start start);
  void place_cheaply(const Matrix& matrix);
  bool release_stale_columns(const Matrix& matrix);
  void shift_potentials(Cost length, std::size_t row);
  bool augment(const Matrix& matrix, std::size_t row);

  std::vector<Cost> row_potential_;
  std::vector<Cost> column_potential_;
  std::vector<std::int32_t> column_of_;
  std::vector<std::int32_t> row_of_;
  // One search: distance to each column, the row it was reached from, columns by state.
  std::vector<Cost> distance_;
  std::vector<std::int32_t> reached_from_;
  std::vector<Cost> penalty_;  ///< 0, or large for a column whose distance is final
  std::vector<std::uint32_t> scanned_;
  std::vector<std::uint32_t> unplaced_;
  std::int64_t total_ = 0;
};

}  // namespace fewedits
