// SPDX-License-Identifier: MIT
#include "fewedits/induction/brought_rules.hpp"

#include <algorithm>
#include <utility>

#include "fewedits/induction/generalise.hpp"

namespace fewedits {

std::vector<BroughtRule> rules_in_scripts(const Explanation& explanation, const Dataset& dataset,
                                          const GraphView& view) {
  const GraphView seen(dataset, explanation.edge_label_names, "the explanation");
  if (seen.has_bonds() != view.has_bonds()) return {};
  std::vector<Rule> out;
  for (const Recourse& recourse : explanation.recourse) {
    if (!recourse.covered || !recourse.proof || !recourse.proof->script) continue;
    const Graph input = seen(dataset.graphs[recourse.input]);
    const EditScript& script = *recourse.proof->script;
    const auto map =
        std::span(script.map).first(std::min<std::size_t>(script.map.size(), input.num_nodes()));
    const Graph& target = explanation.counterfactuals[recourse.counterfactual].graph;
    if (!is_node_map(input, target, map)) continue;
    const auto draft = draft_of(input, target, map);
    if (!draft) continue;
    if (auto rule = rule_of(*draft)) out.push_back(std::move(*rule));
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  // Which graphs were found, and chosen, has to do with every input.
  std::vector<BroughtRule> brought;
  brought.reserve(out.size());
  for (Rule& rule : out) brought.push_back({std::move(rule)});
  return brought;
}

RuleList measured_list(std::span<const Rule> rules, std::uint64_t seed,
                       const RuleMaterial& material, const RuleTask& task, ThreadPool& pool) {
  RuleList out;
  out.theta = task.limits.theta;
  out.plausible = task.limits.known != nullptr;
  out.inputs = material.inputs;
  out.rules = measured(rules, material, task, pool);
  out.baselines.emplace().random_edits = random_edits(out.rules, seed, material, task, pool);
  return out;
}

}  // namespace fewedits
