// SPDX-License-Identifier: MIT
#include "fewedits/induction/draft_tally.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace fewedits {
namespace {

RuleDraft draft_in(const DraftWords& words) {
  RuleDraft out;
  std::size_t at = 1;
  for (std::uint32_t v = 0; v < words[0]; ++v, at += 2) {
    out.nodes.push_back({words[at], words[at + 1]});
  }
  for (; at < words.size(); at += 4) {
    out.edges.push_back({words[at], words[at + 1], words[at + 2], words[at + 3]});
  }
  return out;
}

}  // namespace

DraftWords words_of(const RuleDraft& draft) {
  DraftWords out{static_cast<std::uint32_t>(draft.nodes.size())};
  for (const RuleNode& v : draft.nodes) out.insert(out.end(), {v.before, v.after});
  for (const RuleEdge& e : draft.edges) out.insert(out.end(), {e.u, e.v, e.before, e.after});
  return out;
}

void DraftTally::add(const std::vector<DraftWords>& drafts_of_a_graph, std::size_t input) {
  std::vector<std::uint32_t> rules;
  for (const DraftWords& words : drafts_of_a_graph) {
    const auto [at, is_new] = rule_of_draft_.try_emplace(words, kNone);
    if (is_new) at->second = number_of(words);
    if (at->second != kNone) rules.push_back(at->second);
  }
  std::sort(rules.begin(), rules.end());
  rules.erase(std::unique(rules.begin(), rules.end()), rules.end());
  rules_of_.emplace_back(input, std::move(rules));
}

std::uint32_t DraftTally::number_of(const DraftWords& words) {
  const auto rule = rule_of(draft_in(words));
  if (!rule) return kNone;
  return number_.try_emplace(*rule, static_cast<std::uint32_t>(number_.size())).first->second;
}

std::vector<std::size_t> DraftTally::support_in(const std::vector<bool>& inputs) const {
  std::vector<std::size_t> out(number_.size(), 0);
  for (const auto& [input, rules] : rules_of_) {
    if (!inputs[input]) continue;
    for (const std::uint32_t rule : rules) ++out[rule];
  }
  return out;
}

std::vector<Rule> DraftTally::with_support(const std::vector<bool>& inputs,
                                           std::size_t least) const {
  const std::vector<std::size_t> support = support_in(inputs);
  std::vector<Rule> out;
  for (const auto& [rule, number] : number_) {
    if (support[number] >= least) out.push_back(rule);
  }
  return out;
}

std::vector<Rule> DraftTally::most_frequent(const std::vector<bool>& inputs, std::size_t most,
                                            std::size_t least) const {
  const std::vector<std::size_t> support = support_in(inputs);
  using Ranked = std::pair<std::tuple<std::size_t, int, std::size_t>, const Rule*>;
  std::vector<Ranked> ranked;
  for (const auto& [rule, number] : number_) {
    if (support[number] < least) continue;
    ranked.push_back({{inputs.size() - support[number], rule.cost(), rule.nodes_before()}, &rule});
  }
  // Rules are in order already.
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const Ranked& a, const Ranked& b) { return a.first < b.first; });
  std::vector<Rule> out;
  for (const Ranked& one : ranked) {
    if (out.size() < most) out.push_back(*one.second);
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace fewedits
