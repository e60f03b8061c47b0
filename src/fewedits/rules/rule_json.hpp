// SPDX-License-Identifier: MIT
// Rule lists as text: "fewedits.rules/1" (docs/formats.md).
#pragma once

#include <cstdint>
#include <string>

#include "fewedits/rules/rule_list.hpp"

namespace fewedits {

inline constexpr const char* kRulesFormat = "fewedits.rules/1";
inline constexpr std::uint64_t kMaxRulesBytes = std::uint64_t{1} << 30;

std::string rules_json(const RuleList& list);
/// Throws Error naming `file` and the place in it for what is no rule list. Nothing in the text is
/// trusted; whether it is true is for others to say.
RuleList parse_rules(const std::string& text, const std::string& file);
/// Does the text say that it is one?
bool is_rules_json(const std::string& text);

}  // namespace fewedits
