// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <vector>

#include "experiment.hpp"

namespace fewedits::bench {

/// The paper's tables with our rows beside its own, as Markdown.
std::string tables(std::span<const Results> results, const ExperimentOptions& options);

/// What falls short, in words: less coverage or a larger median cost than the paper's; refined,
/// less than kRefinedGain times its coverage; more coverage without a part of the walk than with
/// it; fewer runs than seeds.
std::vector<std::string> compare_with_paper(std::span<const Results> results, std::size_t seeds);

inline constexpr double kRefinedGain = 1.25;

}  // namespace fewedits::bench
