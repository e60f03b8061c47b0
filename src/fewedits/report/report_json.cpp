// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "fewedits/base/error.hpp"
#include "fewedits/chem/graph_view.hpp"
#include "fewedits/explanation/input_words.hpp"
#include "fewedits/glance/glance_json.hpp"
#include "fewedits/report/artist.hpp"
#include "fewedits/report/edit_words.hpp"
#include "fewedits/report/label_style.hpp"
#include "fewedits/report/page_fit.hpp"
#include "fewedits/report/page_json.hpp"
#include "fewedits/report/rule_sheet.hpp"

namespace fewedits {
namespace {

using Json = PageJson;

constexpr std::size_t kMaxTracePoints = 300;
constexpr std::size_t kMaxChanges = 200;

Json finite_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(); }

// ---- What is said of every explanation

Json metrics_json(const Metrics& m) {
  Json by_k = Json::array();
  for (const PrefixMetrics& p : m.by_k) {
    by_k.push_back({p.k, p.coverage, finite_or_null(p.cost_median), finite_or_null(p.cost_mean)});
  }
  Json by_theta = Json::array();
  for (const ThetaMetrics& t : m.by_theta) by_theta.push_back({t.theta, t.coverage});
  Json out{{"coverage", m.coverage},
           {"cost_median", finite_or_null(m.cost_median)},
           {"cost_mean", finite_or_null(m.cost_mean)},
           {"by_k", std::move(by_k)},
           {"by_theta", std::move(by_theta)}};
  if (m.coverage_upper) out["coverage_upper"] = *m.coverage_upper;
  return out;
}

/// Coverage by the best k of the candidates so far; by all of them, if there are fewer.
double summary_at(const TracePoint& point, std::size_t k) {
  if (point.summary_coverage.empty()) return 0;
  return point.summary_coverage[std::min(k, point.summary_coverage.size()) - 1];
}

/// 1, half of them and all, as far as these differ.
std::set<std::size_t> traced_sizes(const Explanation& e) {
  const std::size_t k = std::max<std::size_t>(e.counterfactuals.size(), 1);
  return {1, (k + 1) / 2, k};
}

Json trace_json(const Explanation& e) {
  const std::set<std::size_t> sizes = traced_sizes(e);
  Json points = Json::array();
  const std::size_t every = e.trace.size() / kMaxTracePoints + 1;
  for (std::size_t i = 0; i < e.trace.size(); ++i) {
    if (i % every != 0 && i + 1 != e.trace.size()) continue;
    const TracePoint& p = e.trace[i];
    Json row{p.step, p.candidates, p.coverage};
    for (const std::size_t k : sizes) row.push_back(summary_at(p, k));
    points.push_back(std::move(row));
  }
  return points;
}

Json explanation_summary(const ReportedExplanation& reported) {
  const Explanation& e = reported.explanation;
  const Provenance& p = e.provenance;
  Json out{{"file", reported.file},
           {"software", p.software},
           {"dataset", {{"name", p.dataset_name}, {"path", p.dataset_path}}},
           {"model", p.black_box.empty() ? p.model_path : p.black_box},
           {"distance", e.distance},
           {"distance_meaning", name_of(e.meaning)},
           {"method", e.method},
           {"theta", e.theta},
           {"seed", std::to_string(p.seed)},  // JavaScript would round large ones
           {"complete", e.complete},
           {"steps", e.steps},
           {"neighbours", e.neighbours},
           {"command", reproducing_command(e)},
           {"k", e.counterfactuals.size()},
           {"inputs", e.inputs.size()},
           {"covered", std::count_if(e.recourse.begin(), e.recourse.end(),
                                     [](const Recourse& r) { return r.covered; })}};
  if (e.seconds > 0) out["seconds"] = e.seconds;
  if (e.searched) out["searched"] = *e.searched;
  if (e.costs_are_bounds) out["costs_are_bounds"] = true;
  if (!p.distance_model_path.empty()) out["distance_model"] = p.distance_model_path;
  if (reported.greed_coverage) out["greed_coverage"] = *reported.greed_coverage;
  out["metrics"] = metrics_json(e.metrics);
  out["trace_k"] = traced_sizes(e);
  out["trace"] = trace_json(e);
  Json refinement = Json::array();
  for (const RefinementPoint& point : e.refinement) {
    refinement.push_back({point.work, point.coverage});
  }
  out["refinement"] = std::move(refinement);
  return out;
}

// ---- What is drawn of the first one

/// Builds the part of the data that has pictures.
class Gallery {
 public:
  Gallery(const ReportedExplanation& reported, const Dataset& data, const Artist& artist,
          ThreadPool& pool)
      : whole_(reported.explanation),
        e_(reported.shown ? *reported.shown : reported.explanation),
        data_(data),
        pairs_(reported.pairs),
        pool_(pool),
        artist_(artist),
        words_(e_.label_names, artist_.molecules(), e_.edge_label_names) {
    const GraphView view(data, e_.edge_label_names, reported.file);
    rules_ = view.rules();
    for (const std::uint32_t input : e_.inputs) {
      pool.check_stop();
      graphs_.push_back(view(data.graphs[input]));
    }
    for (const Counterfactual& c : e_.counterfactuals) {
      pool.check_stop();
      drawn_.push_back(artist_.draw(c.graph));
    }
    for (const RecoursePair& pair : pairs_) {
      pool.check_stop();
      told_.push_back(words_.tell(graphs_[pair.input],
                                  e_.counterfactuals[pair.counterfactual].graph, pair.script));
    }
    draw_inputs(pool);
  }

  void add_to(Json& report) {
    report["counterfactuals"] = counterfactuals();
    report["inputs"] = inputs();
    report["recourse"] = recourse();
    report["pairs"] = pairs();
    if (e_.inputs.size() < whole_.inputs.size()) report["inputs_shown"] = e_.inputs.size();
    report["pairs_left_out"] =
        listed_pairs(e_).size() -
        static_cast<std::size_t>(std::count_if(
            pairs_.begin(), pairs_.end(), [](const RecoursePair& pair) { return pair.shown; }));
    if (e_.meaning == DistanceMeaning::kEstimate) report["found_coverage"] = found_coverage();
    ChangeSummary changes(words_);
    std::size_t counted = 0;
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      const RecoursePair& pair = pairs_[i];
      if (!pair.covered || !pair.nearest) continue;
      pool_.check_stop();
      changes.add(graphs_[pair.input], e_.counterfactuals[pair.counterfactual].graph, pair.script,
                  told_[i]);
      ++counted;
    }
    report["changes"] = {{"recourses", counted},
                         {"edits", counts_json(changes.edits())},
                         {"parts", counts_json(changes.parts())},
                         {"balance", balance_json(changes.balance())}};
    report["phrases"] = words_.phrases();
  }

 private:
  void draw_inputs(ThreadPool& pool) {
    std::vector<char> shown(graphs_.size(), 0);
    for (const RecoursePair& pair : pairs_) {
      if (pair.shown) shown[pair.input] = 1;
    }
    drawn_inputs_.resize(graphs_.size());
    drawn_targets_.resize(pairs_.size());
    constexpr std::size_t kChunk =
        1;  // a large graph takes long, and between chunks a stop is seen
    pool.for_chunks(graphs_.size(), kChunk, [&](std::size_t begin, std::size_t end, int) {
      for (std::size_t i = begin; i < end; ++i) {
        if (shown[i] != 0) drawn_inputs_[i] = artist_.draw(graphs_[i]);
      }
    });
    pool.for_chunks(pairs_.size(), kChunk, [&](std::size_t begin, std::size_t end, int) {
      for (std::size_t i = begin; i < end; ++i) {
        const RecoursePair& pair = pairs_[i];
        if (!pair.shown) continue;
        const Graph& graph = graphs_[pair.input];
        const std::span<const Node> map = std::span(pair.script.map).first(graph.num_nodes());
        drawn_targets_[i] = artist_.draw_changed(
            graph, drawn_inputs_[pair.input], e_.counterfactuals[pair.counterfactual].graph, map);
      }
    });
  }

  [[nodiscard]] bool uses_bonds() const { return !e_.edge_label_names.empty(); }

  /// Inputs that this counterfactual covers and no other.
  std::vector<std::size_t> covered_alone() const {
    std::vector<std::size_t> times(data_.size(), 0);
    for (const Counterfactual& c : whole_.counterfactuals) {
      for (const std::uint32_t g : c.covers) ++times[g];
    }
    std::vector<std::size_t> out;
    for (const Counterfactual& c : whole_.counterfactuals) {
      out.push_back(static_cast<std::size_t>(
          std::count_if(c.covers.begin(), c.covers.end(), [&](auto g) { return times[g] == 1; })));
    }
    return out;
  }

  Json counterfactuals() const {
    const std::vector<std::size_t> alone = covered_alone();
    Json out = Json::array();
    for (std::size_t i = 0; i < whole_.counterfactuals.size(); ++i) {
      const Counterfactual& c = whole_.counterfactuals[i];
      Json row = graph_json(c.graph, uses_bonds() && artist_.molecules(), rules_.get());
      row["xy"] = positions_json(drawn_[i]);
      row["probability"] = c.probability;
      row["covers"] = c.covers.size();
      row["only"] = alone[i];
      row["gain"] = c.gain;
      row["visits"] = c.visits;
      if (c.origin) row["origin"] = *c.origin;
      out.push_back(std::move(row));
    }
    return out;
  }

  Json inputs() const {
    Json out = Json::array();
    for (std::size_t i = 0; i < e_.inputs.size(); ++i) {
      pool_.check_stop();
      const Graph& labelled = uses_bonds() ? graphs_[i] : data_.graphs[e_.inputs[i]];
      Json row{{"graph", e_.inputs[i]}, {"source", data_.source_index[e_.inputs[i]]}};
      row.update(graph_json(labelled, artist_.molecules(), rules_.get()));
      out.push_back(std::move(row));
    }
    return out;
  }

  Json recourse() const {
    Json out = Json::array();
    for (const Recourse& r : e_.recourse) {
      pool_.check_stop();
      Json row = Json::array({r.counterfactual == Recourse::kNone ? Json() : Json(r.counterfactual),
                              finite_or_null(r.distance), r.covered ? 1 : 0});
      if (r.proof) {
        row.push_back(r.proof->edits);
        row.push_back(r.proof->lower);
        row.push_back(r.proof->open ? 1 : 0);
      }
      out.push_back(std::move(row));
    }
    return out;
  }

  Json pairs() const {
    Json out = Json::array();
    for (std::size_t c = 0; c < e_.counterfactuals.size(); ++c) out.push_back(Json::array());
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      if (!pairs_[i].shown) continue;
      pool_.check_stop();
      out[pairs_[i].counterfactual].push_back(
          pair_json(pairs_[i], told_[i], drawn_inputs_[pairs_[i].input], drawn_targets_[i]));
    }
    return out;
  }

  static Json pair_json(const RecoursePair& pair, const std::vector<std::uint32_t>& told,
                        const Positions& at, const Positions& target_at) {
    Json ops = Json::array();
    for (std::size_t i = 0; i < told.size(); ++i) {
      const EditOp& op = pair.script.ops[i];
      ops.push_back({static_cast<int>(op.kind), op.u, op.v, told[i]});
    }
    return {{"input", pair.input},
            {"covered", pair.covered ? 1 : 0},
            {"nearest", pair.nearest ? 1 : 0},
            {"distance", pair.distance ? finite_or_null(*pair.distance) : Json()},
            {"xy", positions_json(at)},
            {"target_xy", positions_json(target_at)},
            {"map", map_json(pair.script.map)},
            {"ops", std::move(ops)}};
  }

  /// Share of inputs that the edits found for the pictures prove to be covered.
  double found_coverage() const {
    std::set<std::uint32_t> proven;
    for (const RecoursePair& pair : pairs_) {
      const Graph& target = e_.counterfactuals[pair.counterfactual].graph;
      const auto edits = static_cast<std::int64_t>(pair.script.ops.size());
      if (edits <= distance_limit(e_.theta, graphs_[pair.input], target)) proven.insert(pair.input);
    }
    return static_cast<double>(proven.size()) / static_cast<double>(e_.inputs.size());
  }

  static Json counts_json(const std::vector<ChangeCount>& counts) {
    Json out = Json::array();
    for (std::size_t i = 0; i < std::min(counts.size(), kMaxChanges); ++i) {
      const ChangeCount& c = counts[i];
      out.push_back({c.text, static_cast<int>(c.kind), c.times, c.inputs});
    }
    return out;
  }

  static Json balance_json(const std::vector<BalanceCount>& counts) {
    Json out = Json::array();
    for (std::size_t i = 0; i < std::min(counts.size(), kMaxChanges); ++i) {
      const BalanceCount& c = counts[i];
      out.push_back({c.text, c.net, c.fewer, c.more});
    }
    return out;
  }

  const Explanation& whole_;
  const Explanation& e_;  ///< with the inputs that are shown
  const Dataset& data_;
  std::span<const RecoursePair> pairs_;
  const ThreadPool& pool_;
  const Artist& artist_;
  EditWords words_;
  std::vector<Graph> graphs_;                     ///< the inputs, as the explanation sees them
  std::vector<std::vector<std::uint32_t>> told_;  ///< of each pair's script
  std::vector<Positions> drawn_;                  ///< the counterfactuals
  std::vector<Positions> drawn_inputs_;           ///< none of those that are not shown
  std::vector<Positions> drawn_targets_;          ///< one per pair; none where it is not shown
  std::shared_ptr<const MoleculeRules> rules_;    ///< if bonds are used
};

Json styles_json(const std::vector<std::string>& names, bool molecules) {
  Json out = Json::array();
  for (const LabelStyle& s : label_styles(names, molecules)) {
    out.push_back(
        {{"name", s.name}, {"short", s.short_name}, {"light", s.light}, {"dark", s.dark}});
  }
  return out;
}

/// Those of whoever uses bonds, who may know an aromatic one more.
std::vector<std::string> edge_label_names(const PageParts& parts, const Dataset& dataset) {
  for (const ReportedExplanation& one :
       parts.explanations.first(std::min<std::size_t>(1, parts.explanations.size()))) {
    if (!one.explanation.edge_label_names.empty()) return one.explanation.edge_label_names;
  }
  for (const ReportedRules& one : parts.rules) {
    if (!one.list.edge_label_names.empty()) return one.list.edge_label_names;
  }
  return label_names(dataset).edges;
}

/// Who is explained towards what.
void add_classes(const PageParts& parts, const Dataset& dataset, Json& report) {
  const auto add = [&](const ExplainedClasses& classes, const Provenance& provenance,
                       std::size_t inputs) {
    report["desired_class"] = classes.desired;
    report["predicted_in_words"] = classes_in_words(classes.predicted);
    report["inputs_in_words"] = inputs_in_words(classes, provenance, inputs, dataset.size());
  };
  if (!parts.explanations.empty() && parts.explanations.front().explanation.classes) {
    const Explanation& first = parts.explanations.front().explanation;
    add(*first.classes, first.provenance, first.inputs.size());
  } else if (!parts.rules.empty()) {
    const RuleList& first = parts.rules.front().list;
    add(first.classes, first.provenance, first.inputs.size());
  } else if (dataset.desired_class) {
    report["desired_class"] =
        dataset.class_labels[static_cast<std::size_t>(*dataset.desired_class)].name;
  }
}

/// A place of each pattern, drawn.
Json pattern_examples(const Glance& glance, const Dataset& dataset, const GraphView& view,
                      const Artist& artist, ThreadPool& pool) {
  Json out = Json::array();
  for (const PatternShare& one : glance.patterns) {
    pool.check_stop();
    if (!one.example) {
      out.push_back(Json());
      continue;
    }
    const std::uint32_t index = one.example->graph;
    const Graph seen = view(dataset.graphs[index]);
    Json row{{"graph", index}, {"source", dataset.source_index[index]}};
    row.update(graph_json(view.has_bonds() ? seen : dataset.graphs[index], artist.molecules(),
                          view.rules().get()));
    row["xy"] = positions_json(artist.draw(seen));
    out.push_back(std::move(row));
  }
  return out;
}

/// Rules, fragility, and what they say at a glance.
void add_why(const PageParts& parts, const Dataset& dataset, const Artist& artist, ThreadPool& pool,
             Json& report) {
  report["rules"] = Json::array();
  for (const ReportedRules& one : parts.rules) {
    report["rules"].push_back(rules_json(one, parts, dataset, artist, pool));
  }
  report["rule_notes"] = rule_notes(parts);
  if (parts.fragility) report["fragility"] = fragility_json(*parts.fragility);
  if (!parts.glance) return;
  report["glance"] = Json::parse(glance_json(*parts.glance));
  report["glance"]["drawn"] =
      pattern_examples(*parts.glance, dataset, view_of(parts, dataset), artist, pool);
}

}  // namespace

std::string report_json(std::span<const ReportedExplanation> explanations, const Dataset& dataset,
                        ThreadPool& pool) {
  return report_json(PageParts{explanations, {}}, dataset, pool);
}

std::string report_json(const PageParts& parts, const Dataset& dataset, ThreadPool& pool) {
  check_fits(parts, dataset);
  const Artist artist(dataset);
  Json report{{"format", kReportFormat}};
  report["explanations"] = Json::array();
  for (const ReportedExplanation& e : parts.explanations) {
    report["explanations"].push_back(explanation_summary(e));
  }
  report["comparison_notes"] = comparison_notes(parts.explanations);
  const Provenance& subject = subject_of(parts);
  report["subject"] = {
      {"dataset", {{"name", subject.dataset_name}, {"path", subject.dataset_path}}},
      {"model", subject.black_box.empty() ? subject.model_path : subject.black_box},
      {"software", subject.software}};
  report["graphs"] = dataset.size();
  if (parts.accepted) report["accepted"] = parts.accepted->size();
  add_classes(parts, dataset, report);
  report["kind"] = artist.molecules() ? "molecule" : "graph";
  report["labels"] = styles_json(label_names(dataset).nodes, artist.molecules());
  report["bonds"] =
      artist.molecules() ? Json(bond_orders(edge_label_names(parts, dataset))) : Json::array();
  add_why(parts, dataset, artist, pool, report);
  if (!parts.explanations.empty()) {
    Gallery(parts.explanations.front(), dataset, artist, pool).add_to(report);
  }
  pool.check_stop();
  return report.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace fewedits
