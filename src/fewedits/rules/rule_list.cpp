// SPDX-License-Identifier: MIT
#include "fewedits/rules/rule_list.hpp"

#include <array>

namespace fewedits {
namespace {

constexpr std::array<std::string_view, 3> kObjectives = {"average", "somewhere", "everywhere"};

}  // namespace

std::string_view name_of(RuleObjective objective) {
  return kObjectives[static_cast<std::size_t>(objective)];
}

std::optional<RuleObjective> objective_of(std::string_view name) {
  for (std::size_t i = 0; i < kObjectives.size(); ++i) {
    if (kObjectives[i] == name) return static_cast<RuleObjective>(i);
  }
  return std::nullopt;
}

double figure_of(const RuleFigures& figures, RuleObjective objective) {
  switch (objective) {
    case RuleObjective::kOnAverage: return figures.on_average;
    case RuleObjective::kSomewhere: return figures.somewhere;
    case RuleObjective::kEverywhere: return figures.everywhere;
  }
  return 0;
}

}  // namespace fewedits
