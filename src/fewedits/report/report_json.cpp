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
#include "fewedits/report/artist.hpp"
#include "fewedits/report/bond_charges.hpp"
#include "fewedits/report/edit_words.hpp"
#include "fewedits/report/label_style.hpp"
#include "fewedits/report/report.hpp"
#include "fewedits/report/shell_words.hpp"

namespace fewedits {
namespace {

using Json = nlohmann::ordered_json;

/// Whole numbers take less room; an edge is this long.
constexpr double kEdgeUnits = 30;
constexpr std::size_t kMaxTracePoints = 300;
constexpr std::size_t kMaxChanges = 200;

Json finite_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json positions_json(const Positions& at) {
  Json out = Json::array();
  for (const Point p : at) {
    out.push_back(std::lround(kEdgeUnits * p.x));
    out.push_back(std::lround(kEdgeUnits * p.y));
  }
  return out;
}

/// [node, charge] of the charged ones; null where there are none.
Json charges_json(const std::vector<int>& charges) {
  Json out;
  for (std::size_t v = 0; v < charges.size(); ++v) {
    if (charges[v] != 0) out.push_back({v, charges[v]});
  }
  return out;
}

/// Both ends of each edge, one after the other.
Json edges_json(const Graph& g) {
  Json out = Json::array();
  for (const Edge& e : g.edges()) {
    out.push_back(e.u);
    out.push_back(e.v);
  }
  return out;
}

Json labels_json(const Graph& g) {
  return std::vector<Label>(g.labels().begin(), g.labels().end());
}

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
  Gallery(const ReportedExplanation& reported, const Dataset& data, ThreadPool& pool)
      : whole_(reported.explanation),
        e_(reported.shown ? *reported.shown : reported.explanation),
        data_(data),
        pairs_(reported.pairs),
        pool_(pool),
        artist_(data),
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
    report["kind"] = artist_.molecules() ? "molecule" : "graph";
    report["labels"] = styles();
    report["bonds"] = artist_.molecules() ? Json(bond_orders(edge_label_names())) : Json::array();
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

  /// Those of the explanation, which may know an aromatic bond more.
  [[nodiscard]] std::vector<std::string> edge_label_names() const {
    return uses_bonds() ? e_.edge_label_names : label_names(data_).edges;
  }
  [[nodiscard]] bool uses_bonds() const { return !e_.edge_label_names.empty(); }

  static Json bonds_json(const Graph& graph) {
    Json out = Json::array();
    for (const Edge& edge : graph.edges()) out.push_back(edge.label);
    return out;
  }

  void add_charges(const Graph& graph, Json& row) const {
    Json charges = charges_json(bond_charges(rules_.get(), graph));
    if (!charges.is_null()) row["charges"] = std::move(charges);
  }

  Json styles() const {
    Json out = Json::array();
    for (const LabelStyle& s : label_styles(e_.label_names, artist_.molecules())) {
      out.push_back(
          {{"name", s.name}, {"short", s.short_name}, {"light", s.light}, {"dark", s.dark}});
    }
    return out;
  }

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
      Json row{{"labels", labels_json(c.graph)},
               {"edges", edges_json(c.graph)},
               {"xy", positions_json(drawn_[i])},
               {"probability", c.probability},
               {"covers", c.covers.size()},
               {"only", alone[i]},
               {"gain", c.gain},
               {"visits", c.visits}};
      if (uses_bonds() && artist_.molecules()) row["bonds"] = bonds_json(c.graph);
      add_charges(c.graph, row);
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
      Json row{{"graph", e_.inputs[i]},
               {"source", data_.source_index[e_.inputs[i]]},
               {"labels", labels_json(labelled)},
               {"edges", edges_json(labelled)}};
      if (labelled.has_edge_labels() && artist_.molecules()) {
        row["bonds"] = bonds_json(labelled);
      }
      add_charges(labelled, row);
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
    Json map = Json::array();
    for (const Node to : pair.script.map) map.push_back(to == kUnmatched ? Json(-1) : Json(to));
    return {{"input", pair.input},
            {"covered", pair.covered ? 1 : 0},
            {"nearest", pair.nearest ? 1 : 0},
            {"distance", pair.distance ? finite_or_null(*pair.distance) : Json()},
            {"xy", positions_json(at)},
            {"target_xy", positions_json(target_at)},
            {"map", std::move(map)},
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
  Artist artist_;
  EditWords words_;
  std::vector<Graph> graphs_;                     ///< the inputs, as the explanation sees them
  std::vector<std::vector<std::uint32_t>> told_;  ///< of each pair's script
  std::vector<Positions> drawn_;                  ///< the counterfactuals
  std::vector<Positions> drawn_inputs_;           ///< none of those that are not shown
  std::vector<Positions> drawn_targets_;          ///< one per pair; none where it is not shown
  std::shared_ptr<const MoleculeRules> rules_;    ///< if bonds are used
};

/// Options that name files to write are never recorded. A file that has them all the same must not
/// make a reader of the page overwrite something.
bool writes(const std::string& option) {
  constexpr auto kWriting =
      std::to_array<std::string_view>({"o", "output", "report", "export", "run-dir"});
  return std::ranges::find(kWriting, option) != kWriting.end();
}

/// As Python spells a text.
std::string python_quoted(const std::string& text) {
  return Json(text).dump(-1, ' ', true, Json::error_handler_t::replace);
}

/// Data or a model that a program had in memory: what to say in Python.
std::string reproducing_call(const Explanation& e) {
  std::string out = "fewedits.explain(data, model, method=" + python_quoted(e.method) +
                    ", distance=" + python_quoted(e.distance);
  out += fmt::format(", seed={}", e.provenance.seed);
  std::vector<std::string> constraints;
  for (const auto& [name, value] : e.provenance.options) {
    if (name == "constraint") {
      constraints.push_back(python_quoted(value));
      continue;
    }
    std::string keyword = name;
    std::ranges::replace(keyword, '-', '_');
    // A name is a file's, too, and must not become code.
    const auto is_fine = [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; };
    if (writes(name) || !std::ranges::all_of(keyword, is_fine)) continue;
    out += ", " + keyword + "=" + (value.empty() ? "True" : python_quoted(value));
  }
  if (!constraints.empty()) {
    out += fmt::format(", constraints=[{}]", fmt::join(constraints, ", "));
  }
  return out + ")";
}

/// What the one is about and the other is not; nothing if they can be compared. The hash is over
/// graphs, classes and which of them is desired.
std::string difference_between(const Explanation& a, const Explanation& b) {
  const Provenance& p = a.provenance;
  const Provenance& q = b.provenance;
  // A fingerprint counts bonds where they are used.
  const bool same_bonds = a.edge_label_names == b.edge_label_names;
  const bool same_data =
      p.dataset_hash == q.dataset_hash || (!same_bonds && p.dataset_path == q.dataset_path);
  if (!same_data) {
    const bool other_class = p.values_of("desired-class") != q.values_of("desired-class");
    return other_class ? "has another desired class" : "explains other data or classes";
  }
  const bool same_model = p.model_hash == q.model_hash && p.black_box == q.black_box;
  if (!same_model) return "explains another model";
  if (a.inputs != b.inputs) return "explains other graphs";
  return same_bonds ? "" : "sees other bonds";
}

}  // namespace

std::string reproducing_command(const Explanation& e, const std::string& file) {
  const Provenance& p = e.provenance;
  if (p.dataset_path.empty() || p.model_path.empty()) return reproducing_call(e);
  std::string out = "fewedits explain";
  // Every word as a whole, the names too: they are a file's.
  const auto add = [&](const std::string& name, const std::string& value) {
    const std::string option = "--" + name;
    // Apart, a value like this would be taken for another option.
    const bool joined = value.starts_with('-');
    out += " " + shell_quoted(joined ? option + "=" + value : option);
    if (!value.empty() && !joined) out += " " + shell_quoted(value);
  };
  add("dataset", p.dataset_path);
  add("model", p.model_path);
  add("method", e.method);
  add("distance", e.distance);
  if (!p.distance_model_path.empty()) add("greed-model", p.distance_model_path);
  add("seed", std::to_string(p.seed));
  for (const auto& [name, value] : p.options) {
    if (!writes(name)) add(name, value);
  }
  return out + " -o " + shell_quoted(file);
}

std::vector<std::string> comparison_notes(std::span<const ReportedExplanation> explanations) {
  const ReportedExplanation& first = explanations.front();
  std::vector<std::string> out;
  for (const ReportedExplanation& other : explanations.subspan(1)) {
    const std::string difference = difference_between(other.explanation, first.explanation);
    if (difference.empty()) continue;
    out.push_back(fmt::format("{} {} than {}: their figures are not about the same",
                              in_quotes(other.file, 200), difference, in_quotes(first.file, 200)));
  }
  return out;
}

std::string report_json(std::span<const ReportedExplanation> explanations, const Dataset& dataset,
                        ThreadPool& pool) {
  check_fits(explanations.front().explanation, dataset, explanations.front().file);
  Json report{{"format", kReportFormat}};
  report["explanations"] = Json::array();
  for (const ReportedExplanation& e : explanations) {
    report["explanations"].push_back(explanation_summary(e));
  }
  report["comparison_notes"] = comparison_notes(explanations);
  report["graphs"] = dataset.size();
  const Explanation& first = explanations.front().explanation;
  if (first.classes) {
    report["desired_class"] = first.classes->desired;
    report["predicted_in_words"] = classes_in_words(first.classes->predicted);
    report["inputs_in_words"] =
        inputs_in_words(*first.classes, first.provenance, first.inputs.size(), dataset.size());
  } else if (dataset.desired_class) {
    report["desired_class"] =
        dataset.class_labels[static_cast<std::size_t>(*dataset.desired_class)].name;
  }
  Gallery(explanations.front(), dataset, pool).add_to(report);
  pool.check_stop();
  return report.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace fewedits
