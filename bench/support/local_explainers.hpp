// SPDX-License-Identifier: MIT
// The paper's local explainers, CFF and RCExplainer, as it runs them: edges go, nodes stay, and
// options as a search over settings found them best.
#pragma once

#include <filesystem>
#include <string>

#include "fewedits/search/options.hpp"

namespace fewedits::bench {

/// A CSV file of dataset, method, option (as the command line spells it) and value.
inline constexpr const char* kTuning = "bench/paper_tables/tuning.csv";

/// Sets options.method, and the options that the tuning file has for it; without the file, the
/// defaults. False, and nothing but the method is set, if the library has no such method.
bool set_local_explainer(const std::string& method, const std::string& dataset,
                         const std::filesystem::path& tuning, ExplainOptions& options);

/// docs/paper-tables/tuning.csv: what came of each setting, over all inputs or each n-th.
inline constexpr const char* kTrialsHeader =
    "dataset,method,every,settings,flipped,greed_distance,removed_over_sizes,coverage,seconds,"
    "nodes";
inline constexpr const char* kAllNodes = "all stay";
inline constexpr const char* kLargestPart = "largest part";

/// The settings of cff or rcexplainer as the command line spells them, as tables of tuning name
/// them.
std::string settings_words(const std::string& method, const LocalSettings& settings);

}  // namespace fewedits::bench
