// SPDX-License-Identifier: MIT
// What an input is worth to a graph, by the cost of a map between them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fewedits {

/// What an input is worth to a graph: 1 within theta, else less the farther it is.
struct SoftCover {
  double theta = 0.1;
  /// How many more edits, as a share of those that theta allows, leave 1/e of its worth.
  double width = 0.2;
};

/// By the sum of the two graphs' sizes; a row is made when it is asked for first.
class WorthTable {
 public:
  void reset(const SoftCover& soft);

  /// The largest cost within theta.
  std::int32_t limit(std::size_t sizes) { return row(sizes).limit; }
  /// From this cost on, an input is worth nothing.
  std::int32_t reach(std::size_t sizes) {
    const Row& r = row(sizes);
    return r.limit + static_cast<std::int32_t>(r.worth.size());
  }
  float worth(std::size_t sizes, std::int32_t cost) {
    const Row& r = row(sizes);
    const auto beyond = static_cast<std::size_t>(cost > r.limit ? cost - r.limit : 0);
    return beyond < r.worth.size() ? r.worth[beyond] : 0;
  }

 private:
  struct Row {
    std::int32_t limit = 0;
    /// Of an input whose cost is larger than the limit by 0, 1, …; nothing beyond. Empty: not made.
    std::vector<float> worth;
  };

  const Row& row(std::size_t sizes) {
    const bool is_made = sizes < rows_.size() && !rows_[sizes].worth.empty();
    return is_made ? rows_[sizes] : make_row(sizes);
  }
  const Row& make_row(std::size_t sizes);

  SoftCover soft_;
  std::vector<Row> rows_;
};

}  // namespace fewedits
