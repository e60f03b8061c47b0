// SPDX-License-Identifier: MIT
// From a model and the graphs that it rejects to a few rules (docs/adr/0020).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "fewedits/base/stop_sign.hpp"
#include "fewedits/rules/measure.hpp"
#include "fewedits/rules/rule_list.hpp"

namespace fewedits {

/// A rule that somebody has in hand.
struct BroughtRule {
  Rule rule;
  /// The graph that it comes from, and no other; unset: it may owe something to any. Lists that are
  /// measured on that graph's part, or on any, are chosen without it.
  std::optional<std::uint32_t> input = {};
};

struct InduceOptions {
  std::size_t rules = 10;  ///< at most
  RuleObjective objective = RuleObjective::kOnAverage;
  std::size_t folds = 5;  ///< fewer than 2: nothing is held out
  std::uint64_t seed = 1;
  double min_support = 0.01;     ///< share of the inputs that a candidate must apply to
  std::size_t expansions = 100;  ///< candidates that get more context (GrowOptions)
  std::size_t two_steps = 60;  ///< inputs without an accepted neighbour that are looked at further
  std::size_t random_lists = 10;
  /// Times that the rules that work best get one change more, for inputs that are not well served.
  std::size_t more_changes = 4;
  std::vector<BroughtRule> more_candidates = {};  ///< to be tried beside the steps of the edit map
};

struct InduceHooks {
  std::function<void(const char* stage, std::size_t done, std::size_t all)> progress = {};
  const StopSign* stop = nullptr;
};

/// What is known of the search itself; nothing depends on it.
struct InduceStatistics {
  std::size_t cores = 0;       ///< candidates without more context than they need
  std::size_t candidates = 0;  ///< all
  std::uint64_t asked = 0;     ///< graphs shown to the model
};

/// Provenance, names and classes are left to the caller. The same seed gives the same rules for any
/// number of threads. Told to stop, it chooses from what it has tried, leaves out what is not done
/// yet (held-out figures and baselines) and says so; throws Stopped if nothing was tried by then.
RuleList induce(const RuleMaterial& material, const RuleTask& task, const InduceOptions& options,
                ThreadPool& pool, const InduceHooks& hooks = {},
                InduceStatistics* statistics = nullptr);

}  // namespace fewedits
