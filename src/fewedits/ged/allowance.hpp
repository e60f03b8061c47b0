// SPDX-License-Identifier: MIT
// What a question about one pair may still cost.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>

#include "fewedits/ged/options.hpp"

namespace fewedits {

/// What an assignment of that size costs, in units of work.
constexpr std::uint64_t assignment_work(std::size_t rows, std::size_t columns) {
  return rows * rows * columns / 256;
}

/// Counts work against a budget. The clock is looked at once in a while: a look costs as much as
/// a unit of work.
class Allowance {
 public:
  explicit Allowance(const GedBudget& budget = {})
      : work_(budget.work),
        // More than thirty years is no limit, and would not fit the clock.
        timed_(budget.milliseconds < 1e12),
        stop_(budget.stop) {
    if (!timed_) return;
    end_ = Clock::now() +
           std::chrono::duration_cast<Clock::duration>(
               std::chrono::duration<double, std::milli>(std::max(0.0, budget.milliseconds)));
    spent_ = budget.milliseconds <= 0;
  }

  /// Adds work; true once the budget is spent.
  bool charge(std::uint64_t units) {
    used_ += units;
    if (used_ >= work_) spent_ = true;
    if (used_ >= next_look_ && !spent_) {
      next_look_ = used_ + kBetweenLooks;
      out_of_time();
    }
    return spent_;
  }
  /// Looks at the clock now, and not at the work: for what is paid for in one go, but takes long.
  bool out_of_time() {
    late_ = late_ || (timed_ && Clock::now() >= end_) || (stop_ != nullptr && stop_->is_set());
    spent_ = spent_ || late_;
    return late_;
  }
  [[nodiscard]] bool spent() const { return spent_ || work_ == 0; }
  [[nodiscard]] std::uint64_t used() const { return used_; }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::uint64_t kBetweenLooks = 128;

  std::uint64_t work_;
  std::uint64_t used_ = 0;
  std::uint64_t next_look_ = 0;
  bool timed_;
  const StopSign* stop_;
  bool spent_ = false;
  bool late_ = false;
  Clock::time_point end_;
};

}  // namespace fewedits
