// SPDX-License-Identifier: MIT
// When a run ends, reports and saves: the clock, the hooks, and what they said.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>

#include "fewedits/base/stop_sign.hpp"
#include "fewedits/search/progress.hpp"
#include "fewedits/search/state.hpp"

namespace fewedits {

/// Of a time limit, when the stages end, so that something is left for those that follow.
/// Finding candidates that are to be improved or chosen from, and measuring what was found.
struct WalkShares {
  double walk;
  double measure;
};
inline constexpr WalkShares kWalkShares{0.6, 0.7};
inline constexpr WalkShares kStartsShares{0.35, 0.45};  ///< if only starting points are wanted
inline constexpr double kImproveShare = 0.9;

class RunControl {
 public:
  /// Keeps the references. `time_limit` in seconds, 0: none. The sign is what all work of the run
  /// looks at.
  RunControl(double time_limit, const ExplainHooks& hooks, StopSign& sign)
      : time_limit_(time_limit), hooks_(hooks), sign_(sign) {}

  /// From here on work ends at that share of the time limit. Who asked for the end gets no stage
  /// more than what grant_a_moment() allows.
  void begin_stage(double share) {
    if (time_limit_ > 0 && !interrupted()) sign_.set_at(moment(share * search_share_));
  }
  /// Stages up to use_all_of_the_time() have that share of the time limit for all of theirs.
  void leave_time(double search_share) { search_share_ = search_share; }
  void use_all_of_the_time() { search_share_ = 1; }
  /// Reports; false once the stage is to end: somebody said so, or its time is up.
  bool goes_on(const ExplainProgress& progress) {
    if (hooks_.progress && !hooks_.progress(progress)) {
      refused_ = true;
      sign_.set();
    }
    return !is_over();
  }
  /// Is the stage to end?
  bool is_over() {
    const bool over = sign_.is_set();
    if (over) cut_short_ = true;
    return over;
  }
  /// Whoever asked for the end gets what a moment more of work can save. What nobody can stop, the
  /// figures of all inputs and writing them, takes the longer the more of them there are, so the
  /// moment is the shorter.
  void grant_a_moment(std::size_t inputs) {
    constexpr std::chrono::duration<double> kMoment(0.75);
    constexpr double kManyInputs = 20'000;
    const double share = std::min(1.0, kManyInputs / (1 + static_cast<double>(inputs)));
    if (!interrupted()) return;
    sign_.grant_until(Clock::now() + std::chrono::duration_cast<Clock::duration>(share * kMoment));
  }

  /// Somebody asked for the end.
  [[nodiscard]] bool interrupted() const {
    return refused_ || (hooks_.stop != nullptr && hooks_.stop->is_set());
  }
  [[nodiscard]] bool time_is_up() const { return time_limit_ > 0 && Clock::now() >= moment(1); }
  /// No further stage is to begin.
  [[nodiscard]] bool stopped() const { return interrupted() || time_is_up(); }
  /// A stage ended early: the result is the best so far.
  [[nodiscard]] bool cut_short() const { return cut_short_ || interrupted(); }

  /// Why the search ended, unless it was cut short.
  void note_end(RunEnd end) { end_ = end; }
  [[nodiscard]] RunEnd ended() const {
    if (interrupted()) return RunEnd::kInterrupted;
    return cut_short_ ? RunEnd::kTimeLimit : end_;
  }

  [[nodiscard]] const ExplainHooks& hooks() const { return hooks_; }
  [[nodiscard]] const StopSign& sign() const { return sign_; }
  [[nodiscard]] bool saves() const { return static_cast<bool>(hooks_.save); }
  /// True once in a while, if anyone wants the state.
  bool is_time_to_save() {
    if (!saves()) return false;
    const std::chrono::duration<double> since = Clock::now() - last_save_;
    if (since.count() < hooks_.save_seconds) return false;
    last_save_ = Clock::now();
    return true;
  }
  void save(SearchState state) const {
    if (saves()) hooks_.save(SavedSearch(std::move(state)));
  }

 private:
  using Clock = StopSign::Clock;
  [[nodiscard]] Clock::time_point moment(double share) const {
    // More than thirty years is no limit, and would not fit the clock.
    constexpr double kMost = 1e9;
    const std::chrono::duration<double> seconds(std::min(share * time_limit_, kMost));
    return hooks_.started + std::chrono::duration_cast<Clock::duration>(seconds);
  }

  double time_limit_;
  double search_share_ = 1;
  const ExplainHooks& hooks_;
  StopSign& sign_;
  Clock::time_point last_save_ = Clock::now();
  RunEnd end_ = RunEnd::kWorkDone;
  bool refused_ = false;  ///< by whoever hears of the progress
  bool cut_short_ = false;
};

}  // namespace fewedits
