// SPDX-License-Identifier: MIT
// How a search is watched, stopped, saved and resumed by whoever called it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "fewedits/base/stop_sign.hpp"

namespace fewedits {

struct ExplainProgress {
  enum class Stage { kWalk, kTrain, kLocal, kMeasure, kRefine, kProve };
  Stage stage = Stage::kWalk;
  /// Steps of the walk, rounds of training, inputs explained alone, candidates measured, work of
  /// the refinement, pairs proven.
  std::uint64_t done = 0;
  std::uint64_t total = 0;
  std::uint64_t evaluated = 0;  ///< neighbours in this stage and process
  /// By all candidates at the walk's theta; by the set at theta.
  std::optional<double> coverage;
};

/// How far an improver is.
struct ImproveProgress {
  std::uint64_t evaluated = 0;
  std::uint64_t work = 0;   ///< in all
  std::size_t covered = 0;  ///< inputs
};

struct SearchState;

/// How far a search is; enough to go on exactly as if it had not been interrupted. What is in it is
/// the search's own business (search/state.hpp); search/run_file.hpp makes a file of it.
class SavedSearch {
 public:
  SavedSearch() = default;
  explicit SavedSearch(SearchState state);
  /// Only of one that was not made by default.
  [[nodiscard]] const SearchState& state() const { return *state_; }

 private:
  std::shared_ptr<const SearchState> state_;
};

struct ExplainHooks {
  /// Called often; false: stop here and give the best so far.
  std::function<bool(const ExplainProgress&)> progress;
  /// Once set, the same, in the middle of a long step, too.
  const StopSign* stop = nullptr;
  /// Called every `save_seconds`, but in the certified refinement at a sixteenth of its work at
  /// the earliest; at the end of the walk and of the search, however it ended, with the best set
  /// that was held. Other refinements are not saved: they begin anew from the walk.
  std::function<void(const SavedSearch&)> save;
  double save_seconds = 30;
  /// Go on from here.
  std::optional<SavedSearch> resume;
  /// From when on a time limit counts.
  std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();
};

}  // namespace fewedits
