// SPDX-License-Identifier: MIT
// Checks a list of rules: every place of every rule is looked for, carried out and shown to the
// model again, and all figures are made anew from that. Nothing searches for rules.
#pragma once

#include <string>

#include "fewedits/rules/rule_list.hpp"
#include "fewedits/verification/verifier.hpp"

namespace fewedits::verify {

/// Report::scripts are occurrences that were replayed. What a file says of how the search went (how
/// many rules were asked for, with how much work) is not checked, nor that its rules are the best.
/// `second`: the second model that the list names, by its hash; null if it names none.
Report verify_rules(const RuleList& list, const Material& material, const Acceptance& acceptance,
                    const Classifier* second, const std::string& second_hash,
                    const std::string& file, ThreadPool& pool);

}  // namespace fewedits::verify
