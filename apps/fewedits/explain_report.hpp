// SPDX-License-Identifier: MIT
// What a search says on the terminal; shared by `fewedits explain` and `fewedits demo`.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "console.hpp"
#include "fewedits/fewedits.hpp"

namespace fewedits::cli {

/// One line for each stage, or for the whole run if its time is limited; Ctrl-C stops the search.
class SearchProgress {
 public:
  /// The limit of the run in seconds, since the program began; 0: none.
  explicit SearchProgress(double time_limit = 0) : time_limit_(time_limit) {}
  bool operator()(const ExplainProgress& p);

 private:
  using Clock = std::chrono::steady_clock;

  static constexpr std::uint64_t kWhole = 1'000'000;

  /// Of kWhole: how much of the run is over.
  std::uint64_t share_of_limit(const ExplainProgress& p);
  /// Since the program began.
  [[nodiscard]] double seconds() const;

  std::unique_ptr<ProgressLine> line_;
  ExplainProgress::Stage stage_ = ExplainProgress::Stage::kWalk;
  double time_limit_;
  std::uint64_t share_ = 0;
};

/// How sure the model is of the least sure counterfactual, as a line; empty if that is not known.
std::string smallest_lead_in_words(const Metrics& metrics);

/// Headline and a table of the counterfactuals.
std::string explanation_report(const Explanation& explanation, const Dataset& data, double seconds);

}  // namespace fewedits::cli
