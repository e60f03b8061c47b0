// SPDX-License-Identifier: MIT
// All figures of given rules, counted from the graphs and the model. Nothing is searched for:
// fewedits-verify counts with this, too.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fewedits/chem/graph_view.hpp"
#include "fewedits/graph/dataset.hpp"
#include "fewedits/rules/rule_list.hpp"

namespace fewedits {

/// What rules are measured on.
struct RuleMaterial {
  std::vector<Graph> graphs;            ///< of the filtered dataset, as rules see them
  std::vector<int> classes;             ///< true ones; empty: there are none
  std::vector<std::uint32_t> inputs;    ///< ascending
  std::vector<std::uint32_t> accepted;  ///< ascending
  std::size_t num_labels = 0;
  std::size_t num_edge_labels = 0;  ///< 0: edges have none

  [[nodiscard]] std::vector<Graph> of(std::span<const std::uint32_t> indices) const;
};

RuleMaterial rule_material(const Dataset& dataset, const GraphView& view,
                           std::vector<std::uint32_t> inputs, std::vector<std::uint32_t> accepted);
/// Molecules are to be valid where the view has rules for them; `plausible`: neighbourhoods must
/// occur among the material's graphs.
RewriteLimits rule_limits(const GraphView& view, Constraints constraints, double theta,
                          bool plausible, const RuleMaterial& material);
/// Those that a list was made under, as it records them. Throws Error for constraints that are
/// none.
RewriteLimits recorded_limits(const RuleList& list, const GraphView& view,
                              const RuleMaterial& material);

/// The list, in order.
std::vector<MeasuredRule> measured(std::span<const Rule> rules, const RuleMaterial& material,
                                   const RuleTask& task, ThreadPool& pool);

/// Each input by the list of its part.
RuleFigures held_out_figures(std::span<const std::vector<Rule>> lists, std::uint64_t seed,
                             const RuleMaterial& material, const RuleTask& task, ThreadPool& pool);

/// The mean of the lists' figures on all inputs.
RuleFigures mean_figures(std::span<const std::vector<Rule>> lists, const RuleMaterial& material,
                         const RuleTask& task, ThreadPool& pool);

/// RuleBaselines::random_edits of the list. Steps with more edits than theta allows are not drawn,
/// nor are implausible ones where only plausible ones count.
double random_edits(std::span<const MeasuredRule> rules, std::uint64_t seed,
                    const RuleMaterial& material, const RuleTask& task, ThreadPool& pool);

}  // namespace fewedits
