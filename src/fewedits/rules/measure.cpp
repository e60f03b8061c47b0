// SPDX-License-Identifier: MIT
#include "fewedits/rules/measure.hpp"

#include <algorithm>
#include <memory>
#include <set>
#include <unordered_map>
#include <utility>

#include "fewedits/base/error.hpp"
#include "fewedits/edit/moves.hpp"
#include "fewedits/graph/identity.hpp"
#include "fewedits/graph/shape_hash.hpp"

namespace fewedits {
namespace {

/// One pool of a single thread for each worker of another one: for work on one graph at a time.
class OwnPools {
 public:
  explicit OwnPools(const ThreadPool& pool) {
    for (int i = 0; i < pool.size(); ++i) {
      pools_.push_back(std::make_unique<ThreadPool>(1));
      pools_.back()->obey(pool.stop_sign());
    }
  }
  ThreadPool& operator[](int worker) { return *pools_[static_cast<std::size_t>(worker)]; }

 private:
  std::vector<std::unique_ptr<ThreadPool>> pools_;
};

std::vector<Node> listed(const Image& image, const Rule& rule) {
  std::vector<Node> out;
  for (Node v = 0; v < rule.size(); ++v) {
    if (!rule.nodes()[v].comes()) out.push_back(image[v]);
  }
  return out;
}

/// By rule, what it does to each of some graphs.
std::vector<std::vector<InputCount>> counts_of(std::span<const Rule> rules,
                                               const RuleMaterial& material,
                                               std::span<const std::uint32_t> indices,
                                               const RuleTask& task, ThreadPool& pool) {
  const std::vector<RuleMatcher> matchers(rules.begin(), rules.end());
  std::vector<std::vector<InputCount>> out(rules.size(), std::vector<InputCount>(indices.size()));
  OwnPools alone(pool);
  pool.for_chunks(indices.size(), 4, [&](std::size_t begin, std::size_t end, int worker) {
    for (std::size_t i = begin; i < end; ++i) {
      pool.check_stop();
      const auto places = judged_places(material.graphs[indices[i]], matchers, task, alone[worker]);
      for (std::size_t r = 0; r < rules.size(); ++r) {
        out[r][i].input = indices[i];
        out[r][i].count = count_of(places[r]);
        if (!out[r][i].count.somewhere()) continue;
        out[r][i].image = listed(places[r][out[r][i].count.before_first].image, rules[r]);
      }
    }
  });
  return out;
}

RuleUse use_of(const std::vector<InputCount>& counts) {
  RuleUse out;
  for (const InputCount& one : counts) {
    out.graphs += one.count.applies() ? 1U : 0U;
    out.places += one.count.places;
    out.accepted += one.count.works;
  }
  return out;
}

/// Who of a dataset is who.
class Population {
 public:
  Population(const std::vector<Graph>& graphs, ThreadPool& pool) : graphs_(graphs) {
    std::vector<std::uint64_t> hashes(graphs.size());
    pool.for_chunks(graphs.size(), 64, [&](std::size_t begin, std::size_t end, int) {
      for (std::size_t i = begin; i < end; ++i) hashes[i] = shape_hash(graphs[i]);
    });
    for (std::uint32_t i = 0; i < graphs.size(); ++i) by_hash_[hashes[i]].push_back(i);
  }

  /// Graphs that are isomorphic to this one.
  [[nodiscard]] std::vector<std::uint32_t> same_as(const Graph& graph) const {
    const auto at = by_hash_.find(shape_hash(graph));
    if (at == by_hash_.end()) return {};
    const Identity identity(graph);
    std::vector<std::uint32_t> out;
    for (const std::uint32_t i : at->second) {
      if (Identity(graphs_[i]) == identity) out.push_back(i);
    }
    return out;
  }

 private:
  const std::vector<Graph>& graphs_;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> by_hash_;
};

/// The graphs of the population that a rule makes of one of them.
std::set<std::uint32_t> partners_of(const Graph& graph, const RuleMatcher& matcher,
                                    const RuleTask& task, const Population& population) {
  std::set<std::uint32_t> out;
  const Rule& rule = matcher.rule();
  if (!is_within(task.limits.theta, rule, graph.size())) return out;
  for (const Place& place : matcher.places(graph, first_twins(graph))) {
    const auto same = population.same_as(rewritten(graph, rule, place.image));
    out.insert(same.begin(), same.end());
  }
  return out;
}

void count_pairs(const RuleMaterial& material, const RuleTask& task, const Population& population,
                 ThreadPool& pool, MeasuredRule& rule) {
  const RuleMatcher matcher(rule.rule);
  std::vector<std::set<std::uint32_t>> partners(material.graphs.size());
  pool.for_chunks(partners.size(), 16, [&](std::size_t begin, std::size_t end, int) {
    for (std::size_t i = begin; i < end; ++i) {
      partners[i] = partners_of(material.graphs[i], matcher, task, population);
    }
  });
  if (!material.classes.empty()) rule.pairs_other_class = 0;
  for (std::size_t i = 0; i < partners.size(); ++i) {
    rule.pairs += partners[i].size();
    if (material.classes.empty()) continue;
    for (const std::uint32_t other : partners[i]) {
      *rule.pairs_other_class += material.classes[i] != material.classes[other] ? 1U : 0U;
    }
  }
}

PatternCounts pattern_counts(const Graph& pattern, std::span<const Graph> rejected,
                             std::span<const Graph> accepted, ThreadPool& pool) {
  return {num_with_pattern(rejected, pattern, pool), num_with_pattern(accepted, pattern, pool)};
}

/// Of labels of nodes that change: those they have before, or after.
std::vector<LabelCounts> label_counts_of(const Rule& rule, Label RuleNode::*side,
                                         std::span<const Graph> rejected,
                                         std::span<const Graph> accepted, ThreadPool& pool) {
  std::set<Label> labels;
  for (const RuleNode& node : rule.nodes()) {
    if (node.changes() && node.*side != kAbsent) labels.insert(node.*side);
  }
  std::vector<LabelCounts> out;
  for (const Label label : labels) {
    const Graph one(std::span(&label, 1), {});
    out.push_back({label, pattern_counts(one, rejected, accepted, pool)});
  }
  return out;
}

std::optional<Rule> inverse_of(const Rule& rule) {
  try {
    return rule.inverse();
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// A pattern that is looked for must be connected.
bool is_connected_pattern(const Graph& pattern) {
  return pattern.num_nodes() <= Rule::kMostBefore && pattern.is_connected();
}

/// How many graphs are shown to the model, by input.
std::vector<std::uint32_t> calls_by_input(std::span<const MeasuredRule> rules,
                                          const std::vector<std::uint32_t>& inputs) {
  std::vector<std::uint32_t> out(inputs.size(), 0);
  std::vector<bool> over(inputs.size(), false);
  for (const MeasuredRule& rule : rules) {
    for (const InputCount& one : rule.inputs) {
      const auto i = static_cast<std::size_t>(
          std::lower_bound(inputs.begin(), inputs.end(), one.input) - inputs.begin());
      if (over[i]) continue;
      out[i] += one.count.calls();
      over[i] = one.count.somewhere();
    }
  }
  return out;
}

}  // namespace

std::vector<Graph> RuleMaterial::of(std::span<const std::uint32_t> indices) const {
  std::vector<Graph> out;
  out.reserve(indices.size());
  for (const std::uint32_t i : indices) out.push_back(graphs[i]);
  return out;
}

RuleMaterial rule_material(const Dataset& dataset, const GraphView& view,
                           std::vector<std::uint32_t> inputs, std::vector<std::uint32_t> accepted) {
  RuleMaterial out;
  for (const Graph& graph : dataset.graphs) out.graphs.push_back(view(graph));
  out.classes = dataset.classes;
  out.inputs = std::move(inputs);
  out.accepted = std::move(accepted);
  out.num_labels = dataset.node_labels.size();
  out.num_edge_labels = view.edge_label_names().size();
  return out;
}

RewriteLimits rule_limits(const GraphView& view, Constraints constraints, double theta,
                          bool plausible, const RuleMaterial& material) {
  RewriteLimits out{std::move(constraints), theta, nullptr};
  out.constraints.connected = false;
  out.constraints.molecule = view.rules();
  if (plausible) out.known = std::make_shared<const KnownNeighbourhoods>(material.graphs);
  return out;
}

RewriteLimits recorded_limits(const RuleList& list, const GraphView& view,
                              const RuleMaterial& material) {
  Constraints constraints;
  for (const std::string& text : list.provenance.values_of("constraint")) {
    add_constraint(text, list.label_names, constraints);
  }
  return rule_limits(view, std::move(constraints), list.theta, list.plausible, material);
}

std::vector<MeasuredRule> measured(std::span<const Rule> rules, const RuleMaterial& material,
                                   const RuleTask& task, ThreadPool& pool) {
  const auto on_inputs = counts_of(rules, material, material.inputs, task, pool);
  const auto on_accepted = counts_of(rules, material, material.accepted, task, pool);
  RuleCounts counts(rules.size());
  for (std::size_t r = 0; r < rules.size(); ++r) {
    for (const InputCount& one : on_inputs[r]) counts[r].push_back(one.count);
  }
  const Population population(material.graphs, pool);
  const std::vector<Graph> rejected_graphs = material.of(material.inputs);
  const std::vector<Graph> accepted_graphs = material.of(material.accepted);
  const auto kind =
      material.num_edge_labels > 0 ? Graph::EdgeLabels::kPresent : Graph::EdgeLabels::kAbsent;
  std::vector<MeasuredRule> out;
  for (std::size_t r = 0; r < rules.size(); ++r) {
    MeasuredRule one(rules[r]);
    one.alone = list_figures({counts[r]}, 1, material.inputs.size());
    one.list = list_figures(counts, r + 1, material.inputs.size());
    for (const InputCount& count : on_inputs[r]) {
      if (count.count.applies()) one.inputs.push_back(count);
    }
    one.on_accepted = use_of(on_accepted[r]);
    if (const auto inverse = inverse_of(rules[r])) {
      one.inverse_on_accepted =
          use_of(counts_of(std::span(&*inverse, 1), material, material.accepted, task, pool)[0]);
    }
    one.left = pattern_counts(rules[r].left(kind), rejected_graphs, accepted_graphs, pool);
    const Graph right = rules[r].right(kind);
    if (is_connected_pattern(right)) {
      one.right = pattern_counts(right, rejected_graphs, accepted_graphs, pool);
    }
    one.lost = label_counts_of(rules[r], &RuleNode::before, rejected_graphs, accepted_graphs, pool);
    one.won = label_counts_of(rules[r], &RuleNode::after, rejected_graphs, accepted_graphs, pool);
    count_pairs(material, task, population, pool, one);
    out.push_back(std::move(one));
  }
  return out;
}

RuleFigures held_out_figures(std::span<const std::vector<Rule>> lists, std::uint64_t seed,
                             const RuleMaterial& material, const RuleTask& task, ThreadPool& pool) {
  const auto part = fold_of_each(material.inputs.size(), lists.size(), seed);
  std::vector<RuleFigures> each(material.inputs.size());
  for (std::uint32_t f = 0; f < lists.size(); ++f) {
    std::vector<std::size_t> places;
    std::vector<Graph> graphs;
    for (std::size_t i = 0; i < part.size(); ++i) {
      if (part[i] != f) continue;
      places.push_back(i);
      graphs.push_back(material.graphs[material.inputs[i]]);
    }
    const RuleCounts counts = count_rules(lists[f], graphs, task, pool);
    std::vector<RuleCount> column(lists[f].size());
    for (std::size_t i = 0; i < places.size(); ++i) {
      for (std::size_t r = 0; r < column.size(); ++r) column[r] = counts[r][i];
      each[places[i]] = figures_of(column);
    }
  }
  return mean_of(each);
}

RuleFigures mean_figures(std::span<const std::vector<Rule>> lists, const RuleMaterial& material,
                         const RuleTask& task, ThreadPool& pool) {
  const std::vector<Graph> graphs = material.of(material.inputs);
  std::vector<RuleFigures> each;
  for (const std::vector<Rule>& list : lists) {
    each.push_back(list_figures(count_rules(list, graphs, task, pool), list.size(), graphs.size()));
  }
  return mean_of(each);
}

double random_edits(std::span<const MeasuredRule> rules, std::uint64_t seed,
                    const RuleMaterial& material, const RuleTask& task, ThreadPool& pool) {
  const auto calls = calls_by_input(rules, material.inputs);
  std::vector<std::size_t> lucky(material.inputs.size(), 0);
  OwnPools alone(pool);
  pool.for_chunks(lucky.size(), 4, [&](std::size_t begin, std::size_t end, int worker) {
    for (std::size_t i = begin; i < end; ++i) {
      pool.check_stop();
      if (calls[i] == 0) continue;
      const Graph& graph = material.graphs[material.inputs[i]];
      const Moves all = moves(
          graph, {.num_labels = material.num_labels, .num_edge_labels = material.num_edge_labels},
          task.limits.constraints);
      std::vector<std::size_t> near;
      for (std::size_t m = 0; m < all.size(); ++m) {
        const auto both = static_cast<double>(2 * static_cast<std::ptrdiff_t>(graph.size()) +
                                              size_change(all[m]));
        if (cost_of(all[m]) / both <= task.limits.theta) near.push_back(m);
      }
      Rng rng(seed, material.inputs[i]);
      for (std::size_t draw = 0; draw < kRandomEditDraws; ++draw) {
        std::vector<Graph> results;
        for (std::size_t c = 0; c < near.size() && results.size() < calls[i]; ++c) {
          std::swap(near[c], near[c + rng.below(near.size() - c)]);
          Graph result = apply_step(graph, all[near[c]]);
          // What is not plausible is not shown to the model.
          if (task.limits.known && !task.limits.known->contain_all_of(result)) continue;
          results.push_back(std::move(result));
        }
        auto judged = judge(results, task.classifier, task.goal, alone[worker]);
        ask_second(results, task, alone[worker], judged);
        lucky[i] += std::any_of(judged.begin(), judged.end(),
                                [](const Judgement& one) { return one.accepted; })
                        ? 1U
                        : 0U;
      }
    }
  });
  std::size_t sum = 0;
  for (const std::size_t one : lucky) sum += one;
  return lucky.empty()
             ? 0
             : static_cast<double>(sum) / static_cast<double>(lucky.size() * kRandomEditDraws);
}

}  // namespace fewedits
