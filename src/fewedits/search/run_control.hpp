// SPDX-License-Identifier: MIT
// When a run ends, reports and saves: the clock, the hooks, and what they said.
#pragma once

#include <chrono>

#include "fewedits/search/progress.hpp"
#include "fewedits/search/state.hpp"

namespace fewedits {

/// Of a time limit: what the improvement ends at, so that something is left for proofs.
inline constexpr double kImproveShare = 0.9;

class RunControl {
 public:
  /// Keeps the reference. `time_limit` in seconds, 0: none.
  RunControl(double time_limit, const ExplainHooks& hooks)
      : time_limit_(time_limit), hooks_(hooks) {}

  /// Reports; false once the run is to stop: somebody said so, or time is up.
  bool goes_on(const ExplainProgress& progress) {
    check_time();
    return tell(progress);
  }
  /// The same, but time does not count: a stage that has to leave some for others looks itself.
  bool tell(const ExplainProgress& progress) {
    if (hooks_.progress && !hooks_.progress(progress)) stopped_ = true;
    return !stopped_;
  }
  void check_time() { stopped_ = stopped_ || time_is_up(1); }
  /// That share of it.
  [[nodiscard]] bool time_is_up(double share) const {
    return time_limit_ > 0 && seconds_since(hooks_.started) >= share * time_limit_;
  }
  [[nodiscard]] bool stopped() const { return stopped_; }
  /// A stage ended early, so that there is time for the next one.
  void shorten() { shortened_ = true; }
  /// The result is the best so far.
  [[nodiscard]] bool cut_short() const { return stopped_ || shortened_; }

  [[nodiscard]] const ExplainHooks& hooks() const { return hooks_; }
  [[nodiscard]] bool saves() const { return static_cast<bool>(hooks_.save); }
  /// True once in a while, if anyone wants the state.
  bool is_time_to_save() {
    if (!saves() || seconds_since(last_save_) < hooks_.save_seconds) return false;
    last_save_ = Clock::now();
    return true;
  }
  void save(SearchState state) const {
    if (saves()) hooks_.save(SavedSearch(std::move(state)));
  }

 private:
  using Clock = std::chrono::steady_clock;
  static double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  }

  double time_limit_;
  const ExplainHooks& hooks_;
  Clock::time_point last_save_ = Clock::now();
  bool stopped_ = false;
  bool shortened_ = false;
};

}  // namespace fewedits
