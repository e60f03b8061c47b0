// SPDX-License-Identifier: MIT
// The ways to come by an explanation that are compared.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fewedits/search/parts.hpp"
#include "support/local_explainers.hpp"
#include "support/published.hpp"
#include "support/searches.hpp"

namespace fewedits::bench {

/// Units of work of a certified refinement that takes some ten minutes on two cores.
inline constexpr std::uint64_t kTenMinutes = 11'000'000'000;

struct Mode {
  std::string name;  ///< as --modes spells it
  std::string title;
  std::string method = "gcf";
  bool greed = false;  ///< searched under GREED; else under certified distances
  CandidateTies ties = CandidateTies::kCoverage;
  bool refine = true;
  bool every_seed = false;                 ///< else seed 1 alone
  std::optional<std::uint64_t> work = {};  ///< of the refinement; unset: the default
  std::optional<double> theta = {};        ///< of the search; unset: the one it is measured at
};

inline const std::array<Mode, 11> kModes{{
    {.name = "ground-truth",
     .title = "GROUND-TRUTH, picked under certified distances",
     .method = "ground-truth"},
    {.name = "ground-truth-greed",
     .title = "GROUND-TRUTH, picked under GREED",
     .method = "ground-truth",
     .greed = true},
    {.name = "cff", .title = "CFF", .method = "cff", .greed = true},
    {.name = "rcexplainer", .title = "RCExplainer", .method = "rcexplainer", .greed = true},
    {.name = "plain",
     .title = "the paper's algorithm, ties to the earliest",
     .greed = true,
     .ties = CandidateTies::kEarliest,
     .refine = false},
    {.name = "paper",
     .title = "the paper's algorithm, ties by coverage",
     .greed = true,
     .refine = false},
    {.name = "refined", .title = "the paper's algorithm, refined", .greed = true},
    {.name = "certified-walk",
     .title = "the paper's algorithm under certified distances",
     .refine = false},
    {.name = "certified-theta",
     .title = "certified search at θ = 0.05",
     .every_seed = true,
     .theta = kEditWalkTheta},
    {.name = "certified", .title = "certified search", .every_seed = true},
    {.name = "long", .title = "certified search, 5.8 × the work", .work = kTenMinutes},
}};

struct Plan {
  std::vector<std::string> modes{"ground-truth",
                                 "ground-truth-greed",
                                 "cff",
                                 "rcexplainer",
                                 "plain",
                                 "paper",
                                 "refined",
                                 "certified-walk",
                                 "certified-theta",
                                 "certified",
                                 "long"};
  std::vector<std::uint64_t> seeds{1, 2, 3};
  std::uint64_t steps = kPaperSteps;  ///< of the walks under GREED
  std::string folder = kResultsFolder;

  [[nodiscard]] bool has(const Mode& mode) const {
    return std::find(modes.begin(), modes.end(), mode.name) != modes.end();
  }
  [[nodiscard]] std::vector<std::uint64_t> seeds_of(const Mode& mode) const {
    return mode.every_seed ? seeds : std::vector<std::uint64_t>{1};
  }
  /// None if the library has no such method.
  [[nodiscard]] std::optional<ExplainOptions> options_of(const Mode& mode, std::uint64_t seed,
                                                         const std::string& dataset,
                                                         const Published& models) const {
    if (!builtin_parts().sources.contains(mode.method)) return std::nullopt;
    ExplainOptions options = mode.greed ? models.greed_options() : ExplainOptions{};
    const bool local = mode.method == "cff" || mode.method == "rcexplainer";
    if (local) set_local_explainer(mode.method, dataset, kTuning, options);
    options.method = mode.method;
    options.theta = mode.theta;
    options.fill = mode.theta.has_value();
    options.ties = mode.ties;
    options.refine = mode.refine;
    options.seed = seed;
    options.refine_work = mode.work;
    if (mode.greed || !mode.refine) options.steps = steps;
    return options;
  }
};

}  // namespace fewedits::bench
