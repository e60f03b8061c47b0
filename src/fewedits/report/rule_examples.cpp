// SPDX-License-Identifier: MIT
#include "fewedits/report/rule_examples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "fewedits/base/error.hpp"

namespace fewedits {
namespace {

/// The list leaves out the nodes that come.
std::optional<Image> image_of(const std::vector<Node>& listed, const Rule& rule, Node nodes) {
  if (listed.size() != rule.nodes_before()) return std::nullopt;
  Image out;
  out.fill(kNoNode);
  std::size_t at = 0;
  for (Node v = 0; v < rule.size(); ++v) {
    if (rule.nodes()[v].comes()) continue;
    if (listed[at] >= nodes) return std::nullopt;
    out[v] = listed[at++];
  }
  return out;
}

/// Nodes keep their order; those that go are left out.
NodeMap map_of(const Rule& rule, const Image& image, Node nodes) {
  NodeMap out(nodes, 0);
  for (Node v = 0; v < rule.size(); ++v) {
    if (rule.nodes()[v].goes()) out[image[v]] = kUnmatched;
  }
  Node next = 0;
  for (Node& to : out) {
    if (to != kUnmatched) to = next++;
  }
  return out;
}

RuleExample carried_out(const InputCount& of, bool works, const Rule& rule, const Graph& graph,
                        const Image& image) {
  return {of, works, graph, rewritten(graph, rule, image), map_of(rule, image, graph.num_nodes())};
}

/// The first place that counts.
std::optional<Image> first_place(const RuleMatcher& matcher, const Graph& graph,
                                 const RewriteLimits& limits) {
  const Rule& rule = matcher.rule();
  if (!is_within(limits.theta, rule, graph.size())) return std::nullopt;
  const std::size_t parts = rule.removes() ? num_components(graph) : 1;
  for (const Place& place : matcher.places(graph, first_twins(graph))) {
    if (is_allowed(rewritten(graph, rule, place.image), rule, limits, parts)) return place.image;
  }
  return std::nullopt;
}

/// In the middle of as many equal parts of the list, which is sorted by size.
template <typename T>
std::vector<T> spread(const std::vector<T>& from, std::size_t most) {
  if (from.size() <= most) return from;
  std::vector<T> out;
  for (std::size_t i = 0; i < most; ++i)
    out.push_back(from[(2 * i + 1) * from.size() / (2 * most)]);
  return out;
}

}  // namespace

std::vector<RuleExample> rule_examples(const MeasuredRule& rule, const std::vector<Graph>& graphs,
                                       const RewriteLimits& limits, const ExampleCounts& counts,
                                       const std::string& file) {
  std::vector<const InputCount*> worked;
  std::vector<const InputCount*> failed;
  for (const InputCount& one : rule.inputs) {
    if (one.input >= graphs.size()) {
      throw Error({file}, fmt::format("a rule applies to graph {}, which is not there", one.input),
                  "fewedits-verify says what holds");
    }
    if (one.count.somewhere()) worked.push_back(&one);
    if (one.count.applies() && (!one.count.somewhere() || one.count.before_first > 0)) {
      failed.push_back(&one);
    }
  }
  const auto by_size = [&](const InputCount* a, const InputCount* b) {
    return graphs[a->input].size() < graphs[b->input].size();
  };
  std::stable_sort(worked.begin(), worked.end(), by_size);
  std::stable_sort(failed.begin(), failed.end(), by_size);
  std::vector<RuleExample> out;
  for (const InputCount* one : spread(worked, counts.worked)) {
    const Graph& graph = graphs[one->input];
    const auto image = image_of(one->image, rule.rule, graph.num_nodes());
    if (!image || !is_occurrence(graph, rule.rule, *image)) {
      throw Error({file},
                  fmt::format("a rule does not apply where it says, in graph {}", one->input),
                  "fewedits-verify says what holds");
    }
    out.push_back(carried_out(*one, true, rule.rule, graph, *image));
  }
  const RuleMatcher matcher(rule.rule);
  for (const InputCount* one : spread(failed, counts.failed)) {
    const Graph& graph = graphs[one->input];
    const auto image = first_place(matcher, graph, limits);
    if (image) out.push_back(carried_out(*one, false, rule.rule, graph, *image));
  }
  return out;
}

}  // namespace fewedits
