// SPDX-License-Identifier: MIT
// How long work learns that it is to end: one sign for all of it, looked at wherever a step may
// take long. Work that has something to show returns it; other work throws Stopped.
#pragma once

#include <atomic>
#include <chrono>
#include <exception>

namespace fewedits {

/// Thrown out of work that was told to end before it was done.
class Stopped final : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override { return "stopped"; }
};

/// Set by hand, by the clock, or with another sign. Any thread may look.
class StopSign {
 public:
  using Clock = std::chrono::steady_clock;

  /// Set once `other` is, too; keeps the pointer.
  explicit StopSign(const StopSign* other = nullptr) : other_(other) {}

  /// Fit for a signal handler.
  void set() noexcept { set_ = true; }
  void clear() noexcept { set_ = false; }
  /// From that moment on; instead of what was said before, a grant too.
  void set_at(Clock::time_point moment) {
    moment_ = moment.time_since_epoch().count();
    granted_ = false;
  }
  /// Until that moment nothing else counts: whoever asked gets the best that it allows.
  void grant_until(Clock::time_point moment) {
    moment_ = moment.time_since_epoch().count();
    granted_ = true;
  }

  [[nodiscard]] bool is_set() const {
    if (!granted_ && (set_ || (other_ != nullptr && other_->is_set()))) return true;
    const Clock::rep moment = moment_;
    return moment != kNever && Clock::now().time_since_epoch().count() >= moment;
  }
  void check() const {
    if (is_set()) throw Stopped();
  }

 private:
  static constexpr Clock::rep kNever = Clock::duration::max().count();
  static_assert(std::atomic<bool>::is_always_lock_free);

  std::atomic<bool> set_{false};
  std::atomic<bool> granted_{false};
  std::atomic<Clock::rep> moment_{kNever};
  const StopSign* other_;
};

}  // namespace fewedits
