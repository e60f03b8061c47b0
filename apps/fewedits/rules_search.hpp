// SPDX-License-Identifier: MIT
// Rules found, or a user's own measured: what `rules` does, and `explain --rules` after it.
#pragma once

#include <string>
#include <vector>

#include "fewedits/induction/induce.hpp"
#include "rule_arguments.hpp"

namespace fewedits::cli {

struct RulesArguments {
  RuleArguments on;
  InduceOptions options;
  std::string objective = "average";
  std::vector<std::string> tried;
  std::string measured;  ///< a file of rules that are measured; empty: none

  [[nodiscard]] bool searches() const { return tried.empty() && measured.empty(); }
  double time_limit = 0;
  std::string output;
  bool json = false;
};

struct FoundRules {
  RuleList list;
  InduceStatistics statistics;
  double seconds = 0;
};

/// Throws Stopped if it was told to before it had anything.
FoundRules find_rules(RulesArguments& arguments, const RuleSources& sources, const StopSign& stop,
                      ThreadPool& pool);

}  // namespace fewedits::cli
