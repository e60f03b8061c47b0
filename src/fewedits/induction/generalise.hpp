// SPDX-License-Identifier: MIT
// From what was done to one graph to a rule: what changed, with as much of the rest as is needed
// to make it connected.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "fewedits/edit/edit.hpp"
#include "fewedits/proof/node_map.hpp"
#include "fewedits/rules/rule.hpp"

namespace fewedits {

/// Nodes and edges of a rule that is not in canonical order yet, and may be none.
struct RuleDraft {
  std::vector<RuleNode> nodes;
  std::vector<RuleEdge> edges;
};

/// Of one step of the edit map. Where what changes is not connected, shortest paths of the graph
/// join it. None: nothing changes, or L would have too many nodes.
std::optional<RuleDraft> draft_of(const Graph& graph, std::span<const Edit> step);
/// Of what lies between two graphs: map[v] is the node of `after` that node v of `before` becomes.
/// Labels of edges count where both have some.
std::optional<RuleDraft> draft_of(const Graph& before, const Graph& after,
                                  std::span<const Node> map);

/// The rule, if it is one.
std::optional<Rule> rule_of(const RuleDraft& draft);

}  // namespace fewedits
