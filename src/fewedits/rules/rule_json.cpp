// SPDX-License-Identifier: MIT
#include "fewedits/rules/rule_json.hpp"

#include <fmt/format.h>

#include <utility>

#include "fewedits/base/error.hpp"
#include "fewedits/rules/json_parts.hpp"

namespace fewedits {
namespace {

using Value = JsonValue;

/// Rules in a list, and lists: whoever checks them looks for each in all graphs.
constexpr std::size_t kMostRules = 1000;

// ---- Writing

Json label_json(Label label) { return label == kAbsent ? Json() : Json(label); }

Json rule_json(const Rule& rule) {
  Json nodes = Json::array();
  for (const RuleNode& v : rule.nodes()) {
    nodes.push_back(Json::array({label_json(v.before), label_json(v.after)}));
  }
  Json edges = Json::array();
  for (const RuleEdge& e : rule.edges()) {
    edges.push_back(Json::array({e.u, e.v, label_json(e.before), label_json(e.after)}));
  }
  return {{"nodes", std::move(nodes)}, {"edges", std::move(edges)}};
}

Json lists_json(const std::vector<std::vector<Rule>>& lists) {
  Json out = Json::array();
  for (const std::vector<Rule>& list : lists) {
    Json rules = Json::array();
    for (const Rule& rule : list) rules.push_back(rule_json(rule));
    out.push_back(std::move(rules));
  }
  return out;
}

Json figures_json(const RuleFigures& f) {
  return {{"support", f.support},       {"somewhere", f.somewhere},   {"calls", f.calls},
          {"on_average", f.on_average}, {"everywhere", f.everywhere}, {"one_try", f.one_try}};
}

Json use_json(const RuleUse& use) {
  return {{"graphs", use.graphs}, {"places", use.places}, {"accepted", use.accepted}};
}

Json counts_json(const PatternCounts& counts) {
  return {{"rejected", counts.rejected}, {"accepted", counts.accepted}};
}

Json labels_json(const std::vector<LabelCounts>& counts) {
  Json out = Json::array();
  for (const LabelCounts& one : counts) {
    out.push_back(Json::array({one.label, one.graphs.rejected, one.graphs.accepted}));
  }
  return out;
}

Json measured_json(const MeasuredRule& one, const RuleNames& names) {
  Json json{{"text", rule_text(one.rule, names)}};
  json.update(rule_json(one.rule));
  json["edits"] = one.rule.cost();
  json["alone"] = figures_json(one.alone);
  json["list"] = figures_json(one.list);
  json["on_accepted"] = use_json(one.on_accepted);
  if (one.inverse_on_accepted) json["inverse_on_accepted"] = use_json(*one.inverse_on_accepted);
  json["left"] = counts_json(one.left);
  if (one.right) json["right"] = counts_json(*one.right);
  json["lost"] = labels_json(one.lost);
  json["won"] = labels_json(one.won);
  json["pairs"] = one.pairs;
  if (one.pairs_other_class) json["pairs_other_class"] = *one.pairs_other_class;
  Json inputs = Json::array();
  for (const InputCount& input : one.inputs) {
    inputs.push_back(Json::array({input.input, input.count.places, input.count.works,
                                  input.count.before_first, input.image}));
  }
  json["inputs"] = std::move(inputs);
  return json;
}

}  // namespace

Json options_json(const std::vector<std::pair<std::string, std::string>>& options) {
  Json object = Json::object();
  for (const auto& [name, value] : options) {
    Json& entry = object[name];
    if (entry.is_null()) {
      entry = value;
    } else if (entry.is_string()) {
      entry = Json::array({entry, value});
    } else {
      entry.push_back(value);
    }
  }
  return object;
}

namespace {

/// Lists of numbers on one line.
void append(const Json& json, std::size_t indent, std::string& out) {
  const auto is_flat = [](const Json& list) {
    for (const Json& item : list) {
      if (!item.is_structured()) continue;
      for (const Json& inner : item) {
        if (inner.is_object()) return false;
      }
      if (item.is_object()) return false;
    }
    return true;
  };
  const auto dump = [](const Json& value) {
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
  };
  if (!json.is_structured() || json.empty() ||
      (json.is_array() && is_flat(json) && json.size() < 40)) {
    out += dump(json);
    return;
  }
  const std::string newline = "\n" + std::string(indent + 1, ' ');
  out += json.is_object() ? '{' : '[';
  bool first = true;
  for (auto item = json.begin(); item != json.end(); ++item) {
    out += first ? newline : "," + newline;
    first = false;
    if (json.is_object()) out += dump(Json(item.key())) + ": ";
    append(*item, indent + 1, out);
  }
  out += newline.substr(0, indent + 1);
  out += json.is_object() ? '}' : ']';
}

// ---- Reading

Label read_label(const Value& value) { return value.is_null() ? kAbsent : value.index(); }

Rule read_rule(const Value& value) {
  std::vector<RuleNode> nodes;
  for (const Value& v : value["nodes"].items()) {
    const auto labels = v.items(2);
    nodes.push_back({read_label(labels[0]), read_label(labels[1])});
  }
  std::vector<RuleEdge> edges;
  for (const Value& e : value["edges"].items()) {
    const auto parts = e.items(4);
    edges.push_back(
        {parts[0].index(), parts[1].index(), read_label(parts[2]), read_label(parts[3])});
  }
  const std::vector<RuleNode> as_written = nodes;
  try {
    Rule rule(std::move(nodes), std::move(edges));
    // Images of occurrences refer to this order.
    if (rule.nodes() != as_written) value.fail("is not in canonical order");
    return rule;
  } catch (const Error& error) {
    value.fail(std::string("is wrong: ") + error.what());
  }
}

std::vector<std::vector<Rule>> read_lists(const Value& value) {
  std::vector<std::vector<Rule>> out;
  for (const Value& list : value.items()) {
    if (out.size() >= kMostRules || list.size() > kMostRules) value.fail("has too many rules");
    auto& rules = out.emplace_back();
    for (const Value& rule : list.items()) rules.push_back(read_rule(rule));
  }
  return out;
}

RuleFigures read_figures(const Value& value) {
  return {value["support"].number(),    value["somewhere"].number(),  value["calls"].number(),
          value["on_average"].number(), value["everywhere"].number(), value["one_try"].number()};
}

RuleUse read_use(const Value& value) {
  return {value["graphs"].count(), value["places"].count(), value["accepted"].count()};
}

PatternCounts read_counts(const Value& value) {
  return {value["rejected"].count(), value["accepted"].count()};
}

std::vector<LabelCounts> read_labels(const Value& value) {
  std::vector<LabelCounts> out;
  for (const Value& one : value.items()) {
    const auto parts = one.items(3);
    out.push_back({parts[0].index(), {parts[1].count(), parts[2].count()}});
  }
  return out;
}

InputCount read_input(const Value& value) {
  const auto parts = value.items(5);
  InputCount out;
  out.input = parts[0].index();
  out.count = {parts[1].index(), parts[2].index(), parts[3].index()};
  for (const Value& v : parts[4].items()) out.image.push_back(v.index());
  return out;
}

MeasuredRule read_measured(const Value& value, const RuleNames& names) {
  MeasuredRule out(read_rule(value));
  if (!fits_labels(out.rule, names.nodes.size(), names.edges.size())) {
    value.fail("has labels that there are not");
  }
  if (value["text"].text() != rule_text(out.rule, names)) {
    value["text"].fail("is not the text of this rule, " + rule_text(out.rule, names));
  }
  if (value["edits"].count() != static_cast<std::size_t>(out.rule.cost())) {
    value["edits"].fail(fmt::format("is not {}, as this rule has", out.rule.cost()));
  }
  out.alone = read_figures(value["alone"]);
  out.list = read_figures(value["list"]);
  out.on_accepted = read_use(value["on_accepted"]);
  if (value.has("inverse_on_accepted")) {
    out.inverse_on_accepted = read_use(value["inverse_on_accepted"]);
  }
  out.left = read_counts(value["left"]);
  if (value.has("right")) out.right = read_counts(value["right"]);
  out.lost = read_labels(value["lost"]);
  out.won = read_labels(value["won"]);
  out.pairs = value["pairs"].count();
  if (value.has("pairs_other_class")) out.pairs_other_class = value["pairs_other_class"].count();
  for (const Value& input : value["inputs"].items()) out.inputs.push_back(read_input(input));
  return out;
}

}  // namespace

std::vector<std::string> read_texts(const Value& value) {
  std::vector<std::string> out;
  for (const Value& item : value.items()) out.push_back(item.text());
  return out;
}

Provenance read_provenance(const Value& value) {
  Provenance out;
  out.software = value["software"].text();
  out.dataset_name = value["dataset"]["name"].text();
  out.dataset_path = value["dataset"]["path"].text();
  out.dataset_hash = value["dataset"]["hash"].text();
  out.model_path = value["model"]["path"].text();
  out.model_hash = value["model"]["hash"].text();
  out.seed = value["seed"].whole(std::numeric_limits<std::uint64_t>::max());
  for (const auto& [name, option] : value["options"].members()) {
    if (option.is_text()) {
      out.options.emplace_back(name, option.text());
    } else {
      for (const Value& item : option.items()) out.options.emplace_back(name, item.text());
    }
  }
  return out;
}

std::string rules_json(const RuleList& list) {
  const Provenance& p = list.provenance;
  Json json{
      {"format", kRulesFormat},
      {"software", p.software},
      {"dataset", {{"name", p.dataset_name}, {"path", p.dataset_path}, {"hash", p.dataset_hash}}},
      {"model", {{"path", p.model_path}, {"hash", p.model_hash}}},
      {"classes",
       {{"desired", list.classes.desired},
        {"column", list.classes.column},
        {"predicted", list.classes.predicted}}},
      {"objective", name_of(list.objective)},
      {"theta", list.theta},
      {"plausible", list.plausible},
      {"seed", p.seed},
      {"options", options_json(p.options)},
      {"complete", list.complete},
      {"node_labels", list.label_names}};
  if (!list.second_model_hash.empty()) {
    json["second_model"] = {{"path", list.second_model_path}, {"hash", list.second_model_hash}};
  }
  if (!list.edge_label_names.empty()) json["edge_labels"] = list.edge_label_names;
  json["inputs"] = list.inputs;
  Json rules = Json::array();
  for (const MeasuredRule& one : list.rules) rules.push_back(measured_json(one, list.names()));
  json["rules"] = std::move(rules);
  if (list.held_out) {
    json["held_out"] = {{"figures", figures_json(list.held_out->figures)},
                        {"lists", lists_json(list.held_out->lists)}};
  }
  if (list.baselines) {
    json["baselines"] = {{"random_edits", list.baselines->random_edits},
                         {"random_rules", figures_json(list.baselines->random_rules)},
                         {"lists", lists_json(list.baselines->lists)}};
  }
  std::string out;
  append(json, 0, out);
  return out + "\n";
}

RuleList parse_rules(const std::string& text, const std::string& file) {
  const auto json = parse_json<Json>(text, file, kFormatRemedy, kRuleJsonLimits);
  const Value value(json, "", file);
  const std::string format = value["format"].text();
  if (format != kRulesFormat) {
    value["format"].fail(fmt::format("is {}, not {}", in_quotes(format), kRulesFormat));
  }
  RuleList out;
  out.provenance = read_provenance(value);
  if (value.has("second_model")) {
    out.second_model_path = value["second_model"]["path"].text();
    out.second_model_hash = value["second_model"]["hash"].text();
    if (out.second_model_hash.empty()) value["second_model"]["hash"].fail("is empty");
  }
  out.classes.desired = value["classes"]["desired"].text();
  out.classes.column = value["classes"]["column"].count();
  out.classes.predicted = read_texts(value["classes"]["predicted"]);
  const auto objective = objective_of(value["objective"].text());
  if (!objective) value["objective"].fail("is no objective");
  out.objective = *objective;
  out.theta = value["theta"].number();
  out.plausible = value["plausible"].flag();
  out.complete = value["complete"].flag();
  out.label_names = read_texts(value["node_labels"]);
  if (value.has("edge_labels")) out.edge_label_names = read_texts(value["edge_labels"]);
  for (const Value& input : value["inputs"].items()) out.inputs.push_back(input.index());
  if (value["rules"].size() > kMostRules) value["rules"].fail("are too many");
  for (const Value& rule : value["rules"].items()) {
    out.rules.push_back(read_measured(rule, out.names()));
  }
  if (value.has("held_out")) {
    const Value held = value["held_out"];
    out.held_out = HeldOut{read_lists(held["lists"]), read_figures(held["figures"])};
  }
  if (value.has("baselines")) {
    const Value baselines = value["baselines"];
    out.baselines =
        RuleBaselines{read_lists(baselines["lists"]), read_figures(baselines["random_rules"]),
                      baselines["random_edits"].number()};
  }
  const auto fits = [&](const std::vector<std::vector<Rule>>& lists) {
    for (const auto& list : lists) {
      for (const Rule& rule : list) {
        if (!fits_labels(rule, out.label_names.size(), out.edge_label_names.size())) return false;
      }
    }
    return true;
  };
  if ((out.held_out && !fits(out.held_out->lists)) ||
      (out.baselines && !fits(out.baselines->lists))) {
    value.fail("has rules with labels that there are not");
  }
  return out;
}

bool is_rules_json(const std::string& text) {
  constexpr std::size_t kBeginning = 200;
  return text.substr(0, kBeginning).find("\"fewedits.rules/") != std::string::npos;
}

}  // namespace fewedits
