// SPDX-License-Identifier: MIT
// Rules that change more: where single steps and pairs of them work at few places, the rules that
// work best are given one change more, again and again.
#pragma once

#include <cstddef>
#include <vector>

#include "fewedits/induction/place_table.hpp"
#include "fewedits/induction/views.hpp"
#include "fewedits/rules/measure.hpp"

namespace fewedits {

/// All rules with one change more: a leaf, another label of a node or an edge that stays, an edge
/// that goes, or one that comes between nodes that stay. Each once; ascending.
std::vector<Rule> with_one_change_more(const Rule& rule, std::size_t num_labels,
                                       std::size_t num_edge_labels);

struct MoreChangesOptions {
  std::size_t parents = 6;   ///< of each view, the rules that work best, once each
  std::size_t sample = 60;   ///< inputs on which their children are tried
  std::size_t children = 8;  ///< those that do best there are tried on all inputs
  /// An input is well served if some rule works at this share of its places: no need for more.
  double well_served = 0.9;
  double min_support = 0.01;  ///< share of a view's inputs that must not be well served
};

/// What has one change more than the table's rules, for each view. `known`: which rules a view
/// knows; `used`: which have had their children already, by view: these are noted. Ascending.
std::vector<ViewedRule> rules_with_more_changes(const PlaceTable& table,
                                                const std::vector<ViewSet>& known,
                                                std::vector<ViewSet>& used, const RuleViews& views,
                                                const RuleMaterial& material, const RuleTask& task,
                                                const MoreChangesOptions& options,
                                                ThreadPool& pool);

}  // namespace fewedits
