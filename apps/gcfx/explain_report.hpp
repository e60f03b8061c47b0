// SPDX-License-Identifier: MIT
// What a search says on the terminal; shared by `gcfx explain` and `gcfx demo`.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "console.hpp"
#include "gcfx/gcfx.hpp"

namespace gcfx::cli {

/// One line for each stage; Ctrl-C stops the search.
class SearchProgress {
 public:
  bool operator()(const ExplainProgress& p);

 private:
  using Clock = std::chrono::steady_clock;
  std::unique_ptr<ProgressLine> line_;
  ExplainProgress::Stage stage_ = ExplainProgress::Stage::kWalk;
  Clock::time_point start_;
};

/// Headline and a table of the counterfactuals.
std::string explanation_report(const Explanation& explanation, const Dataset& data, double seconds);

}  // namespace gcfx::cli
