// SPDX-License-Identifier: MIT
#include "fewedits/glance/rule_effects.hpp"

#include <algorithm>

#include "fewedits/rules/rewrite.hpp"

namespace fewedits {
namespace {

/// Inputs that are carried out for one rule: what it does is the same nearly everywhere.
constexpr std::size_t kMostCarriedOut = 60;
/// Share of the inputs in which a rule must move a pattern to be about it.
constexpr double kMost = 0.8;

/// The image that the list writes in short, if it is one.
std::optional<Image> image_of(const InputCount& input, const Rule& rule, const Graph& graph) {
  if (input.image.size() != rule.nodes_before()) return std::nullopt;
  Image image;
  image.fill(kNoNode);
  std::size_t next = 0;
  for (Node v = 0; v < rule.size(); ++v) {
    if (!rule.nodes()[v].comes()) image[v] = input.image[next++];
  }
  if (!is_occurrence(graph, rule, image)) return std::nullopt;
  return image;
}

}  // namespace

std::optional<HeldOutRule> held_out(const RuleList& list, std::size_t rule) {
  if (!list.held_out || list.held_out->lists.size() < 2 || list.inputs.empty()) return std::nullopt;
  const auto& lists = list.held_out->lists;
  const MeasuredRule& measured = list.rules[rule];
  std::vector<bool> has;
  has.reserve(lists.size());
  for (const std::vector<Rule>& one : lists) {
    has.push_back(std::find(one.begin(), one.end(), measured.rule) != one.end());
  }
  const auto part = fold_of_each(list.inputs.size(), lists.size(), list.provenance.seed);
  HeldOutRule out;
  double sum = 0;
  auto counted = measured.inputs.begin();
  for (std::size_t i = 0; i < list.inputs.size(); ++i) {
    while (counted != measured.inputs.end() && counted->input < list.inputs[i]) ++counted;
    if (!has[part[i]]) continue;
    ++out.inputs;
    if (counted != measured.inputs.end() && counted->input == list.inputs[i]) {
      sum += counted->count.share();
    }
  }
  if (2 * out.inputs < list.inputs.size()) return std::nullopt;
  out.on_average = sum / static_cast<double>(out.inputs);
  return out;
}

bool PatternMoves::is_most(const PatternKey& key, bool more) const {
  const auto found = moves.find(key);
  if (inputs == 0 || found == moves.end()) return false;
  const std::size_t count = more ? found->second.more : found->second.fewer;
  return static_cast<double>(count) >= kMost * static_cast<double>(inputs);
}

PatternMoves pattern_moves(const RuleList& list, std::size_t rule, const Dataset& dataset,
                           const GraphView& view, const PatternReader& reader) {
  PatternMoves out;
  const MeasuredRule& measured = list.rules[rule];
  if (!fits_labels(measured.rule, dataset.node_labels.size(), view.edge_label_names().size())) {
    return out;
  }
  for (const InputCount& input : measured.inputs) {
    if (out.inputs == kMostCarriedOut) break;
    if (input.image.empty() || input.input >= dataset.size()) continue;
    const Graph graph = view(dataset.graphs[input.input]);
    const auto image = image_of(input, measured.rule, graph);
    if (!image) continue;
    Graph result = rewritten(graph, measured.rule, *image);
    if (view.rules()) result = view.rules()->canonical(result);
    std::map<PatternKey, std::pair<std::size_t, std::size_t>> places;
    for (const SeenPattern& seen : reader.in_view(graph)) places[seen.key].first = seen.places;
    for (const SeenPattern& seen : reader.in_view(result)) places[seen.key].second = seen.places;
    for (const auto& [key, count] : places) {
      if (count.first < count.second) ++out.moves[key].more;
      if (count.first > count.second) ++out.moves[key].fewer;
    }
    ++out.inputs;
  }
  return out;
}

}  // namespace fewedits
