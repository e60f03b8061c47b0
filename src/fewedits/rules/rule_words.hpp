// SPDX-License-Identifier: MIT
// Rules as sentences: "attach sodium to an oxygen", "replace hydrogen at a nitrogen by fluorine".
#pragma once

#include <string>

#include "fewedits/rules/rule_text.hpp"

namespace fewedits {

/// Without a capital and a full stop. What is context and not named in the sentence stands at its
/// end as the pattern that it is in: "(in C-C-N)".
std::string rule_words(const Rule& rule, const RuleNames& names, bool molecules);

/// "sodium" for "Na"; charges stay: "nitrogen (N+)". Names of no known element stay as they are.
std::string element_words(const std::string& name);

}  // namespace fewedits
