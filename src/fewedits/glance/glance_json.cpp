// SPDX-License-Identifier: MIT
#include "fewedits/glance/glance_json.hpp"

#include <nlohmann/json.hpp>
#include <utility>

namespace fewedits {
namespace {

using Json = nlohmann::ordered_json;

template <typename Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json();
}

Json interval_json(const Interval& interval) { return Json::array({interval.low, interval.high}); }

Json sentence_json(const GlanceSentence& sentence) {
  Json figures = Json::array();
  for (const GlanceFigure& one : sentence.figures) {
    figures.push_back({{"about", one.about},
                       {"share", one.share},
                       {"of", one.of},
                       {"interval", interval_json(one.interval)}});
  }
  return {{"kind", name_of(sentence.kind)}, {"text", sentence.text},
          {"figures", std::move(figures)},  {"pattern", or_null(sentence.pattern)},
          {"list", or_null(sentence.list)}, {"rule", or_null(sentence.rule)}};
}

Json graph_json(const Graph& graph) {
  Json edges = Json::array();
  for (const Edge& e : graph.edges()) {
    edges.push_back(graph.has_edge_labels() ? Json::array({e.u, e.v, e.label})
                                            : Json::array({e.u, e.v}));
  }
  Json labels = Json::array();
  for (const Label label : graph.labels()) labels.push_back(label);
  return {{"labels", std::move(labels)}, {"edges", std::move(edges)}};
}

Json pattern_json(const PatternShare& one) {
  Json example;
  if (one.example) example = {{"graph", one.example->graph}, {"nodes", one.example->nodes}};
  return {{"kind", name_of(one.kind)},
          {"name", one.name},
          {"text", one.text},
          {"pattern", one.pattern ? graph_json(*one.pattern) : Json()},
          {"example", std::move(example)},
          {"counts",
           {{"rejected", one.counts.rejected},
            {"accepted", one.counts.accepted},
            {"counterfactuals", or_null(one.counts.counterfactuals)}}},
          {"rejected", one.rejected},
          {"accepted", one.accepted},
          {"counterfactuals", or_null(one.counterfactuals)},
          {"difference", one.difference},
          {"interval", interval_json(one.interval)},
          {"tells", one.tells}};
}

}  // namespace

std::string glance_json(const Glance& glance) {
  Json opening = Json::array();
  for (const GlanceSentence& one : glance.opening) opening.push_back(sentence_json(one));
  Json patterns = Json::array();
  for (const PatternShare& one : glance.patterns) patterns.push_back(pattern_json(one));
  const Json json = {{"format", kGlanceFormat},
                     {"graphs",
                      {{"rejected", glance.rejected},
                       {"accepted", glance.accepted},
                       {"counterfactuals", glance.counterfactuals}}},
                     {"tried", glance.tried},
                     {"opening", std::move(opening)},
                     {"patterns", std::move(patterns)},
                     {"notes", glance.notes}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace fewedits
