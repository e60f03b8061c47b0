// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <vector>

#include "experiment.hpp"

namespace gcfx::bench {

/// The paper's tables with our rows beside its own, as Markdown.
std::string tables(std::span<const Results> results, const ExperimentOptions& options);

/// What falls short of the paper, in words.
struct Verdict {
  std::vector<std::string> failures;  ///< GROUND-TRUTH, or coverage with or without refinement
  std::vector<std::string> notes;     ///< a larger median cost; coverage comes first
};
Verdict compare_with_paper(std::span<const Results> results);

}  // namespace gcfx::bench
