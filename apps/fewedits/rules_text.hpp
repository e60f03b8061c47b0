// SPDX-License-Identifier: MIT
// What is said of a list of rules on a terminal.
#pragma once

#include <string>

#include "fewedits/rules/rule_list.hpp"
#include "rule_arguments.hpp"

namespace fewedits::cli {

std::string rules_text(const RuleList& list, const RuleSources& material);

}  // namespace fewedits::cli
