// SPDX-License-Identifier: MIT
#include "fewedits/explanation/explanation_json.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "fewedits/base/sha256.hpp"
#include "fewedits/explanation/script_json.hpp"

namespace fewedits {
namespace {

// Ordered, because the options of a run are.
using Json = nlohmann::ordered_json;

// ---- Layout: a line for each list of numbers and each small object, so that people can read it

constexpr std::size_t kLineWidth = 100;

/// How deep lists of plain values are nested; 0 for a plain value.
std::size_t depth(const Json& json) {
  std::size_t deepest = 0;
  if (!json.is_array()) return deepest;
  for (const Json& item : json) deepest = std::max(deepest, depth(item));
  return deepest + 1;
}

/// Proofs: so many that they get no blanks.
bool is_long_list(const Json& json) { return depth(json) > 2; }

bool holds_lines(const Json& json) {
  return std::any_of(json.begin(), json.end(), [](const Json& item) {
    return item.is_object() || is_long_list(item) || (item.is_array() && holds_lines(item));
  });
}

/// As text without blanks.
std::string dense(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void append(const Json& json, std::size_t indent, std::string& out) {
  if (!json.is_structured() || json.empty()) {
    out += dense(json);
    return;
  }
  const bool long_list = is_long_list(json);
  const bool flat =
      !long_list && !holds_lines(json) && (json.is_array() || dense(json).size() <= kLineWidth);
  const std::string newline = "\n" + std::string(indent + 1, ' ');
  out += json.is_object() ? '{' : '[';
  for (auto item = json.begin(); item != json.end(); ++item) {
    if (item != json.begin()) out += flat ? ", " : ",";
    if (!flat) out += newline;
    if (json.is_object()) out += dense(item.key()) + ": ";
    if (long_list) {
      out += dense(*item);
    } else {
      append(*item, indent + 1, out);
    }
  }
  if (!flat) out += newline.substr(0, indent + 1);
  out += json.is_object() ? '}' : ']';
}

// ---- Writing

Json finite_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(); }

template <typename T, typename Convert>
Json list_of(const std::vector<T>& items, const Convert& convert) {
  Json list = Json::array();
  for (const T& item : items) list.push_back(convert(item));
  return list;
}

/// An option that is given several times has a list of values.
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

Json metrics_json(const Metrics& metrics) {
  Json json{{"coverage", metrics.coverage}};
  if (metrics.coverage_upper) json["coverage_upper"] = *metrics.coverage_upper;
  json["cost_median"] = finite_or_null(metrics.cost_median);
  json["cost_mean"] = finite_or_null(metrics.cost_mean);
  if (metrics.smallest_lead) json["smallest_lead"] = *metrics.smallest_lead;
  json["by_k"] = list_of(metrics.by_k, [](const PrefixMetrics& m) {
    return Json{{"k", m.k},
                {"coverage", m.coverage},
                {"cost_median", finite_or_null(m.cost_median)},
                {"cost_mean", finite_or_null(m.cost_mean)}};
  });
  json["by_theta"] = list_of(metrics.by_theta, [](const ThetaMetrics& m) {
    return Json{{"theta", m.theta}, {"coverage", m.coverage}};
  });
  return json;
}

/// A deleted node is -1, and not null as in scripts, which are fewer.
Json proof_json(const ProvenPair& proof) {
  Json map = list_of(proof.map, [](Node to) { return to == kUnmatched ? Json(-1) : Json(to); });
  return Json::array({proof.input, proof.edits, std::move(map)});
}

Json counterfactual_json(const Counterfactual& c, const std::vector<std::string>& label_names,
                         bool with_proofs) {
  const auto labels = c.graph.labels();
  Json names = Json::array();
  for (const Label label : labels) names.push_back(label_names.at(label));
  Json json{{"labels", std::vector<Label>(labels.begin(), labels.end())},
            {"label_names", std::move(names)},
            {"edges", list_of(c.graph.edges(), [](const Edge& e) {
               return Json{e.u, e.v};
             })}};
  if (c.graph.has_edge_labels()) {
    json["edge_labels"] = list_of(c.graph.edges(), [](const Edge& e) { return Json(e.label); });
  }
  json["probability"] = c.probability;
  if (c.lead) json["lead"] = *c.lead;
  json["covers"] = c.covers;
  json["gain"] = c.gain;
  json["visits"] = c.visits;
  if (c.origin) json["origin"] = *c.origin;
  if (with_proofs && !c.proofs.empty()) json["proofs"] = list_of(c.proofs, proof_json);
  return json;
}

Json recourse_json(const Recourse& r) {
  Json json{
      {"graph", r.input},
      {"counterfactual", r.counterfactual == Recourse::kNone ? Json() : Json(r.counterfactual)},
      {"distance", finite_or_null(r.distance)},
      {"covered", r.covered}};
  if (!r.proof) return json;
  json["ged"] = r.proof->edits;
  json["normalized"] = finite_or_null(r.distance);
  json["lower_bound"] = r.proof->lower;
  json["open"] = r.proof->open;
  if (r.proof->script) add_script(*r.proof->script, json);
  return json;
}

Json trace_json(const TracePoint& point) {
  return {{"step", point.step},
          {"candidates", point.candidates},
          {"coverage", point.coverage},
          {"summary_coverage", point.summary_coverage}};
}

Json refinement_json(const RefinementPoint& point) {
  return {{"work", point.work}, {"coverage", point.coverage}};
}

Json file_json(const std::string& path, const std::string& hash) {
  return {{"path", path}, {"hash", hash}};
}

/// With proofs and recourse, or with the name of the file that has them.
std::string text_of(const Explanation& e, const ScriptsFile* scripts) {
  const Provenance& p = e.provenance;
  Json json{
      {"format", kExplanationFormat},
      {"software", p.software},
      {"dataset", {{"name", p.dataset_name}, {"path", p.dataset_path}, {"hash", p.dataset_hash}}},
      {"model", p.black_box.empty() ? file_json(p.model_path, p.model_hash)
                                    : Json{{"black_box", p.black_box}}}};
  if (e.classes) {
    json["classes"] = {{"desired", e.classes->desired},
                       {"column", e.classes->column},
                       {"predicted", e.classes->predicted}};
    if (const auto all = e.classes->not_desired) json["classes"]["not_desired"] = *all;
  }
  json["distance"] = e.distance;
  json["distance_meaning"] = name_of(e.meaning);
  if (!p.distance_model_path.empty() || !p.distance_model_hash.empty()) {
    json["distance_model"] = file_json(p.distance_model_path, p.distance_model_hash);
  }
  json["method"] = e.method;
  json["from_dataset"] = e.from_dataset;
  json["theta"] = e.theta;
  json["seed"] = p.seed;
  json["options"] = options_json(p.options);
  json["complete"] = e.complete;
  json["ended"] = name_of(e.ended);
  json["steps"] = e.steps;
  json["neighbours"] = e.neighbours;
  if (e.seconds > 0) json["seconds"] = e.seconds;
  if (e.searched) json["searched"] = *e.searched;
  if (e.costs_are_bounds) json["costs_are_bounds"] = true;
  json["inputs"] = e.inputs;
  json["metrics"] = metrics_json(e.metrics);
  json["node_labels"] = e.label_names;
  if (!e.edge_label_names.empty()) json["edge_labels"] = e.edge_label_names;
  json["counterfactuals"] = list_of(e.counterfactuals, [&](const Counterfactual& c) {
    return counterfactual_json(c, e.label_names, scripts == nullptr);
  });
  if (scripts != nullptr) {
    json["scripts"] = {{"file", scripts->name}, {"hash", scripts->hash}, {"bytes", scripts->bytes}};
  } else {
    json["recourse"] = list_of(e.recourse, recourse_json);
  }
  json["trace"] = list_of(e.trace, trace_json);
  if (!e.refinement.empty()) json["refinement"] = list_of(e.refinement, refinement_json);
  std::string out;
  append(json, 0, out);
  return out + "\n";
}

}  // namespace

std::string explanation_json(const Explanation& e) { return text_of(e, nullptr); }

std::string explanation_json(const Explanation& e, const ScriptsFile& scripts) {
  return text_of(e, &scripts);
}

std::string scripts_name(const std::filesystem::path& json_file) {
  std::filesystem::path name = json_file.filename();
  if (name.extension() == ".scripts") name += ".of";
  return name.replace_extension(".scripts").string();
}

ExplanationFiles explanation_files(const Explanation& e, const std::filesystem::path& json_file,
                                   std::uint64_t most_numbers) {
  const bool proven = !e.recourse.empty() && e.recourse.front().proof.has_value();
  if (!proven || num_script_numbers(e) <= most_numbers) return {explanation_json(e), {}, {}};
  ExplanationFiles out;
  out.scripts = scripts_bytes(e);
  out.scripts_name = scripts_name(json_file);
  out.json = explanation_json(e, {out.scripts_name, sha256_hex(out.scripts), out.scripts.size()});
  return out;
}

}  // namespace fewedits
