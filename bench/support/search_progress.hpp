// SPDX-License-Identifier: MIT
#pragma once

#include <fmt/format.h>

#include "fewedits/search/progress.hpp"
#include "support/clock.hpp"

namespace fewedits::bench {

/// Says every half minute how far a search is; goes into ExplainHooks.
class SearchProgress {
 public:
  bool operator()(const ExplainProgress& p) {
    if (seconds_since(told_) < 30) return true;
    told_ = Clock::now();
    fmt::print(stderr, "    {} {:.0f} %\n", stage(p),
               100.0 * static_cast<double>(p.done) / static_cast<double>(p.total));
    return true;
  }

 private:
  static const char* stage(const ExplainProgress& p) {
    using Stage = ExplainProgress::Stage;
    switch (p.stage) {
      case Stage::kWalk: return "walk";
      case Stage::kTrain: return "training";
      case Stage::kLocal: return "inputs";
      case Stage::kMeasure: return "graphs";
      case Stage::kRefine: return "refinement";
      case Stage::kProve: return "proofs";
    }
    return "";
  }

  Clock::time_point told_ = Clock::now();
};

}  // namespace fewedits::bench
