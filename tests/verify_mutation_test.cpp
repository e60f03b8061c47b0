// SPDX-License-Identifier: MIT
// Explanations that explain() made, changed at random places: those in which a checked claim became
// false are refused, and no others. What is false is decided here, by a slow recount that shares
// nothing with the verifier but the model and the meaning of constraints.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "fewedits/base/text.hpp"
#include "fewedits/edit/constraints.hpp"
#include "fewedits/explanation/explanation_json.hpp"
#include "fewedits/extend.hpp"
#include "fewedits/graph/identity.hpp"
#include "fewedits/search/option_table.hpp"
#include "fewedits/verification/verifier.hpp"
#include "support/command.hpp"
#include "support/small_world.hpp"

namespace fewedits {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// ---- The recount -------------------------------------------------------------------------------

/// Nodes by id with their labels, and edges with the smaller end first.
struct Plain {
  std::map<Node, Label> nodes;
  std::set<std::pair<Node, Node>> edges;
  friend bool operator==(const Plain&, const Plain&) = default;
};

std::pair<Node, Node> ends(Node u, Node v) { return std::minmax(u, v); }

Plain plain(const Graph& graph) {
  Plain out;
  for (Node v = 0; v < graph.num_nodes(); ++v) {
    out.nodes[v] = graph.label(v);
    for (const Node u : graph.neighbours(v)) out.edges.insert(ends(u, v));
  }
  return out;
}

/// Edits that the map stands for; none if it is no map.
std::optional<std::int64_t> recount(const Graph& from, const Graph& to, const NodeMap& map) {
  if (map.size() != from.num_nodes()) return std::nullopt;
  std::set<Node> images;
  std::int64_t edits = 0;
  for (Node v = 0; v < map.size(); ++v) {
    if (map[v] == kUnmatched) {
      ++edits;
      continue;
    }
    if (map[v] >= to.num_nodes() || !images.insert(map[v]).second) return std::nullopt;
    edits += from.label(v) != to.label(map[v]) ? 1 : 0;
  }
  edits += to.num_nodes() - static_cast<std::int64_t>(images.size());
  std::set<std::pair<Node, Node>> left = plain(to).edges;
  for (const auto& [u, v] : plain(from).edges) {
    const bool kept =
        map[u] != kUnmatched && map[v] != kUnmatched && left.erase(ends(map[u], map[v])) == 1;
    edits += kept ? 0 : 1;
  }
  return edits + static_cast<std::int64_t>(left.size());
}

/// Does it change what it says it changes?
bool carry_out(const EditOp& op, Plain& graph, Node& next) {
  using Kind = EditOp::Kind;
  const auto has = [&](Node v) { return graph.nodes.contains(v); };
  switch (op.kind) {
    case Kind::kRelabelNode:
      if (!has(op.u) || graph.nodes[op.u] == op.label) return false;
      graph.nodes[op.u] = op.label;
      return true;
    case Kind::kDeleteEdge: return graph.edges.erase(ends(op.u, op.v)) == 1;
    case Kind::kDeleteNode:
      for (const auto& [u, v] : graph.edges) {
        if (u == op.u || v == op.u) return false;
      }
      return graph.nodes.erase(op.u) == 1;
    case Kind::kInsertNode: return op.u == next && graph.nodes.emplace(next++, op.label).second;
    case Kind::kInsertEdge:
      return has(op.u) && has(op.v) && op.u != op.v && graph.edges.insert(ends(op.u, op.v)).second;
    case Kind::kRelabelEdge: return false;
  }
  return false;
}

bool leads_to(const Graph& from, const Graph& to, const EditScript& script) {
  Plain graph = plain(from);
  Node next = from.num_nodes();
  for (const EditOp& op : script.ops) {
    if (!carry_out(op, graph, next)) return false;
  }
  if (script.map.size() != next) return false;
  Plain image;
  for (Node v = 0; v < next; ++v) {
    if (graph.nodes.contains(v) == (script.map[v] == kUnmatched)) return false;
    if (script.map[v] == kUnmatched) continue;
    if (!image.nodes.emplace(script.map[v], graph.nodes[v]).second) return false;
  }
  for (const auto& [u, v] : graph.edges) image.edges.insert(ends(script.map[u], script.map[v]));
  return image == plain(to);
}

bool close(double a, double b) { return a == b || std::abs(a - b) <= 1e-12; }

class Oracle {
 public:
  Oracle(const test::SmallWorld& world, ThreadPool& pool) : w_(world), pool_(pool) {
    hash_ = dataset_fingerprint(w_.data);
    const auto logs = predict(w_.data, *w_.classifier, pool).log_probabilities;
    for (std::uint32_t i = 0; i < w_.data.size(); ++i) {
      if (logs[2 * i] >= logs[2 * i + 1]) rejected_.push_back(i);
    }
  }

  /// Does all hold that docs/formats.md says is checked?
  [[nodiscard]] bool is_true(const Explanation& e) const {
    return e.provenance.dataset_hash == hash_ && e.provenance.model_hash == w_.model_hash &&
           e.label_names == label_names(w_.data).nodes && e.inputs == rejected_ && is_known(e) &&
           options_are_true(e) && classes_are_true(e) && graphs_are_true(e) &&
           (e.meaning == DistanceMeaning::kProven ? proofs_are_true(e) : figures_agree(e));
  }

 private:
  /// There are two, and the desired one is output 1 of the model.
  [[nodiscard]] bool classes_are_true(const Explanation& e) const {
    ExplainedClasses expected{
        w_.data.class_labels[1].name, 1, {w_.data.class_labels[0].name}, rejected_.size()};
    if (!e.classes) return true;
    if (!e.classes->not_desired) expected.not_desired.reset();
    return *e.classes == expected;
  }

  /// The smallest of those that are given, if all are.
  [[nodiscard]] static bool smallest_lead_is_true(const Explanation& e) {
    std::optional<double> smallest;
    for (const Counterfactual& c : e.counterfactuals) {
      if (!c.lead) return !e.metrics.smallest_lead;
      if (!smallest || *c.lead < *smallest) smallest = c.lead;
    }
    return e.metrics.smallest_lead == smallest;
  }

  [[nodiscard]] static bool is_known(const Explanation& e) {
    const Parts parts = builtin_parts();
    const auto has = [](const auto& names, const std::string& name) {
      return std::find(names.begin(), names.end(), name) != names.end();
    };
    if (!has(parts.sources.names(), e.method)) return false;
    if (!has(parts.distances.names(), e.distance)) return false;
    const DistanceKind& kind = parts.distances.at(e.distance);
    return parts.sources.at(e.method).from_dataset == e.from_dataset &&
           kind.proves == (e.meaning == DistanceMeaning::kProven) &&
           kind.counts_edits == (e.meaning != DistanceMeaning::kOther) &&
           kind.needs_model == !e.provenance.distance_model_hash.empty() &&
           (kind.needs_model || e.provenance.distance_model_path.empty());
  }

  /// Why it ended, as far as anything else says so.
  [[nodiscard]] static bool end_is_true(const Explanation& e, const std::optional<double>& steps,
                                        const std::optional<double>& limit,
                                        const std::optional<double>& patience) {
    if (e.ended == RunEnd::kTimeLimit && !(limit && *limit > 0)) return false;
    const bool proves = e.meaning == DistanceMeaning::kProven;
    if (e.ended == RunEnd::kAllCovered && proves && e.metrics.coverage < 1) return false;
    const auto above = [&](const RefinementPoint& at) {
      return at.coverage > e.metrics.coverage + 1e-9;
    };
    if (proves && std::any_of(e.refinement.begin(), e.refinement.end(), above)) return false;
    if (e.method == "gcf" && !steps) return false;
    if (!e.complete || e.method != "gcf") return true;
    const bool refined = proves && e.provenance.values_of("no-refine").empty();
    if (refined || !patience || *patience == 0) return static_cast<double>(e.steps) == *steps;
    return static_cast<double>(e.steps) >= std::min(1.0, *patience) * *steps;
  }

  [[nodiscard]] static bool options_are_true(const Explanation& e) {
    std::map<std::string, std::size_t> times;
    ExplainOptions read;
    for (const auto& [name, value] : e.provenance.options) {
      ++times[name];
      if (name == "constraint") continue;
      const auto& table = option_table();
      const auto row = std::find_if(table.begin(), table.end(),
                                    [&](const OptionRow& r) { return r.name == name; });
      if (row == table.end() || times[name] > 1) return false;
      if (row->is_flag() && !value.empty()) return false;
      // The table takes whole numbers only where the field is one; the file is asked for a number.
      if (row->type == "number" && !is_number(value)) return false;
      if (row->type != "number" && !sets(*row, value, read)) return false;
    }
    const auto number = [&](const char* name) {
      return times[name] == 0 ? std::nullopt
                              : number_in<double>(e.provenance.values_of(name).front());
    };
    const auto k = number("k");
    const auto steps = number("steps");
    if (!k || *k != std::floor(*k) ||
        *k < std::max(1.0, static_cast<double>(e.counterfactuals.size()))) {
      return false;
    }
    if (steps && static_cast<double>(e.steps) > *steps) return false;
    if (!number("min-lead") || !end_is_true(e, steps, number("time-limit"), number("patience"))) {
      return false;
    }
    // It would only excuse other methods' graphs.
    if (times["keep-isolated"] > 0 && !cuts_edges(e)) return false;
    return number("theta") == e.theta;
  }
  static bool cuts_edges(const Explanation& e) {
    return builtin_parts().sources.at(e.method).cuts_edges;
  }
  static bool is_number(const std::string& text) {
    const auto number = number_in<double>(text);
    return number && std::isfinite(*number) && *number >= 0;
  }
  static bool sets(const OptionRow& row, const std::string& value, ExplainOptions& options) {
    try {
      row.set(value, options);
      return true;
    } catch (const Error&) {
      return false;
    }
  }

  [[nodiscard]] bool graphs_are_true(const Explanation& e) const {
    Constraints constraints;
    const bool isolated = !e.provenance.values_of("keep-isolated").empty();
    constraints.connected = !e.from_dataset && !isolated;
    try {
      for (const std::string& text : e.provenance.values_of("constraint")) {
        add_constraint(text, e.label_names, constraints);
      }
    } catch (const Error&) {
      return false;
    }
    const auto least = [&](const char* option) {
      const auto values = e.provenance.values_of(option);
      return values.empty() ? 0 : *number_in<double>(values.front());
    };
    const double floor = least("min-probability");
    if (e.metrics.by_k.size() != e.counterfactuals.size()) return false;
    if (!smallest_lead_is_true(e)) return false;
    for (std::size_t c = 0; c < e.counterfactuals.size(); ++c) {
      const Counterfactual& one = e.counterfactuals[c];
      if (one.graph.num_nodes() == 0 || !is_accepted(one, floor, least("min-lead"))) return false;
      if (!satisfies(one.graph, constraints)) return false;
      if (constraints.connected && !one.graph.is_connected()) return false;
      if (one.origin ? *one.origin >= w_.data.size() : e.from_dataset) return false;
      if (e.from_dataset && one.graph != input(*one.origin)) return false;
      if (isolated && !is_cut(e, one)) return false;
      for (std::size_t d = 0; d < c && !e.from_dataset; ++d) {
        if (isomorphic(one.graph, e.counterfactuals[d].graph)) return false;
      }
    }
    return true;
  }

  /// The nodes of an input, and nothing but edges of it.
  [[nodiscard]] bool is_cut(const Explanation& e, const Counterfactual& c) const {
    if (!c.origin || std::ranges::find(e.inputs, *c.origin) == e.inputs.end()) return false;
    const Plain whole = plain(input(*c.origin));
    const Plain left = plain(c.graph);
    return left.nodes == whole.nodes && std::ranges::includes(whole.edges, left.edges);
  }

  /// The desired class is predicted, as probable as is said, and as far ahead.
  [[nodiscard]] bool is_accepted(const Counterfactual& c, double floor, double min_lead) const {
    std::vector<float> logs(2);
    w_.classifier->log_probabilities({&c.graph, 1}, logs, pool_);
    const double p = std::exp(static_cast<double>(logs[1]));
    const double lead = p - std::exp(static_cast<double>(logs[0]));
    if (lead < min_lead - 2e-5 || (c.lead && std::abs(lead - *c.lead) > 2e-5)) return false;
    return logs[1] > logs[0] && p >= floor - 1e-5 && std::abs(p - c.probability) <= 1e-5;
  }

  [[nodiscard]] bool proofs_are_true(const Explanation& e) const {
    std::vector<double> nearest(e.inputs.size(), kInfinity);
    std::vector<std::size_t> which(e.inputs.size(), 0);
    std::vector<std::int64_t> edits(e.inputs.size(), 0);
    const bool fill = e.from_dataset || !e.provenance.values_of("fill").empty();
    for (std::size_t c = 0; c < e.counterfactuals.size(); ++c) {
      const Counterfactual& one = e.counterfactuals[c];
      std::vector<std::uint32_t> covers;
      std::size_t gain = 0;
      for (const ProvenPair& proof : one.proofs) {
        const Graph from = input(proof.input);
        if (recount(from, one.graph, proof.map) != proof.edits) return false;
        const auto i = place(e, proof.input);
        const double distance =
            static_cast<double>(proof.edits) / static_cast<double>(from.size() + one.graph.size());
        if (distance <= e.theta) {
          covers.push_back(proof.input);
          if (nearest[i] > e.theta) ++gain;
        }
        if (distance >= nearest[i]) continue;
        nearest[i] = distance;
        which[i] = c;
        edits[i] = proof.edits;
      }
      if (covers != one.covers || gain != one.gain) return false;
      if (gain == 0 && c > 0 && !fill) return false;
      if (!prefix_is_true(e.metrics.by_k.at(c), nearest, e.theta)) return false;
    }
    std::size_t not_excluded = 0;
    for (std::size_t i = 0; i < e.inputs.size(); ++i) {
      const Recourse& r = e.recourse[i];
      if (nearest[i] == kInfinity || r.counterfactual != which[i] || !r.proof) return false;
      if (!close(r.distance, nearest[i]) || r.proof->edits != edits[i]) return false;
      const bool covered = nearest[i] <= e.theta;
      if (r.covered != covered || (covered && r.proof->open)) return false;
      if (r.proof->lower > edits[i]) return false;
      const Graph& to = e.counterfactuals[which[i]].graph;
      const double bound = static_cast<double>(r.proof->lower) /
                           static_cast<double>(input(e.inputs[i]).size() + to.size());
      if (!covered && !r.proof->open && bound <= e.theta) return false;
      if (covered &&
          (!r.proof->script || r.proof->script->ops.size() != static_cast<std::size_t>(edits[i]))) {
        return false;
      }
      if (covered && !leads_to(input(e.inputs[i]), to, *r.proof->script)) return false;
      not_excluded += covered || r.proof->open ? 1U : 0U;
    }
    const double upper = static_cast<double>(not_excluded) / static_cast<double>(e.inputs.size());
    return e.metrics.coverage_upper && close(*e.metrics.coverage_upper, upper) &&
           metrics_are_true(e.metrics, nearest, e.theta);
  }

  [[nodiscard]] static bool figures_agree(const Explanation& e) {
    std::set<std::uint32_t> covered;
    for (std::size_t c = 0; c < e.counterfactuals.size(); ++c) {
      covered.insert(e.counterfactuals[c].covers.begin(), e.counterfactuals[c].covers.end());
      const double share =
          static_cast<double>(covered.size()) / static_cast<double>(e.inputs.size());
      if (!close(e.metrics.by_k.at(c).coverage, share)) return false;
    }
    std::vector<double> distances;
    for (const Recourse& r : e.recourse) {
      distances.push_back(r.distance);
      if (r.covered != covered.contains(r.input)) return false;
      if (!r.covered) continue;
      const auto& covers = e.counterfactuals[r.counterfactual].covers;
      if (std::find(covers.begin(), covers.end(), r.input) == covers.end()) return false;
    }
    return metrics_are_true(e.metrics, distances, e.theta);
  }

  static double share(const std::vector<double>& distances, double theta) {
    double near = 0;
    for (const double distance : distances) near += distance <= theta ? 1 : 0;
    return near / static_cast<double>(distances.size());
  }
  /// Of n, one for which no more than half of the others are smaller, and the least of those.
  static double median(const std::vector<double>& distances) {
    double best = kInfinity;
    for (const double candidate : distances) {
      if (2 * share(distances, candidate) >= 1) best = std::min(best, candidate);
    }
    return best;
  }
  static double mean(const std::vector<double>& distances) {
    double sum = 0;
    for (const double distance : distances) sum += distance;
    return sum / static_cast<double>(distances.size());
  }
  static bool prefix_is_true(const PrefixMetrics& m, const std::vector<double>& distances,
                             double theta) {
    return close(m.coverage, share(distances, theta)) && close(m.cost_median, median(distances)) &&
           close(m.cost_mean, mean(distances));
  }
  static bool metrics_are_true(const Metrics& m, const std::vector<double>& distances,
                               double theta) {
    for (std::size_t row = 0; row < m.by_theta.size(); ++row) {
      // A fifth of theta from one to the next; none here is so large that some are left out.
      if (std::abs(m.by_theta[row].theta - static_cast<double>(row + 1) * theta / 5) > 1e-11) {
        return false;
      }
      if (!close(m.by_theta[row].coverage, share(distances, m.by_theta[row].theta))) return false;
    }
    std::size_t within_one = 0;
    for (int step = 1; step <= 10; ++step) within_one += theta * step / 5 <= 1 ? 1U : 0U;
    if (m.by_theta.size() != within_one) return false;
    return prefix_is_true({0, m.coverage, m.cost_median, m.cost_mean}, distances, theta);
  }

  [[nodiscard]] static std::size_t place(const Explanation& e, std::uint32_t input) {
    return static_cast<std::size_t>(std::find(e.inputs.begin(), e.inputs.end(), input) -
                                    e.inputs.begin());
  }
  [[nodiscard]] Graph input(std::uint32_t index) const {
    return w_.data.graphs[index].without_edge_labels();
  }

  const test::SmallWorld& w_;
  ThreadPool& pool_;
  std::string hash_;
  std::vector<std::uint32_t> rejected_;
};

// ---- What explain writes -----------------------------------------------------------------------

class MutationTest : public testing::Test {
 protected:
  struct Made {
    std::string how;
    Explanation explanation;
  };

  static void SetUpTestSuite() {
    world_ = std::make_unique<test::SmallWorld>();
    write_greed();
    made_ = std::make_unique<std::vector<Made>>(make_all());
  }
  static void TearDownTestSuite() {
    made_.reset();
    world_.reset();
  }
  static test::SmallWorld& world() { return *world_; }
  static const std::vector<Made>& made() { return *made_; }

  static verify::Report check(const Explanation& e) {
    test::SmallWorld& w = *world_;
    return verify::verify(
        e, {w.data, w.classifier.get(), dataset_fingerprint(w.data), w.model_hash}, w.pool);
  }

 private:
  static std::filesystem::path greed_file() { return world_->folder.path() / "greed.pt"; }

  /// One layer with weights that are as good as any.
  static void write_greed() {
    Rng rng(8);
    StateDict weights;
    const auto add = [&](const std::string& name, std::int64_t out, std::int64_t in) {
      std::vector<float> values(static_cast<std::size_t>(out * in));
      for (float& value : values) value = static_cast<float>(rng.uniform()) - 0.4F;
      weights["embed_model." + name + ".weight"] = Tensor::from_floats({out, in}, values);
      values.resize(static_cast<std::size_t>(out));
      weights["embed_model." + name + ".bias"] = Tensor::from_floats({out}, values);
    };
    add("pre", 4, static_cast<std::int64_t>(world_->data.node_labels.size()));
    add("convs.0.nn.0", 4, 4);
    add("convs.0.nn.2", 4, 4);
    add("post.0", 4, 8);
    add("post.2", 4, 4);
    write_checkpoint(greed_file(), weights);
  }

  /// As the program does it; `calls`: ended after so many looks at the progress.
  static void add(const std::string& how, ExplainOptions options, const std::string& constraint,
                  std::size_t calls, std::vector<Made>& out) {
    test::SmallWorld& w = *world_;
    options.steps = options.steps.value_or(60);
    options.bonds = false;  // the slow recount knows none; tests/bonds_test.cpp has some
    options.refine_work = options.distance == "certified" ? 3'000'000 : 2'000;
    if (!constraint.empty()) {
      add_constraint(constraint, label_names(w.data).nodes, options.constraints);
    }
    if (options.distance == "greed") options.distance_options.model = greed_file().string();
    ExplainHooks hooks;
    hooks.progress = [&, seen = std::size_t{0}](const ExplainProgress&) mutable {
      return calls == 0 || ++seen < calls;
    };
    Explanation e;
    try {
      e = explain(w.data, *w.classifier, rejected_graphs(w.data, *w.classifier, w.pool), options,
                  w.pool, hooks, builtin_parts());
    } catch (const Error& error) {
      throw std::runtime_error(how + ": " + error.what());
    }
    EXPECT_EQ(e.complete, calls == 0) << how;
    e.provenance.model_hash = w.model_hash;
    if (options.distance == "greed") e.provenance.distance_model_hash = "of greed.pt";
    if (!constraint.empty()) e.provenance.options.emplace_back("constraint", constraint);
    out.push_back({how, parse_explanation(explanation_json(e), how)});
  }

  static std::vector<Made> make_all() {
    std::vector<Made> out;
    ExplainOptions few;
    few.k = 4;
    few.theta = 0.15;
    for (const std::string& method : builtin_parts().sources.names()) {
      for (const std::string& distance : builtin_parts().distances.names()) {
        ExplainOptions options = few;
        options.method = method;
        options.distance = distance;
        if (distance != "certified" && distance != "greed") options.theta.reset();
        options.local.cff.alpha = 0;
        options.local.rc.epochs = 5;
        options.keep_isolated = true;  // no connected part is accepted here
        add(method + " " + distance, options, "", 0, out);
      }
    }
    ExplainOptions options = few;
    options.k = 40;
    add("fewer than k", options, "", 0, out);
    options.k = 8;
    options.fill = true;
    add("filled", options, "max-nodes=60", 0, out);
    options = few;
    add("interrupted in the walk", options, "", 30, out);
    add("interrupted later", options, "", 70, out);
    options.refine = false;
    options.min_probability = 0.51;
    add("the walk alone", options, "max-edges=80", 0, out);
    return out;
  }

  static std::unique_ptr<test::SmallWorld> world_;
  static std::unique_ptr<std::vector<Made>> made_;
};

std::unique_ptr<test::SmallWorld> MutationTest::world_;
std::unique_ptr<std::vector<MutationTest::Made>> MutationTest::made_;

TEST_F(MutationTest, WhatExplainWritesIsAccepted) {
  const Oracle oracle(world(), world().pool);
  for (const auto& [how, e] : made()) {
    const verify::Report report = check(e);
    EXPECT_TRUE(report.holds()) << how << ": " << testing::PrintToString(report.listed);
    EXPECT_TRUE(report.all_checked()) << how;
    EXPECT_EQ(report.certified, e.distance == "certified") << how;
    EXPECT_TRUE(oracle.is_true(e)) << how;
  }
}

// ---- Random changes ----------------------------------------------------------------------------

class Mutator {
 public:
  explicit Mutator(Rng& rng) : rng_(rng) {}

  /// Changes one value, list or object somewhere; says where.
  std::string change(Json& json) {
    Json* at = &json;
    std::string path;
    while (at->is_structured() && !at->empty() && !(at->is_array() && rng_.chance(0.15))) {
      if (at->is_object() && rng_.chance(0.02)) break;
      const std::size_t i = rng_.below(at->size());
      if (at->is_object()) {
        const auto item = std::next(at->begin(), static_cast<std::ptrdiff_t>(i));
        path += "." + item.key();
        at = &item.value();
      } else {
        path += "[" + std::to_string(i) + "]";
        at = &(*at)[i];
      }
    }
    change_value(*at);
    return path;
  }

 private:
  void change_value(Json& value) {
    if (value.is_array()) return change_list(value);
    if (value.is_object()) return change_object(value);
    if (value.is_boolean()) {
      value = !value.get<bool>();
    } else if (value.is_string()) {
      change_text(value);
    } else if (value.is_number_integer()) {
      change_whole(value);
    } else if (value.is_number()) {
      change_number(value);
    } else {
      value = rng_.chance(0.5) ? Json(0) : Json("x");
    }
  }

  void change_list(Json& list) {
    if (list.empty()) {
      list.push_back(0);
      return;
    }
    const std::size_t i = rng_.below(list.size());
    switch (rng_.below(3)) {
      case 0: list.erase(i); break;
      case 1: {
        const Json copy = list[i];
        list.insert(list.begin() + static_cast<std::ptrdiff_t>(i), copy);
        break;
      }
      default: std::swap(list[i], list[rng_.below(list.size())]);
    }
  }

  void change_object(Json& object) {
    if (object.empty()) return;
    const auto item =
        std::next(object.begin(), static_cast<std::ptrdiff_t>(rng_.below(object.size())));
    const std::string key = item.key();
    const Json value = item.value();
    object.erase(key);
    // Gone, or misspelt.
    if (rng_.chance(0.5)) object[key + "s"] = value;
  }

  void change_text(Json& value) {
    std::string text = value;
    switch (rng_.below(4)) {
      case 0: text += "0"; break;
      case 1: text.clear(); break;
      case 2: text = std::to_string(rng_.below(20)); break;
      default:
        if (!text.empty()) text[rng_.below(text.size())] = "0123456789abcXN."[rng_.below(16)];
    }
    value = text;
  }

  void change_whole(Json& value) {
    const auto number = value.get<std::int64_t>();
    constexpr std::int64_t kSteps[] = {1, -1, 2, -3, 10, 1'000'000'000};
    value = rng_.chance(0.1) ? 0 : number + kSteps[rng_.below(6)];
  }

  void change_number(Json& value) {
    const auto number = value.get<double>();
    switch (rng_.below(5)) {
      case 0: value = number + 1e-3; break;
      case 1: value = number - 1e-3; break;
      case 2: value = number / 2; break;
      case 3: value = 1.0; break;
      default: value = 0.0;
    }
  }

  Rng& rng_;
};

TEST_F(MutationTest, AThousandFalsehoodsAreRefused) {
  const Oracle oracle(world(), world().pool);
  std::vector<Json> sources;
  for (const Made& one : made()) sources.push_back(Json::parse(explanation_json(one.explanation)));
  Rng rng(18);
  Mutator mutator(rng);
  std::size_t refused_by_reader = 0;
  std::size_t refused = 0;
  std::size_t accepted = 0;
  for (int round = 0; refused < 1000; ++round) {
    ASSERT_LT(round, 20'000);
    const std::size_t which = rng.below(sources.size());
    Json json = sources[which];
    std::string where = mutator.change(json);
    if (rng.chance(0.2)) where += " and " + mutator.change(json);
    std::optional<Explanation> e;
    try {
      e = parse_explanation(json.dump(), "e.json");
    } catch (const Error&) {
      ++refused_by_reader;
      continue;
    }
    const bool is_true = oracle.is_true(*e);
    const verify::Report report = check(*e);
    ASSERT_EQ(report.holds() && report.all_checked(), is_true)
        << made()[which].how << ", round " << round << ", " << where << ": "
        << testing::PrintToString(report.listed) << testing::PrintToString(report.not_checked);
    ++(is_true ? accepted : refused);
  }
  // Some changes are about what is not checked, or change nothing.
  EXPECT_GT(accepted, 50U);
  RecordProperty("refused_by_reader", static_cast<int>(refused_by_reader));
  RecordProperty("accepted", static_cast<int>(accepted));
}

/// The program itself, which looks for files where the explanation says: it ends, without a signal.
TEST_F(MutationTest, TheProgramEndsWhateverPathsAre) {
  const test::SmallWorld& w = world();
  std::filesystem::create_directory(w.folder.path() / "loop");
  std::filesystem::create_symlink(".", w.folder.path() / "loop" / "raw");
  Json truth = Json::parse(explanation_json(made().front().explanation));
  truth["dataset"]["path"] = "planted";
  truth["model"]["path"] = "model.pt";
  const std::string nul(1, '\0');
  std::string deep;
  for (int i = 0; i < 1500; ++i) deep += "raw/";
  const std::string paths[] = {
      "",         ".",       "..",       "/",      nul,    "planted" + nul, deep,   "loop",
      "loop/raw", "planted", "model.pt", "m.json", "/dev", "\x1b[2J",       "a\nb", nul + nul};
  Rng rng(19);
  Mutator mutator(rng);
  for (int round = 0; round < 60; ++round) {
    Json json = truth;
    Json& at = rng.chance(0.5) ? json["dataset"]["path"] : json["model"]["path"];
    if (rng.chance(0.8)) at = paths[rng.below(std::size(paths))];
    if (rng.chance(0.3)) json["options"]["metadata"] = paths[rng.below(std::size(paths))];
    if (rng.chance(0.5)) mutator.change(json[rng.chance(0.5) ? "options" : "dataset"]);
    const auto file = w.folder.write("m.json", json.dump());
    test::Command command({file.string()});
    ASSERT_TRUE(command.ends_within(std::chrono::seconds(60))) << json["dataset"] << json["model"];
    const int code = command.wait().code;
    ASSERT_TRUE(code >= 0 && code <= 4 && code != 2) << code << json["dataset"] << json["model"];
  }
}

}  // namespace
}  // namespace fewedits
