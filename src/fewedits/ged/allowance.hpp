// SPDX-License-Identifier: MIT
// What a question about one pair may still cost.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>

namespace fewedits {

/// When to give up on a pair. Work is counted in pair values of the dual bound, so that the same
/// work gives the same answer on every machine; a time limit does not. A unit takes some 50 ns for
/// two molecules and twice that for larger graphs (PROTEINS). Searches that count other work in
/// these units take some 0.1 µs for one.
struct GedBudget {
  static constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t work = kUnlimited;
  double milliseconds = std::numeric_limits<double>::infinity();
  /// Once this says true, the budget counts as spent. Not owned.
  const std::atomic<bool>* stop = nullptr;
};

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
      spent_ = (timed_ && Clock::now() >= end_) || (stop_ != nullptr && *stop_);
    }
    return spent_;
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
  const std::atomic<bool>* stop_;
  bool spent_ = false;
  Clock::time_point end_;
};

}  // namespace fewedits
