// SPDX-License-Identifier: MIT
// Rules that are not searched for: those in the scripts of an explanation, and those that somebody
// wants to see measured.
#pragma once

#include <span>
#include <vector>

#include "fewedits/chem/graph_view.hpp"
#include "fewedits/explanation/explanation.hpp"
#include "fewedits/induction/induce.hpp"

namespace fewedits {

/// What the explanation's scripts do, as rules. Those that are no rule are left out; there are none
/// if it sees other bonds than `view` does.
std::vector<BroughtRule> rules_in_scripts(const Explanation& explanation, const Dataset& dataset,
                                          const GraphView& view);

/// The list of these rules, in order, with random edits beside it. Provenance, names and classes
/// are left to the caller. Throws Stopped if the pool is told to stop.
RuleList measured_list(std::span<const Rule> rules, std::uint64_t seed,
                       const RuleMaterial& material, const RuleTask& task, ThreadPool& pool);

}  // namespace fewedits
