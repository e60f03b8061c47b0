// SPDX-License-Identifier: MIT
// What came of the settings of CFF and RCExplainer that were tried, docs/paper-tables/tuning.csv,
// as bench/local_explainers writes it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "fewedits/search/baselines/local_options.hpp"

namespace fewedits::bench {

struct TunedTrial {
  std::string dataset;
  std::string method;
  std::string settings;   ///< settings_words
  double flipped = 0;     ///< share of the inputs
  double distance = 0;    ///< mean normalised GREED distance of what flipped to its input
  double removed = 0;     ///< mean of removed edges over sizes
  double coverage = 0;    ///< share of the inputs, under GREED, by ten
  bool all_nodes = true;  ///< nodes that lost all edges stayed; else the largest part counted
};
using Trials = std::vector<TunedTrial>;

/// Empty if there is no such file; trials over some of the inputs are left out. Throws Error naming
/// the line that makes no sense.
Trials read_trials(const std::filesystem::path& file);

/// What came of those settings with all nodes, the latest; none if they were not tried.
std::optional<TunedTrial> trial_of(const Trials& trials, const std::string& dataset,
                                   const std::string& method, const LocalSettings& settings);

}  // namespace fewedits::bench
