// SPDX-License-Identifier: MIT
// Rules of two steps, from inputs that no rule in hand helps: the best neighbours' neighbours.
// Internal to induction.
#pragma once

#include <cstddef>
#include <vector>

#include "fewedits/induction/place_table.hpp"
#include "fewedits/induction/views.hpp"
#include "fewedits/rules/measure.hpp"

namespace fewedits {

/// Of each view, at most `most` of its inputs are looked at, in the order of the views; which rules
/// of the table a view knows stands in `known`. Ascending. Throws Stopped if the pool is told to.
std::vector<ViewedRule> two_step_rules(const PlaceTable& table, const std::vector<ViewSet>& known,
                                       const RuleViews& views, const RuleMaterial& material,
                                       const RuleTask& task, std::size_t most, ThreadPool& pool);

}  // namespace fewedits
