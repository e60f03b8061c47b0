// SPDX-License-Identifier: MIT
// Rules at random: every kind of change, with and without labels of edges.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "fewedits/base/error.hpp"
#include "fewedits/base/rng.hpp"
#include "fewedits/rules/rule.hpp"

namespace fewedits::test {

inline std::optional<Rule> perhaps_a_rule(Rng& rng, Label labels, Label edge_labels,
                                          std::size_t most_nodes) {
  const auto label = [&] { return static_cast<Label>(rng.below(labels)); };
  const auto edge_label = [&] {
    return edge_labels > 0 ? static_cast<Label>(rng.below(edge_labels)) : 0;
  };
  std::vector<RuleNode> nodes;
  const std::size_t count = 1 + rng.below(most_nodes);
  for (std::size_t v = 0; v < count; ++v) {
    const Label before = label();
    switch (rng.below(6)) {
      case 0: nodes.push_back({kAbsent, before}); break;
      case 1: nodes.push_back({before, kAbsent}); break;
      case 2: nodes.push_back({before, label()}); break;
      default: nodes.push_back({before, before});
    }
  }
  std::vector<RuleEdge> edges;
  for (Node v = 1; v < count; ++v) {
    for (Node u = 0; u < v; ++u) {
      if (rng.below(count) > 1) continue;
      const Label before = edge_label();
      RuleEdge e{u, v, before, before};
      if (rng.below(4) == 0) e.before = kAbsent;
      if (rng.below(4) == 0) e.after = kAbsent;
      if (rng.below(4) == 0 && !e.goes()) e.after = edge_label();
      if (nodes[u].comes() || nodes[v].comes()) e.before = kAbsent;
      if (nodes[u].goes() || nodes[v].goes()) e.after = kAbsent;
      if (!e.comes() || !e.goes()) edges.push_back(e);
    }
  }
  try {
    return Rule(std::move(nodes), std::move(edges));
  } catch (const Error&) {
    return std::nullopt;
  }
}

inline Rule random_rule(Rng& rng, Label labels, Label edge_labels, std::size_t most_nodes = 5) {
  for (;;) {
    if (auto rule = perhaps_a_rule(rng, labels, edge_labels, most_nodes)) return *std::move(rule);
  }
}

}  // namespace fewedits::test
