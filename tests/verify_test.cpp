// SPDX-License-Identifier: MIT
// fewedits-verify: what is true holds, and no explanation that was tampered with does.
#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "fewedits/classifier/model_file.hpp"
#include "fewedits/distance/certified_distances.hpp"
#include "fewedits/explanation/explanation_json.hpp"
#include "fewedits/explanation/proofs.hpp"
#include "fewedits/explanation/recorded_names.hpp"
#include "fewedits/fewedits.hpp"
#include "fewedits/formats/checkpoint_reader.hpp"
#include "fewedits/formats/checkpoint_writer.hpp"
#include "fewedits/formats/metadata.hpp"
#include "fewedits/formats/tu_writer.hpp"
#include "fewedits/ged/batch.hpp"
#include "fewedits/ged/solver.hpp"
#include "fewedits/proof/plain_bound.hpp"
#include "fewedits/search/option_table.hpp"
#include "fewedits/synthetic/generator.hpp"
#include "fewedits/verification/verifier.hpp"
#include "support/command.hpp"
#include "support/fake_classifier.hpp"
#include "support/script_json.hpp"
#include "support/small_world.hpp"
#include "support/stop_watch.hpp"

namespace fewedits {
namespace {

using Json = nlohmann::ordered_json;
using test::Outcome;
using testing::AllOf;
using testing::AnyOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;
using testing::UnorderedElementsAre;
using verify::Report;

/// support/command.hpp starts the program that the build names.
Outcome fewedits_verify(const std::vector<std::string>& arguments) {
  return test::fewedits(arguments);
}

constexpr double kTheta = 0.15;

// ---- A true explanation ---------------------------------------------------------------------

/// An explanation made of inputs with one label changed.
class VerifyTest : public testing::Test {
 protected:
  struct World : test::SmallWorld {
    std::filesystem::path file = folder.path() / "e.json";
    Explanation truth;
    Json json;  ///< the same as it is written
  };

  static void SetUpTestSuite() {
    world_ = std::make_unique<World>();
    World& w = *world_;
    w.truth = true_explanation();
    w.json = Json::parse(explanation_json(w.truth));
    write_file_atomically(w.file, explanation_json(w.truth));
  }
  static void TearDownTestSuite() { world_.reset(); }
  static World& world() { return *world_; }

  /// The graph with one label changed so that the model accepts it.
  static std::optional<Graph> accepted_neighbour(const Graph& graph) {
    const auto labels = static_cast<Label>(world_->data.node_labels.size());
    for (Node v = 0; v < graph.num_nodes(); ++v) {
      for (Label label = 0; label < labels; ++label) {
        const Graph changed = graph.with_label(v, label);
        if (judge({&changed, 1}, *world_->classifier, 1, world_->pool)[0].accepted) return changed;
      }
    }
    return std::nullopt;
  }

  static void add_counterfactuals(const std::vector<Graph>& inputs, Explanation& e) {
    for (std::size_t i = 0; i < inputs.size() && e.counterfactuals.size() < 5; ++i) {
      const auto graph = accepted_neighbour(inputs[i]);
      if (!graph) continue;
      Counterfactual c;
      c.graph = *graph;
      c.origin = e.inputs[i];
      e.counterfactuals.push_back(std::move(c));
    }
  }

  static Explanation true_explanation() {
    const World& w = *world_;
    Explanation e;
    e.method = "gcf";
    e.distance = "certified";
    e.meaning = DistanceMeaning::kProven;
    e.theta = kTheta;
    e.provenance.software = "fewedits";
    e.provenance.dataset_path = "planted";  // beside the explanation
    e.provenance.dataset_hash = dataset_fingerprint(w.data);
    e.provenance.model_path = "model.pt";
    e.provenance.model_hash = w.model_hash;
    e.provenance.options = {{"k", "5"},
                            {"theta", "0.15"},
                            {"steps", "0"},
                            {"min-lead", "0.0001"},
                            {"min-probability", "0.5"},
                            {"constraint", "max-nodes=500"},
                            {"fill", ""}};
    e.label_names = label_names(w.data).nodes;
    const RejectedGraphs graphs = rejected_graphs(w.data, *w.classifier, world_->pool);
    e.inputs = graphs.rejected;
    e.classes = explained_classes(w.data, *w.classifier, graphs);
    add_counterfactuals(without_edge_labels(w.data, e.inputs), e);
    prove(e);
    return e;
  }

  /// All that follows from the counterfactuals.
  static void prove(Explanation& e) {
    const std::vector<Graph> inputs = without_edge_labels(world_->data, e.inputs);
    std::vector<Graph> graphs;
    for (Counterfactual& c : e.counterfactuals) {
      graphs.push_back(c.graph);
      c.proofs.clear();
      c.probability = judge({&c.graph, 1}, *world_->classifier, 1, world_->pool)[0].probability;
    }
    CertifiedOptions options{.theta = kTheta};
    options.ged.budget.work = 1;  // so that some pairs stay open
    const CertifiedDistances proven =
        certified_distances(graphs, prepare_graphs(inputs, world_->pool), options, world_->pool);
    fill_metrics(proven.normalized_upper(), e);
    fill_proofs(proven, inputs, e);
  }

  /// With one more that covers nothing new.
  static Explanation with_one_that_adds_nothing() {
    const World& w = *world_;
    for (const std::uint32_t origin :
         rejected_graphs(w.data, *w.classifier, world_->pool).accepted) {
      Explanation e = w.truth;
      Counterfactual added;
      added.graph = w.data.graphs[origin].without_edge_labels();
      added.origin = origin;
      e.counterfactuals.push_back(std::move(added));
      e.provenance.options[0] = {"k", "6"};
      prove(e);
      if (e.counterfactuals.back().gain == 0) return e;
    }
    throw std::runtime_error("each adds something");
  }

  static Report check(const Explanation& e) { return check(e, *world_->classifier); }
  static Report check(const Explanation& e, const Classifier& classifier) {
    const World& w = *world_;
    const bool bonds = !e.edge_label_names.empty();
    return verify::verify(
        e, {w.data, &classifier, dataset_fingerprint(w.data, bonds), w.model_hash}, world_->pool);
  }

  static std::string write(const std::string& name, const Json& json) {
    return world_->folder.write(name, json.dump()).string();
  }

 private:
  static std::unique_ptr<World> world_;
};

std::unique_ptr<VerifyTest::World> VerifyTest::world_;

TEST_F(VerifyTest, WhatIsTrueHolds) {
  const Explanation& e = world().truth;
  const Report report = check(e);
  EXPECT_TRUE(report.holds()) << testing::PrintToString(report.listed);
  EXPECT_TRUE(report.certified);
  EXPECT_GT(report.claims, 200U);
  EXPECT_GT(report.maps, e.inputs.size());
  // The material is worth the name: something of everything.
  ASSERT_EQ(e.counterfactuals.size(), 5U);
  EXPECT_GT(report.scripts, 4U);
  EXPECT_LT(e.metrics.coverage, e.metrics.coverage_upper);
  EXPECT_LT(e.metrics.coverage_upper, 1);
  EXPECT_LT(e.metrics.coverage, report.coverage_at_most);
  EXPECT_LT(report.coverage_at_most, 1);
  EXPECT_EQ(parse_explanation(explanation_json(e), "e.json"), e);
}

TEST_F(VerifyTest, WhatTheSearchWritesHolds) {
  const World& w = world();
  for (const char* const method : {"gcf", "ground-truth"}) {
    ExplainOptions options;
    options.method = method;
    options.steps = 50;
    options.k = 3;
    options.refine_work = 2'000'000;
    options.min_probability = 0.51;
    Explanation e = explain(w.data, *w.classifier, options, world().pool);
    e.provenance.model_hash = w.model_hash;
    const Report report = check(parse_explanation(explanation_json(e), "e.json"));
    EXPECT_TRUE(report.holds()) << testing::PrintToString(report.listed);
    EXPECT_TRUE(report.certified);
    ASSERT_EQ(e.counterfactuals.size(), options.k);
    for (const Counterfactual& c : e.counterfactuals) EXPECT_GE(c.probability, 0.51);
  }
}

// ---- Numbers, twins, origins -------------------------------------------------------------------

/// Isolated nodes are allowed where the file says so, and only to methods that cut edges.
TEST_F(VerifyTest, IsolatedNodesStayOnlyWhereTheOptionSaysSo) {
  const World& w = world();
  ExplainOptions options;
  options.method = "cff";
  options.k = 3;
  options.keep_isolated = true;
  options.local.cff.alpha = 0;
  Explanation e = explain(w.data, *w.classifier, options, world().pool);
  e.provenance.model_hash = w.model_hash;
  EXPECT_TRUE(check(e).holds()) << testing::PrintToString(check(e).listed);
  const auto apart = std::ranges::find_if(
      e.counterfactuals, [](const Counterfactual& c) { return !c.graph.is_connected(); });
  ASSERT_NE(apart, e.counterfactuals.end());

  Explanation forged = e;
  std::erase_if(forged.provenance.options,
                [](const auto& o) { return o.first == "keep-isolated"; });
  EXPECT_THAT(check(forged).listed, Contains(HasSubstr("is not connected")));
  forged = e;
  forged.method = "gcf";
  EXPECT_THAT(check(forged).listed,
              AllOf(Contains(HasSubstr("keep-isolated does not go with the method 'gcf'")),
                    Contains(HasSubstr("is not connected"))));
  // Apart, accepted, but no input without edges.
  forged = e;
  Counterfactual& c =
      forged.counterfactuals[static_cast<std::size_t>(apart - e.counterfactuals.begin())];
  const auto other = std::ranges::find_if(e.inputs, [&](std::uint32_t i) {
    return i != *c.origin && w.data.graphs[i].num_nodes() != c.graph.num_nodes();
  });
  ASSERT_NE(other, e.inputs.end());
  c.origin = *other;
  EXPECT_THAT(check(forged).listed, Contains(HasSubstr("without some of its edges")));
  c.origin.reset();
  EXPECT_THAT(check(forged).listed, Contains(HasSubstr("is none of the inputs")));
}

TEST_F(VerifyTest, ThereAreNoMoreCounterfactualsThanAskedFor) {
  Explanation e = world().truth;
  e.provenance.options[0] = {"k", "6"};
  EXPECT_TRUE(check(e).holds());
  e.provenance.options[0] = {"k", "4"};
  EXPECT_THAT(check(e).listed, ElementsAre("counterfactuals: are 5, the option k is 4"));
}

TEST_F(VerifyTest, CounterfactualsAreDifferentGraphs) {
  Explanation e = world().truth;
  Rng rng(3);
  const Graph& first = e.counterfactuals[0].graph;
  e.counterfactuals[2].graph = first.permuted(test::random_permutation(rng, first.num_nodes()));
  prove(e);
  EXPECT_THAT(check(e).listed,
              ElementsAre("counterfactuals[2]: is the same graph as counterfactuals[0]"));
}

/// Evaluating these takes gigabytes, their canonical forms minutes.
TEST_F(VerifyTest, GraphsThatSomebodyMadeUpAreNotLookedInto) {
  const auto refuse = [&](const Graph& graph) {
    Explanation e = world().truth;
    for (const std::size_t c : {0U, 1U}) {
      e.counterfactuals[c].graph = graph;
      e.counterfactuals[c].proofs.clear();
      e.counterfactuals[c].covers.clear();
    }
    const Report report = check(e);
    EXPECT_FALSE(report.all_checked());
    EXPECT_THAT(report.not_checked, ElementsAre(HasSubstr("counterfactuals[0]: has "),
                                                HasSubstr("counterfactuals[1]: has ")));
    EXPECT_EQ(report.maps, 0U);
  };
  refuse(Graph(std::vector<Label>(100'000, 0), {}));
  std::vector<Edge> spokes;
  for (Node v = 1; v < 20'000; ++v) spokes.push_back({0, v});
  refuse(Graph(std::vector<Label>(20'000, 0), spokes));
}

/// Every check that a file can make expensive.
TEST_F(VerifyTest, WhatTakesTooMuchWorkIsNotChecked) {
  const World& w = world();
  const auto report_with = [&](const Explanation& e, std::uint64_t work) {
    return verify::verify(e,
                          {w.data, w.classifier.get(), dataset_fingerprint(w.data), w.model_hash},
                          world().pool, {.max_work = work});
  };
  std::uint64_t sizes = 0;
  for (const Counterfactual& c : w.truth.counterfactuals) sizes += c.graph.size();
  const Report no_graphs = report_with(w.truth, 1000 * sizes - 1);
  EXPECT_TRUE(no_graphs.holds());
  EXPECT_THAT(no_graphs.not_checked,
              ElementsAre(AllOf(HasSubstr("counterfactuals"), HasSubstr("units of work"))));
  EXPECT_TRUE(report_with(w.truth, 1000 * sizes).all_checked());

  // The same thetas again and again: a row is short, and takes a look at every input.
  Explanation e = w.truth;
  const ThetaMetrics row = e.metrics.by_theta.front();
  e.metrics.by_theta.assign(100'000, row);
  const Report no_figures = report_with(e, 10'000'000);
  EXPECT_TRUE(no_figures.holds());
  EXPECT_EQ(no_figures.maps, 0U);
  EXPECT_THAT(no_figures.not_checked, ElementsAre(HasSubstr("covers, recourse and metrics")));
}

/// Many rings on a hub: the search for canonical forms gives up.
Graph rings_on_a_hub(Node rings) {
  std::vector<Edge> edges;
  for (Node first = 1; first < 1 + 6 * rings; first += 6) {
    for (Node i = 0; i < 6; ++i) edges.push_back({first + i, first + (i + 1) % 6});
    edges.push_back({0, first});
  }
  return {std::vector<Label>(1 + 6 * rings, 0), edges};
}

TEST_F(VerifyTest, WhetherTwoAreTheSameMayTakeTooLong) {
  Rng rng(4);
  const Graph hard = rings_on_a_hub(300);
  Dataset data;
  data.graphs = {rings_on_a_hub(301)};
  data.node_labels = {{0, "C"}};
  data.class_labels = {{0, "bad"}, {1, "good"}};
  data.desired_class = 1;
  const test::FakeClassifier model(1, 2, [&](const Graph& g) {
    return g.num_nodes() == hard.num_nodes() ? std::vector{0.25, 0.75} : std::vector{0.75, 0.25};
  });
  Explanation e;
  e.method = "gcf";
  e.distance = "wl";
  e.meaning = DistanceMeaning::kOther;
  e.theta = 0.1;
  e.provenance.options = {{"k", "3"}, {"theta", "0.1"}, {"steps", "0"}, {"min-lead", "0"}};
  e.provenance.dataset_hash = dataset_fingerprint(data);
  e.label_names = {"C"};
  e.inputs = {0};
  e.recourse = {{0, 0, 0.9, false}};
  e.metrics.cost_median = e.metrics.cost_mean = 0.9;
  for (int k = 1; k <= 3; ++k) e.metrics.by_k.push_back({static_cast<std::size_t>(k), 0, 0.9, 0.9});
  for (int step = 1; step <= 10; ++step) {
    e.metrics.by_theta.push_back({std::round(0.02 * step * 1e12) / 1e12, 0});
  }
  for (int c = 0; c < 3; ++c) {
    const Graph twin =
        c == 2 ? hard : hard.permuted(test::random_permutation(rng, hard.num_nodes()));
    e.counterfactuals.push_back({twin, 0.75, {}, 0, 0, std::nullopt});
  }
  const verify::Material material{data, &model, e.provenance.dataset_hash, ""};
  const Report report = verify::verify(e, material, world().pool);
  EXPECT_TRUE(report.holds()) << testing::PrintToString(report.listed);
  EXPECT_THAT(report.not_checked, Contains(HasSubstr("counterfactuals[1]: whether it repeats")));
  const std::uint64_t for_evaluation = std::uint64_t{3000} * hard.size();
  const Report less = verify::verify(e, material, world().pool, {.max_work = for_evaluation});
  EXPECT_THAT(less.not_checked,
              ElementsAre(HasSubstr("counterfactuals[0]: whether it repeats"),
                          HasSubstr("counterfactuals[1]: whether it and later ones repeat")));
  // The very same graph is found all the same.
  e.counterfactuals[1] = e.counterfactuals[0];
  EXPECT_THAT(verify::verify(e, material, world().pool).listed,
              ElementsAre("counterfactuals[1]: is the same graph as counterfactuals[0]"));
}

TEST_F(VerifyTest, GroundTruthMayHaveTwinsAsTheDatasetMay) {
  Explanation e = world().truth;
  const auto accepted = rejected_graphs(world().data, *world().classifier, world().pool).accepted;
  e.method = "ground-truth";
  e.from_dataset = true;
  for (Counterfactual& c : e.counterfactuals) {
    c.origin = accepted[0];
    c.graph = world().data.graphs[accepted[0]].without_edge_labels();
  }
  prove(e);
  const Report report = check(e);
  EXPECT_TRUE(report.holds()) << testing::PrintToString(report.listed);
}

TEST_F(VerifyTest, TheSearchSetsOutFromGraphsOfTheDataset) {
  Explanation e = world().truth;
  e.counterfactuals[1].origin.reset();
  EXPECT_TRUE(check(e).holds());
  e.counterfactuals[1].origin = static_cast<std::uint32_t>(world().data.size());
  EXPECT_THAT(check(e).listed,
              ElementsAre("counterfactuals[1].origin: is no graph of the dataset"));
}

// ---- The model on another machine ---------------------------------------------------------------

/// Says of one graph that it is just on either side of the boundary.
class Nudged final : public Classifier {
 public:
  Nudged(const Classifier& model, Graph graph, double probability)
      : model_(model), graph_(std::move(graph)), probability_(probability) {}
  [[nodiscard]] std::size_t num_classes() const override { return model_.num_classes(); }
  [[nodiscard]] std::size_t num_labels() const override { return model_.num_labels(); }
  void log_probabilities(std::span<const Graph> graphs, std::span<float> out,
                         ThreadPool& pool) const override {
    model_.log_probabilities(graphs, out, pool);
    for (std::size_t g = 0; g < graphs.size(); ++g) {
      if (graphs[g].without_edge_labels() != graph_) continue;
      out[2 * g] = static_cast<float>(std::log(1 - probability_));
      out[2 * g + 1] = static_cast<float>(std::log(probability_));
    }
  }

 private:
  const Classifier& model_;
  Graph graph_;
  double probability_;
};

TEST_F(VerifyTest, OnTheBoundaryTheModelMaySayEither) {
  const World& w = world();
  const auto holds = [&](Explanation e, const Graph& graph, double probability) {
    for (auto& [name, value] : e.provenance.options) {
      if (name == "min-lead") value = "0";
    }
    return check(e, Nudged(*w.classifier, graph, probability)).holds();
  };
  const auto accepted = rejected_graphs(w.data, *w.classifier, world().pool).accepted;
  const Graph input = w.data.graphs[w.truth.inputs[0]].without_edge_labels();
  const Graph other = w.data.graphs[accepted[0]].without_edge_labels();
  EXPECT_TRUE(holds(w.truth, input, 0.5 + 5e-6));
  EXPECT_FALSE(holds(w.truth, input, 0.5 + 5e-5));
  EXPECT_TRUE(holds(w.truth, other, 0.5 - 5e-6));
  EXPECT_FALSE(holds(w.truth, other, 0.5 - 5e-5));
  Explanation e = w.truth;
  e.counterfactuals[0].probability = 0.5 + 2e-6;
  const Graph counterfactual = e.counterfactuals[0].graph;
  EXPECT_TRUE(holds(e, counterfactual, 0.5 - 5e-6));
  e.counterfactuals[0].probability = 0.5 - 4.5e-5;
  EXPECT_FALSE(holds(e, counterfactual, 0.5 - 5e-5));
}

// ---- The verifier's own bound -------------------------------------------------------------------

TEST(PlainBoundTest, IsNeverAboveTheDistance) {
  Rng rng(5);
  std::int64_t sum = 0;
  for (int i = 0; i < 300; ++i) {
    const auto any = [&] {
      return test::random_graph(rng, static_cast<Node>(1 + rng.below(6)), rng.below(4), 3, 0);
    };
    const Graph a = any();
    const Graph b = any();
    const std::int64_t least = least_edits(PlainShape(a), PlainShape(b));
    EXPECT_EQ(least, least_edits(PlainShape(b), PlainShape(a)));
    EXPECT_EQ(least_edits(PlainShape(a), PlainShape(a)), 0);
    EXPECT_LE(least, GedSolver().exact(PreparedGraph(a), PreparedGraph(b)).upper);
    sum += least;
  }
  EXPECT_GT(sum, 600);
}

// ---- Explanations that were tampered with -----------------------------------------------------

/// Changes the explanation, so that at least one claim becomes false; false if it could not.
struct Tampering {
  const char* name;
  std::function<bool(Json&, Rng&)> change;
};

Json& any_of(Json& list, Rng& rng) { return list.at(rng.below(list.size())); }

/// Any item that meets the condition, or null.
Json* any_such(Json& list, Rng& rng, const std::function<bool(const Json&)>& condition) {
  std::vector<Json*> found;
  for (Json& item : list) {
    if (condition(item)) found.push_back(&item);
  }
  return found.empty() ? nullptr : found[rng.below(found.size())];
}

bool lists(const Json& list, const Json& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

void remove_value(Json& list, const Json& value) {
  const auto at = std::find(list.begin(), list.end(), value);
  if (at != list.end()) list.erase(at);
}

/// So that the reader finds nothing wrong.
void put_gains_right(Json& e) {
  Json covered = Json::array();
  for (Json& c : e["counterfactuals"]) {
    c["gain"] = 0;
    for (const Json& input : c["covers"]) {
      if (lists(covered, input)) continue;
      covered.push_back(input);
      c["gain"] = c["gain"].get<int>() + 1;
    }
  }
}

bool raise(Json& figure) {
  const double before = figure.get<double>();
  figure = before + 0.01 > 1 ? 1.0 : before + 0.01;
  return figure.get<double>() != before;
}

Json* any_proof(Json& e, Rng& rng, bool covered) {
  Json& c = any_of(e["counterfactuals"], rng);
  return any_such(c["proofs"], rng,
                  [&](const Json& proof) { return lists(c["covers"], proof[0]) == covered; });
}

Json* any_recourse(Json& e, Rng& rng, bool covered) {
  return any_such(e["recourse"], rng, [&](const Json& r) { return r["covered"] == covered; });
}

Json* any_script(Json& e, Rng& rng) {
  return any_such(e["recourse"], rng,
                  [](const Json& r) { return r.contains("script") && !r["script"].empty(); });
}

// Graphs

bool change_label(Json& e, Rng& rng) {
  Json& c = any_of(e["counterfactuals"], rng);
  const auto v = rng.below(c["labels"].size());
  const auto label = rng.below(e["node_labels"].size());
  if (c["labels"][v] == label) return false;
  c["labels"][v] = label;
  c["label_names"][v] = e["node_labels"][label];
  return true;
}

bool drop_edge(Json& e, Rng& rng) {
  Json& edges = any_of(e["counterfactuals"], rng)["edges"];
  edges.erase(rng.below(edges.size()));
  return true;
}

bool add_edge(Json& e, Rng& rng) {
  Json& c = any_of(e["counterfactuals"], rng);
  const auto u = rng.below(c["labels"].size());
  const auto v = rng.below(c["labels"].size());
  if (u >= v || lists(c["edges"], Json{u, v})) return false;
  c["edges"].push_back(Json{u, v});
  return true;
}

bool change_probability(Json& e, Rng& rng) {
  Json& p = any_of(e["counterfactuals"], rng)["probability"];
  p = p.get<double>() + (rng.chance(0.5) ? 1e-3 : -1e-3);
  return true;
}

// Edits

bool drop_step(Json& e, Rng& rng) {
  Json* r = any_script(e, rng);
  if (r == nullptr) return false;
  (*r)["script"].erase(rng.below((*r)["script"].size()));
  return true;
}

bool repeat_step(Json& e, Rng& rng) {
  Json* r = any_script(e, rng);
  if (r == nullptr) return false;
  (*r)["script"].push_back(any_of((*r)["script"], rng));
  return true;
}

bool change_step(Json& e, Rng& rng) {
  Json* r = any_script(e, rng);
  if (r == nullptr) return false;
  Json& op = any_of((*r)["script"], rng);
  const char* key = op.contains("node") ? "node" : rng.chance(0.5) ? "u" : "v";
  if (op["op"] != "insert_edge" && op.contains("label") && rng.chance(0.5)) key = "label";
  const auto bound = key == std::string("label") ? e["node_labels"].size() : (*r)["map"].size();
  op[key] = (op[key].get<std::size_t>() + 1 + rng.below(bound - 1)) % bound;
  return true;
}

bool lower_edits(Json& e, Rng& rng) {
  Json* proof = any_proof(e, rng, rng.chance(0.5));
  if (proof == nullptr || (*proof)[1] == 0) return false;
  (*proof)[1] = (*proof)[1].get<int>() - 1;
  return true;
}

bool swap_maps(Json& e, Rng& rng) {
  Json* a = any_proof(e, rng, rng.chance(0.5));
  Json* b = any_proof(e, rng, rng.chance(0.5));
  if (a == nullptr || b == nullptr || (*a)[2].size() == (*b)[2].size()) return false;
  std::swap((*a)[2], (*b)[2]);
  return true;
}

bool drop_proof(Json& e, Rng& rng) {
  Json* proof = any_proof(e, rng, false);
  if (proof == nullptr) return false;
  const Json copy = *proof;
  for (Json& c : e["counterfactuals"]) remove_value(c["proofs"], copy);
  return true;
}

// Covers and inputs

bool pad_covers(Json& e, Rng& rng) {
  Json& c = any_of(e["counterfactuals"], rng);
  const Json* proof =
      any_such(c["proofs"], rng, [&](const Json& p) { return !lists(c["covers"], p[0]); });
  if (proof == nullptr) return false;
  c["covers"].push_back((*proof)[0]);
  std::sort(c["covers"].begin(), c["covers"].end());
  put_gains_right(e);
  return true;
}

bool shorten_covers(Json& e, Rng& rng) {
  Json& covers = any_of(e["counterfactuals"], rng)["covers"];
  if (covers.empty()) return false;
  covers.erase(rng.below(covers.size()));
  put_gains_right(e);
  return true;
}

bool remove_input(Json& e, Rng& rng) {
  const Json input = any_of(e["inputs"], rng);
  remove_value(e["inputs"], input);
  const auto about = [&](const Json& r) { return r["graph"] == input; };
  remove_value(e["recourse"], *any_such(e["recourse"], rng, about));
  for (Json& c : e["counterfactuals"]) {
    remove_value(c["covers"], input);
    const Json* proof = any_such(c["proofs"], rng, [&](const Json& p) { return p[0] == input; });
    if (proof != nullptr) remove_value(c["proofs"], Json(*proof));
  }
  put_gains_right(e);
  return true;
}

// Recourse and figures

bool raise_metric(Json& e, Rng& rng) {
  static constexpr const char* kNames[] = {"coverage", "coverage_upper", "cost_median",
                                           "cost_mean"};
  Json& metrics = e["metrics"];
  switch (rng.below(3)) {
    case 0: return raise(metrics[kNames[rng.below(4)]]);
    case 1: {
      static constexpr const char* kOfPrefix[] = {"coverage", "cost_median", "cost_mean"};
      return raise(any_of(metrics["by_k"], rng)[kOfPrefix[rng.below(3)]]);
    }
    default: return raise(any_of(metrics["by_theta"], rng)["coverage"]);
  }
}

bool shorten_distance(Json& e, Rng& rng) {
  Json* r = any_recourse(e, rng, rng.chance(0.5));
  const double distance = (*r)["distance"].get<double>();
  const double least = (*r)["covered"].get<bool>() ? 0 : kTheta + 1e-6;
  if (distance - 1e-3 <= least) return false;
  (*r)["distance"] = (*r)["normalized"] = distance - 1e-3;
  return true;
}

bool lower_ged(Json& e, Rng& rng) {
  Json& ged = (*any_recourse(e, rng, rng.chance(0.5)))["ged"];
  if (ged == 0) return false;
  ged = ged.get<int>() - 1;
  return true;
}

bool change_counterfactual(Json& e, Rng& rng) {
  Json& to = (*any_recourse(e, rng, false))["counterfactual"];
  to = (to.get<std::size_t>() + 1) % e["counterfactuals"].size();
  return true;
}

bool flip_open(Json& e, Rng& rng) {
  Json& open = (*any_recourse(e, rng, rng.chance(0.5)))["open"];
  open = !open.get<bool>();
  return true;
}

bool raise_lower_bound(Json& e, Rng& rng) {
  Json& r = any_of(e["recourse"], rng);
  r["lower_bound"] = r["ged"].get<int>() + 1;
  return true;
}

// What it is about

bool raise_theta(Json& e, Rng& rng) {
  e["theta"] = kTheta + rng.uniform() * 0.01;
  return true;
}

bool set_option(Json& e, const char* name, const char* value) {
  e["options"][name] = value;
  return true;
}

bool change_hash(Json& e, Rng& rng) {
  Json& entry = e[rng.chance(0.5) ? "dataset" : "model"]["hash"];
  std::string hash = entry;
  char& digit = hash[rng.below(hash.size())];
  digit = digit == '0' ? '1' : '0';
  entry = hash;
  return true;
}

bool rename_label(Json& e, Rng& rng) {
  const Json name = e["node_labels"][0];
  e["node_labels"][0] = "X" + std::to_string(rng.below(100));
  for (Json& c : e["counterfactuals"]) {
    std::replace(c["label_names"].begin(), c["label_names"].end(), name, e["node_labels"][0]);
  }
  return true;
}

class TamperingTest : public VerifyTest {
 protected:
  /// A swap that costs the same is no lie.
  static bool swap_images(Json& e, Rng& rng) {
    const auto c = rng.below(e["counterfactuals"].size());
    Json& proof = any_of(e["counterfactuals"][c]["proofs"], rng);
    Json& map = proof[2];
    const auto a = rng.below(map.size());
    const auto b = rng.below(map.size());
    std::swap(map[a], map[b]);
    NodeMap images;
    for (const Json& to : map) images.push_back(to == -1 ? kUnmatched : to.get<Node>());
    const Graph from = world().data.graphs[proof[0].get<std::size_t>()].without_edge_labels();
    return induced_cost(from, world().truth.counterfactuals[c].graph, images) != proof[1];
  }

  /// The same for scripts.
  static bool swap_script_images(Json& e, Rng& rng) {
    Json* r = any_script(e, rng);
    Json& map = (*r)["map"];
    std::swap(any_of(map, rng), any_of(map, rng));
    const Graph from = world().data.graphs[(*r)["graph"].get<std::size_t>()].without_edge_labels();
    const auto to = (*r)["counterfactual"].get<std::size_t>();
    return !check_certificate(from, world().truth.counterfactuals[to].graph,
                              test::read_script(nlohmann::json(*r)))
                .holds;
  }

  static std::vector<Tampering> tamperings() {
    return {
        {"change_label", change_label},
        {"drop_edge", drop_edge},
        {"add_edge", add_edge},
        {"change_probability", change_probability},
        {"drop_step", drop_step},
        {"repeat_step", repeat_step},
        {"change_step", change_step},
        {"lower_edits", lower_edits},
        {"swap_maps", swap_maps},
        {"swap_images", swap_images},
        {"swap_script_images", swap_script_images},
        {"drop_proof", drop_proof},
        {"pad_covers", pad_covers},
        {"shorten_covers", shorten_covers},
        {"remove_input", remove_input},
        {"raise_metric", raise_metric},
        {"shorten_distance", shorten_distance},
        {"lower_ged", lower_ged},
        {"change_counterfactual", change_counterfactual},
        {"flip_open", flip_open},
        {"raise_lower_bound", raise_lower_bound},
        {"raise_theta", raise_theta},
        {"change_hash", change_hash},
        {"rename_label", rename_label},
        {"forbid_it", [](Json& e, Rng&) { return set_option(e, "constraint", "max-nodes=3"); }},
        {"no_constraint",
         [](Json& e, Rng&) { return set_option(e, "constraint", "no such thing"); }},
        {"ask_for_more", [](Json& e, Rng&) { return set_option(e, "min-probability", "0.999"); }},
        {"ask_for_fewer", [](Json& e, Rng&) { return set_option(e, "k", "4"); }},
        {"call_it_ground_truth", [](Json& e, Rng&) {
           e["from_dataset"] = true;
           return true;
         }}};
  }
};

TEST_F(TamperingTest, EveryLieIsFound) {
  constexpr int kCopies = 20;
  Rng rng(11);
  std::size_t refused_by_reader = 0;
  std::size_t refused = 0;
  for (const Tampering& tampering : tamperings()) {
    int made = 0;
    for (int tries = 0; tries < 50 * kCopies && made < kCopies; ++tries) {
      Json json = world().json;
      if (!tampering.change(json, rng)) continue;
      ++made;
      try {
        const Report report = check(parse_explanation(json.dump(), "e.json"));
        ASSERT_FALSE(report.holds()) << tampering.name << " " << made;
        EXPECT_FALSE(report.listed.empty());
        ++refused;
      } catch (const Error&) {
        ++refused_by_reader;
      }
    }
    EXPECT_EQ(made, kCopies) << tampering.name;
  }
  EXPECT_GT(refused, 400U);
  EXPECT_LT(refused_by_reader, 100U) << "lies should reach the verifier";
}

TEST_F(VerifyTest, ACurveAboveTheCoverageIsFalseAndAnotherNameIsNoted) {
  Explanation e = world().truth;
  e.refinement.push_back({1, e.metrics.coverage});
  EXPECT_TRUE(check(e).holds());
  e.refinement.push_back({2, e.metrics.coverage + 0.01});
  EXPECT_THAT(check(e).listed, ElementsAre(HasSubstr("refinement[")));
  e.refinement.pop_back();
  e.provenance.dataset_name = "another";
  const Report report = check(e);
  EXPECT_TRUE(report.holds());
  EXPECT_THAT(report.notes, Contains(HasSubstr("calls the dataset 'another'")));
}

TEST_F(VerifyTest, ManyFalseClaimsAreCountedButNotAllListed) {
  Explanation e = world().truth;
  for (Counterfactual& c : e.counterfactuals) {
    for (ProvenPair& proof : c.proofs) ++proof.edits;
  }
  const Report report = check(e);
  EXPECT_EQ(report.listed.size(), Report::kListed);
  EXPECT_GT(report.false_claims, Report::kListed);
  EXPECT_THAT(report.listed[0], AllOf(HasSubstr("counterfactuals[0].proofs"), HasSubstr("edits")));
}

TEST_F(VerifyTest, AnExplanationWithoutProofsProvesNothing) {
  Explanation e = world().truth;
  for (Counterfactual& c : e.counterfactuals) c.proofs.clear();
  for (Recourse& r : e.recourse) r.proof.reset();
  EXPECT_THAT(check(e).listed, Contains(HasSubstr("no proof leads from graph")));
}

TEST_F(VerifyTest, EstimatesMustAgreeWithThemselves) {
  Explanation e = world().truth;
  e.distance = "greed";
  e.provenance.distance_model_hash = "12";
  e.meaning = DistanceMeaning::kEstimate;
  const Report report = check(e);
  EXPECT_TRUE(report.holds()) << testing::PrintToString(report.listed);
  EXPECT_FALSE(report.certified);
  e.metrics.coverage += 0.01;
  e.metrics.by_k[1].coverage += 0.01;
  e.metrics.by_theta[2].coverage += 0.01;
  e.metrics.cost_median += 0.01;
  EXPECT_EQ(check(e).false_claims, 4U);
}

TEST_F(VerifyTest, AnotherDatasetIsNotLookedIntoFurther) {
  const World& w = world();
  Dataset half = w.data;
  half.graphs.resize(half.graphs.size() / 2);
  const Report report = verify::verify(
      w.truth, {half, w.classifier.get(), dataset_fingerprint(half), w.model_hash}, world().pool);
  EXPECT_THAT(report.listed, testing::ElementsAre(HasSubstr("the graphs are other ones"),
                                                  HasSubstr("has 20 graphs only")));
}

// ---- The program --------------------------------------------------------------------------------

TEST_F(VerifyTest, TheProgramFindsItsFilesBesideTheExplanation) {
  const Outcome outcome = fewedits_verify({world().file.string()});
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("gcf: 5 counterfactuals"), HasSubstr("dataset: generated, "),
                    HasSubstr("planted, hash "),
                    HasSubstr("40 graphs, 0 filtered out; desired class: 'nonmutagen' (1)"),
                    HasSubstr("model.pt, hash " + world().model_hash), Not(HasSubstr("TAKEN FROM")),
                    HasSubstr("names, desired class and filter: " +
                              (world().data_path / "fewedits.json").string()),
                    HasSubstr("; the path is from the explanation\n"), Not(HasSubstr("UNLIKE")),
                    HasSubstr("21 of 40 graphs are predicted mutagen, not the desired class "),
                    HasSubstr("Counterfactuals: lead ≥ 0.0001, probability ≥ 0.5."),
                    HasSubstr("claims that were checked hold"),
                    HasSubstr(" at theta 0.15 proven, median cost "),
                    HasSubstr("by labels and degrees alone"), HasSubstr("that is not proven")));
  const Outcome named = fewedits_verify({world().file.string(), "--dataset",
                                         (world().folder.path() / "planted").string(), "--model",
                                         world().model_file.string(), "--json"});
  EXPECT_EQ(named.code, 0) << named.err;
  const Json json = Json::parse(named.out);
  EXPECT_EQ(json["holds"], true);
  EXPECT_EQ(json["certified"], true);
  EXPECT_EQ(json["desired_class"], "nonmutagen");
  EXPECT_EQ(json["desired_value"], 1);
  EXPECT_EQ(json["inputs"], world().truth.inputs.size());
  EXPECT_EQ(json["not_desired"], world().truth.inputs.size());
  EXPECT_EQ(json["selection"], Json::array());
  EXPECT_EQ(json["paths_from_file"], Json::array());
  EXPECT_EQ(json["false"], Json::array());
  EXPECT_EQ(json["coverage"], world().truth.metrics.coverage);
  EXPECT_GT(json["coverage_at_most"], world().truth.metrics.coverage);
  EXPECT_THAT(json["recomputed"], Contains("coverage"));
  EXPECT_EQ(json["not_proven"], (Json{"coverage_upper", "lower_bound", "open"}));
}

/// The same dataset in another file: what an explanation says of one holds for the other.
TEST_F(VerifyTest, TheProgramTakesTheDatasetAsOneFile) {
  const std::string few = (world().folder.path() / "planted.few").string();
  (void)open_and_save_dataset(world().data_path, {}, few);
  const Outcome outcome = fewedits_verify({world().file.string(), "--dataset", few});
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out,
              HasSubstr("names, desired class and filter: what " + few + " has inside"));
  Json json = world().json;
  json["dataset"]["path"] = few;
  const std::string file = write("few.json", json);
  EXPECT_EQ(fewedits_verify({file}).code, 0);
  EXPECT_EQ(fewedits_verify({file, "--dataset", world().data_path.string()}).code, 0);
}

/// Where the user names the dataset, the explanation has no say in how it is read.
TEST_F(VerifyTest, TheProgramReadsTheDatasetAsTheUserSays) {
  const std::string other = std::to_string(world().data.class_labels[0].value);
  const std::string path = world().data_path.string();
  Json json = world().json;
  DatasetOptions options;
  options.desired_class = other;
  json["dataset"]["hash"] = dataset_fingerprint(open_dataset(path, options));
  json["options"]["desired-class"] = other;
  const std::string file = write("flags.json", json);

  const Outcome taken = fewedits_verify({file});
  EXPECT_THAT(taken.out, AllOf(HasSubstr("TAKEN FROM THE EXPLANATION"),
                               HasSubstr("--desired-class '" + other + "'"),
                               HasSubstr("desired class: 'mutagen' (0)"),
                               HasSubstr("the desired class would be 'nonmutagen', not 'mutagen'"),
                               Not(HasSubstr("the graphs are other ones"))));
  const Outcome refused = fewedits_verify({file, "--dataset", path});
  EXPECT_EQ(refused.code, 1);
  EXPECT_THAT(refused.out,
              AllOf(Not(HasSubstr("TAKEN")), HasSubstr("desired class: 'nonmutagen' (1)"),
                    HasSubstr("false: dataset: the graphs are other ones"),
                    HasSubstr("false: options: the dataset was read with --desired-class '0'")));
  const Outcome same = fewedits_verify({file, "--dataset", path, "--desired-class", other});
  EXPECT_THAT(same.out, Not(AnyOf(HasSubstr("TAKEN"), HasSubstr("other ones"))));

  // What is recorded is a claim of its own, even if the hash is right.
  json["dataset"]["hash"] = dataset_fingerprint(world().data);
  const Outcome claimed = fewedits_verify({write("flags.json", json), "--dataset", path});
  EXPECT_EQ(claimed.code, 1);
  EXPECT_THAT(claimed.out, AllOf(HasSubstr("1 of "), HasSubstr("Give that, too, if it is meant")));
  json["options"]["desired-class"] = std::to_string(world().data.class_labels[1].value);
  EXPECT_EQ(fewedits_verify({write("flags.json", json), "--dataset", path}).code, 0);
  EXPECT_EQ(fewedits_verify({write("flags.json", json)}).code, 0);

  json["options"]["desired-class"] = "good";
  EXPECT_EQ(fewedits_verify({write("flags.json", json)}).code, 1);
}

/// What the user says as well is compared all the same: a flag that makes no difference to what the
/// user meant does not hide one that does.
TEST_F(VerifyTest, RecordedFlagsAreReadAlone) {
  const std::string path = world().data_path.string();
  Json json = world().json;
  const auto code = [&](const char* name, const char* value, std::vector<std::string> more) {
    Json lie = json;
    lie["options"][name] = value;
    more.insert(more.begin(), write("alone.json", lie));
    return fewedits_verify(more).code;
  };
  const std::vector<std::string> desired{"--dataset", path, "--desired-class", "1"};
  EXPECT_EQ(code("desired-class", "1", desired), 0);
  EXPECT_EQ(code("desired-class", "nonmutagen", desired), 0) << "the same class";
  EXPECT_EQ(code("desired-class", "0", desired), 1);
  EXPECT_EQ(code("desired-class", "nonsense", desired), 1);
  EXPECT_EQ(code("desired-class", "0", {"--desired-class", "1"}), 1);
  EXPECT_EQ(
      code("rare-label-threshold", "100000", {"--dataset", path, "--rare-label-threshold", "0"}),
      4);
  EXPECT_EQ(code("hydrogens", "", {"--dataset", path}), 4) << "a TU dataset is not read with that";
}

/// Whoever copies a dataset can lay other names beside it.
TEST_F(VerifyTest, NamesUnlikeTheBuiltInAreSaid) {
  World& w = world();
  const auto folder = w.folder.path() / "copy" / "AIDS";
  DatasetMetadata swapped = *builtin_metadata("AIDS");
  std::filesystem::create_directory(folder.parent_path());
  std::swap(swapped.node_label_names.at(0), swapped.node_label_names.at(1));
  std::swap(swapped.class_names.at(0), swapped.class_names.at(1));
  swapped.rare_label_threshold = 1;
  write_tu(folder, generate({.graphs = 40, .threads = 1}), swapped);
  const Dataset data = open_dataset(folder);
  const auto model_file = w.folder.path() / "copy.pt";
  w.write_model(model_file, w.limit(), data.node_labels.size());
  ExplainOptions search;
  search.k = 2;
  search.steps = 20;
  search.refine_work = 100'000;
  search.bonds = false;  // by these names, they are no molecules
  Explanation e = explain(data, *open_classifier(model_file, data), search, w.pool);
  e.provenance.dataset_path = "copy/AIDS";
  e.provenance.model_path = "copy.pt";
  e.provenance.model_hash = model_hash(model_file);
  const std::string file = w.folder.write("e_copy.json", explanation_json(e)).string();
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{file}, {file, "--dataset", folder.string()}}) {
    const Outcome outcome = fewedits_verify(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
    EXPECT_THAT(outcome.out,
                AllOf(HasSubstr("filter: " + (folder / "fewedits.json").string()),
                      HasSubstr("UNLIKE THE BUILT-IN: the node label 0 is called 'O', not 'C'"),
                      HasSubstr("UNLIKE THE BUILT-IN: the class "),
                      HasSubstr("UNLIKE THE BUILT-IN: the threshold of rare labels is 1, not ")));
  }
}

TEST_F(VerifyTest, AChoiceOfInputsIsAlwaysSaid) {
  World& w = world();
  ExplainOptions search;
  search.k = 2;
  search.steps = 20;
  search.refine_work = 100'000;
  search.selection.graphs = {{0, 1, 2, 3, 4, 5}};
  search.selection.only_correct = true;
  Explanation e = explain(w.data, *w.classifier, search, w.pool);
  e.provenance.dataset_path = "planted";
  e.provenance.model_path = "model.pt";
  e.provenance.model_hash = w.model_hash;
  const std::string inputs = std::to_string(e.inputs.size());
  for (const bool with_classes : {true, false}) {
    if (!with_classes) e.classes.reset();
    const std::string file = w.folder.write("e_few.json", explanation_json(e)).string();
    const Outcome outcome = fewedits_verify({file});
    EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
    EXPECT_THAT(outcome.out,
                AllOf(HasSubstr("21 of 40 graphs are not predicted the desired class nonmutagen; " +
                                inputs + " of them, predicted mutagen, are explained: those "),
                      HasSubstr("correctly classified, of the list that was given")));
    const Json json = Json::parse(fewedits_verify({file, "--json"}).out);
    EXPECT_EQ(json["selection"], (Json{"correctly classified", "of the list that was given"}));
    EXPECT_EQ(json["inputs"], e.inputs.size());
    EXPECT_EQ(json["not_desired"], 21);
  }
}

/// Paths are somebody's text: what the system sees of one with a NUL is another path.
TEST_F(VerifyTest, PathsWithControlCharactersAreRefused) {
  const std::string nul(1, '\0');
  for (const std::string& path : {nul, "planted" + nul, std::string("planted\n"), "/" + nul}) {
    for (const char* const key : {"dataset", "model", "distance_model"}) {
      Json json = world().json;
      json[key]["path"] = path;
      if (key == std::string("distance_model")) json[key]["hash"] = "";
      test::Command command({write("control.json", json)});
      ASSERT_TRUE(command.ends_within(std::chrono::seconds(30))) << key;
      EXPECT_EQ(command.wait().code, 1) << key;
    }
    Json json = world().json;
    json["options"]["metadata"] = path;
    const Outcome outcome = fewedits_verify({write("control.json", json)});
    EXPECT_EQ(outcome.code, 1);
    EXPECT_THAT(outcome.err, HasSubstr("control characters"));
  }
  Json json = world().json;
  json["dataset"]["path"] = "plant\xef\xbf\xbd";
  EXPECT_THAT(fewedits_verify({write("control.json", json)}).err, HasSubstr("no UTF-8"));
}

TEST_F(VerifyTest, WhoMustSayTheDesiredClassIsTold) {
  World& w = world();
  const auto folder = w.folder.path() / "nameless";
  write_tu(folder, generate({.graphs = 40, .threads = 1}), {});
  Json json = w.json;
  json["options"]["desired-class"] = "0";
  const Outcome outcome =
      fewedits_verify({write("nameless.json", json), "--dataset", folder.string()});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("which class is desired is not known"),
                                 HasSubstr("--desired-class '0'")));
}

/// The names come from a file that the explanation brings along.
TEST_F(VerifyTest, SwappedNamesAreSeen) {
  DatasetMetadata metadata = generated_metadata();
  std::swap(metadata.node_label_names.at(0), metadata.node_label_names.at(1));
  std::swap(metadata.class_names.at(0), metadata.class_names.at(1));
  const auto swapped = world().folder.write("swapped.json", to_json(metadata));
  DatasetOptions options;
  options.metadata = swapped;
  const Dataset data = open_dataset(world().data_path, options);
  Explanation e = world().truth;
  e.label_names = label_names(data).nodes;
  e.provenance.dataset_hash = dataset_fingerprint(data);
  std::swap(e.classes->desired, e.classes->predicted.front());
  e.provenance.options.emplace_back("metadata", swapped.string());
  const std::string file = world().folder.write("e_swapped.json", explanation_json(e)).string();

  const Outcome taken = fewedits_verify({file});
  EXPECT_EQ(taken.code, 0) << taken.out << taken.err;
  EXPECT_THAT(taken.out, AllOf(HasSubstr("TAKEN FROM THE EXPLANATION"), HasSubstr("swapped.json"),
                               HasSubstr("the node label 'O' would be called 'C'"),
                               HasSubstr("the class 'nonmutagen' would be called 'mutagen'"),
                               HasSubstr("desired class: 'mutagen' (1)")));
  const Outcome refused = fewedits_verify({file, "--dataset", world().data_path.string()});
  EXPECT_EQ(refused.code, 1);
  EXPECT_THAT(refused.out, AllOf(HasSubstr("the graphs are other ones"),
                                 HasSubstr("node_labels: are not those of the dataset")));
}

TEST_F(VerifyTest, GraphsThatAreFilteredAwayAreSeen) {
  World& w = world();
  DatasetOptions options;
  Dataset filtered = w.data;
  std::int64_t threshold = 0;
  while (filtered.size() == 40) {
    options.rare_label_threshold = ++threshold;
    filtered = open_dataset(w.data_path, options);
  }
  const std::string given = std::to_string(threshold);
  const auto model_file = w.folder.path() / "filtered.pt";
  w.write_model(model_file, w.limit(), filtered.node_labels.size());
  ExplainOptions search;
  search.k = 2;
  search.steps = 20;
  search.refine_work = 100'000;
  Explanation e = explain(filtered, *open_classifier(model_file, filtered), search, w.pool);
  e.provenance.dataset_path = "planted";
  e.provenance.model_path = "filtered.pt";
  e.provenance.model_hash = model_hash(model_file);
  e.provenance.options.emplace_back("rare-label-threshold", given);
  const std::string file = w.folder.write("e_filtered.json", explanation_json(e)).string();

  const Outcome taken = fewedits_verify({file});
  EXPECT_EQ(taken.code, 0) << taken.out << taken.err;
  EXPECT_THAT(taken.out, AllOf(HasSubstr(fmt::format("{} graphs, {} filtered out", filtered.size(),
                                                     40 - filtered.size())),
                               HasSubstr("TAKEN FROM THE EXPLANATION"),
                               HasSubstr("there would be 40 graphs, not ")));
  const std::vector<std::string> named{file, "--dataset", w.data_path.string()};
  const Outcome refused = fewedits_verify(named);
  EXPECT_EQ(refused.code, 1);
  EXPECT_THAT(refused.out + refused.err, HasSubstr("--rare-label-threshold '" + given + "'"));
  std::vector<std::string> all = named;
  all.insert(all.end(), {"--rare-label-threshold", given});
  const Outcome agreed = fewedits_verify(all);
  EXPECT_EQ(agreed.code, 0) << agreed.out << agreed.err;
  EXPECT_THAT(agreed.out, Not(HasSubstr("TAKEN")));
}

// ---- What the explanation says of its making ----------------------------------------------------

TEST_F(VerifyTest, UnknownNamesAreRefused) {
  const auto expect = [&](const std::function<void(Explanation&)>& change, const std::string& why) {
    Explanation e = world().truth;
    change(e);
    EXPECT_THAT(check(e).listed, Contains(HasSubstr(why)));
  };
  expect([](Explanation& e) { e.method = "gfc"; }, "method: 'gfc' is none that is known");
  expect([](Explanation& e) { e.distance = "ged"; }, "distance: 'ged' is none that is known");
  expect([](Explanation& e) { e.distance = "wl"; }, "distance_meaning: is 'proven edits', but");
  expect([](Explanation& e) { e.method = "ground-truth"; }, "from_dataset: is false, but");
  expect([](Explanation& e) { e.provenance.distance_model_hash = "1"; }, "distance_model: belongs");
  expect([](Explanation& e) { e.provenance.distance_model_path = "x"; }, "distance_model: belongs");
  expect([](Explanation& e) { e.ended = RunEnd::kAllCovered; }, "ended: is 'all covered', but");
  expect([](Explanation& e) { e.ended = RunEnd::kTimeLimit; }, "option time-limit is not set");
  const auto with = [](const char* name, const char* value) {
    return [=](Explanation& e) { e.provenance.options.emplace_back(name, value); };
  };
  expect(with("constrain", "valence"), "options: 'constrain' is no option");
  expect(with("constraint", "valance"), "options: ");
  expect(with("alpha", "much"), "options: alpha is 'much', which is no number");
  expect(with("alpha", "nan"), "options: alpha is 'nan', which is no number");
  expect(with("ties", "latest"), "options: ties is 'latest', which is no value of it");
  expect(with("no-refine", "yes"), "options: no-refine is 'yes', which is no flag");
  expect(
      [](Explanation& e) {
        e.provenance.options.insert(e.provenance.options.begin(), {"k", "9"});
      },
      "options: k is given more than once");
  expect([](Explanation& e) { e.provenance.options[0] = {"k", "5.5"}; }, "options: k is missing");
  expect([](Explanation& e) { e.provenance.options.clear(); }, "options: k is missing");
  expect([](Explanation& e) { e.provenance.options.clear(); }, "options: theta is missing");
  const auto changed = [](const std::string& name, const std::string& to, std::uint64_t steps) {
    return [=](Explanation& e) {
      for (auto& [option, value] : e.provenance.options) {
        if (option == name) value = to;
      }
      e.steps = steps;
    };
  };
  expect(changed("steps", "9", 10), "steps: are 10, the option is 9");
  expect(changed("steps", "9", 8), "steps: are 8 of 9, but complete is true");
  for (const std::string name : {"steps", "min-lead"}) {
    expect(
        [&](Explanation& e) {
          std::erase_if(e.provenance.options, [&](const auto& o) { return o.first == name; });
        },
        "options: " + name + " is missing or no number");
  }
  for (const char* name : {"gfc", "ged"}) {
    Explanation e = world().truth;
    (name == std::string("gfc") ? e.method : e.distance) = name;
    const World& w = world();
    const verify::Material material{w.data, w.classifier.get(), dataset_fingerprint(w.data),
                                    w.model_hash};
    EXPECT_TRUE(verify::verify(e, material, world().pool, {.known_names = {name}}).holds());
  }
}

TEST_F(VerifyTest, NamesAreThoseOfTheSearch) {
  std::map<std::string, std::string> types;
  for (const RecordedOption& option : recorded_option_names()) {
    EXPECT_TRUE(types.emplace(option.name, option.type).second) << option.name;
  }
  for (const OptionRow& row : option_table()) {
    EXPECT_EQ(types[row.name], row.type) << row.name;
    types.erase(row.name);
  }
  // What explain records beside the table (apps/fewedits/explain_command).
  EXPECT_THAT(types, UnorderedElementsAre(Pair("constraint", "text"), Pair("metadata", "text"),
                                          Pair("desired-class", "text"), Pair("hydrogens", "flag"),
                                          Pair("label-column", "text"), Pair("no-charges", "flag"),
                                          Pair("rare-label-threshold", "number")));
  const Parts parts = builtin_parts();
  EXPECT_EQ(recorded_methods().size(), parts.sources.names().size());
  for (const RecordedMethod& method : recorded_methods()) {
    const SourceKind& kind = parts.sources.at(std::string(method.name));
    EXPECT_EQ(kind.from_dataset, method.from_dataset);
    EXPECT_EQ(kind.cuts_edges, method.cuts_edges);
    EXPECT_EQ(kind.walks, method.walks);
  }
  EXPECT_EQ(recorded_distances().size(), parts.distances.names().size());
  for (const RecordedDistance& distance : recorded_distances()) {
    const DistanceKind& kind = parts.distances.at(std::string(distance.name));
    EXPECT_EQ(kind.needs_model, distance.has_model);
    EXPECT_EQ(kind.proves, distance.meaning == DistanceMeaning::kProven);
    EXPECT_EQ(kind.counts_edits, distance.meaning != DistanceMeaning::kOther);
  }
}

TEST_F(VerifyTest, WhatAddsNothingIsListedOnlyIfAskedFor) {
  Explanation e = with_one_that_adds_nothing();
  ASSERT_EQ(e.counterfactuals.back().gain, 0U);
  EXPECT_TRUE(check(e).holds()) << testing::PrintToString(check(e).listed);
  std::erase_if(e.provenance.options, [](const auto& option) { return option.first == "fill"; });
  EXPECT_THAT(check(e).listed, Contains(HasSubstr("adds nothing, but the option fill is not set")));
}

TEST_F(VerifyTest, FewerAndEndedEarlyIsSaid) {
  Explanation e = world().truth;
  EXPECT_TRUE(check(e).notes.empty());
  e.provenance.options[0] = {"k", "7"};
  e.complete = false;
  const Report report = check(e);
  EXPECT_TRUE(report.holds());
  EXPECT_THAT(report.notes, ElementsAre("5 counterfactuals instead of the 7 asked for",
                                        "the search was ended early (complete: false)"));
}

TEST_F(VerifyTest, ALeadThatOtherMachinesMayNotSeeIsSaid) {
  Explanation e = world().truth;
  for (auto& [name, value] : e.provenance.options) {
    if (name == "min-lead") value = "0";
  }
  EXPECT_TRUE(check(e).holds());
  EXPECT_THAT(check(e).notes, ElementsAre(HasSubstr("the option min-lead is 0: ")));
}

TEST_F(VerifyTest, CurvesHaveAllTheirRows) {
  const auto expect_refused = [&](const std::function<void(Metrics&)>& change, const char* list) {
    Explanation e = world().truth;
    change(e.metrics);
    EXPECT_THAT(check(e).listed, ElementsAre(HasSubstr(list)));
  };
  const auto& truth = world().truth.metrics.by_theta;
  ASSERT_EQ(truth.size(), 10U);
  expect_refused([](Metrics& m) { m.by_k.clear(); }, "metrics.by_k: has 0 rows, not 5");
  expect_refused([](Metrics& m) { m.by_theta.clear(); }, "metrics.by_theta: ");
  expect_refused([](Metrics& m) { m.by_theta.resize(1); }, "metrics.by_theta: ");
  expect_refused([](Metrics& m) { m.by_theta.push_back(m.by_theta[9]); }, "metrics.by_theta: ");
  expect_refused([](Metrics& m) { std::swap(m.by_theta[0], m.by_theta[1]); }, "metrics.by_theta: ");
  expect_refused([](Metrics& m) { m.by_theta[3] = m.by_theta[2]; }, "metrics.by_theta: ");
}

TEST_F(VerifyTest, HowManyAreNotDesiredIsCounted) {
  Explanation e = world().truth;
  ASSERT_EQ(e.classes->not_desired, e.inputs.size());
  ++*e.classes->not_desired;
  EXPECT_THAT(check(e).listed, ElementsAre(HasSubstr("classes.not_desired: is ")));
  e.classes.reset();
  const Report report = check(e);
  EXPECT_TRUE(report.holds());
  EXPECT_THAT(report.notes, ElementsAre(HasSubstr("classes is missing")));
  EXPECT_EQ(report.classes, world().truth.classes) << "by the verifier's own evaluation";
}

// ---- Bounds
// ---------------------------------------------------------------------------------------

/// Of the command: what it took at most, in bytes.
struct Measured {
  Outcome outcome;
  std::uint64_t peak = 0;
};

Measured measured(const std::vector<std::string>& arguments) {
  Measured out;
  const pid_t child = ::fork();
  if (child == 0) {
    std::vector<std::string> all = arguments;
    all.insert(all.begin(), FEWEDITS_CLI);
    std::vector<char*> argv;
    for (std::string& a : all) argv.push_back(a.data());
    argv.push_back(nullptr);
    const int nowhere = ::open("/dev/null", O_WRONLY);
    ::dup2(nowhere, STDOUT_FILENO);
    ::dup2(nowhere, STDERR_FILENO);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  int status = 0;
  rusage used{};
  ::wait4(child, &status, 0, &used);
  out.outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
  out.peak = static_cast<std::uint64_t>(used.ru_maxrss) << 10;
  return out;
}

/// Whatever is in a file: no more than twenty times its size, and what the program itself takes.
TEST_F(VerifyTest, AFileTakesNoMoreThanTwentyTimesItsSize) {
  const std::uint64_t base = measured({world().file.string()}).peak;
  const auto expect = [&](const std::string& name, const std::string& text) {
    const std::string file = world().folder.write("large.json", text).string();
    const Measured is = measured({file});
    EXPECT_LT(is.outcome.code, 5) << name << " ends without a signal";
    if (!test::kMemoryIsOurs) return;
    EXPECT_LT(is.peak, base + 20 * text.size()) << name << ", " << text.size() << " bytes";
  };
  const auto times = [](std::size_t n, const std::string& text) {
    std::string out;
    for (std::size_t i = 0; i < n; ++i) out += text;
    return out;
  };
  constexpr std::size_t kMany = 1'500'000;
  const std::string whole = world().json.dump();
  const auto with = [&](const std::string& key, const std::string& value) {
    // Before everything else, so that it is the first of two keys that the reader meets.
    std::string out = whole;
    const std::string quoted = "\"" + key + "\":";
    const auto at = out.find(quoted);
    if (at == out.npos) return "{" + quoted + value + "," + whole.substr(1);
    Json json = world().json;
    json[key] = "HERE";
    out = json.dump();
    return out.replace(out.find("\"HERE\""), 6, value);
  };
  expect("empty lists", with("extra", "[" + times(kMany, "[],") + "0]"));
  expect("empty objects", with("extra", "[" + times(kMany, "{},") + "0]"));
  expect("small objects", with("extra", "[" + times(kMany / 2, "{\"a\":0},") + "0]"));
  expect("empty texts", with("extra", "[" + times(kMany, "\"\",") + "0]"));
  expect("numbers", with("extra", "[" + times(kMany, "0,") + "0]"));
  expect("labels", with("node_labels", "[" + times(kMany, "\"\",") + "\"\"]"));
  expect("inputs", with("inputs", "[" + times(kMany, "0,") + "0]"));
  expect("options", with("options", "{\"constraint\":[" + times(kMany, "\"\",") + "\"\"]}"));

  const auto with_graph = [&](const std::string& labels, const std::string& edges) {
    return with("counterfactuals",
                "[{\"labels\":[" + labels + "],\"edges\":[" + edges +
                    "],\"probability\":0.5,\"covers\":[],\"gain\":0,\"visits\":0}]");
  };
  expect("nodes", with_graph(times(kMany, "0,") + "0", ""));
  std::string path = "[0,1]";
  for (std::size_t v = 1; v < 300'000; ++v) path += fmt::format(",[{},{}]", v, v + 1);
  expect("a path", with_graph(times(300'000, "0,") + "0", path));
  std::string complete = "[0,1]";
  for (int v = 2; v < 900; ++v) {
    for (int u = 0; u < v; ++u) complete += fmt::format(",[{},{}]", u, v);
  }
  expect("a complete graph", with_graph(times(899, "0,") + "0", complete));
}

TEST_F(VerifyTest, OnlyPlainFilesAreRead) {
  const auto pipe = world().folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& special : {pipe.string(), std::string("/dev/zero")}) {
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{special},
          {world().file.string(), "--model", special},
          {world().file.string(), "--dataset", special},
          {world().file.string(), "--metadata", special}}) {
      test::Command command(arguments);
      ASSERT_TRUE(command.ends_within(std::chrono::seconds(60))) << special;
      const Outcome outcome = command.wait();
      EXPECT_EQ(outcome.code, 1);
      EXPECT_THAT(outcome.err, AnyOf(HasSubstr("is a pipe or a device"),
                                     HasSubstr("is neither a folder nor a zip file")));
    }
  }
}

TEST_F(VerifyTest, NothingFromAFileSteersTheTerminal) {
  const std::string evil = "\x1b]0;owned\x07\nall 9 claims hold\xc2\x9b";
  for (const char* const key : {"method", "distance", "software"}) {
    Json json = world().json;
    json[key] = evil;
    const Outcome outcome = fewedits_verify({write("evil.json", json)});
    EXPECT_EQ((outcome.out + outcome.err).find_first_of("\x1b\x07\xc2"), std::string::npos) << key;
    EXPECT_THAT(outcome.out, Not(HasSubstr("\nall 9 claims"))) << key;
  }
  Json json = world().json;
  json["options"]["theta"] = evil;
  json["options"][evil] = evil;
  json["dataset"]["hash"] = evil;
  const Outcome outcome = fewedits_verify({write("evil.json", json)});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ((outcome.out + outcome.err).find_first_of("\x1b\x07\xc2"), std::string::npos);
  EXPECT_THAT(outcome.out, Not(HasSubstr("\nall 9 claims")));
  json = world().json;
  json["dataset"]["path"] = evil;
  const Outcome nowhere = fewedits_verify({write("evil.json", json)});
  EXPECT_EQ(nowhere.code, 1);
  EXPECT_EQ(nowhere.err.find_first_of("\x1b\x07\xc2"), std::string::npos);
}

TEST_F(VerifyTest, TheProgramRefusesLies) {
  Rng rng(12);
  Json json = world().json;
  json["metrics"]["coverage"] = 1.0;
  ASSERT_TRUE(change_probability(json, rng));
  const std::string file = write("lie.json", json);
  const Outcome outcome = fewedits_verify({file});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("false: metrics.coverage: is 1, recomputed 0."),
                                 HasSubstr("].probability: is "), HasSubstr("2 of "),
                                 HasSubstr("claims are false")));
  const Outcome as_json = fewedits_verify({file, "--json"});
  EXPECT_EQ(as_json.code, 1);
  EXPECT_EQ(Json::parse(as_json.out)["holds"], false);
  EXPECT_EQ(Json::parse(as_json.out)["false"].size(), 2U);
}

TEST_F(VerifyTest, SaysWhatOfTheModelIsIgnored) {
  const auto file = world().folder.path() / "with_aux.pt";
  StateDict weights = read_checkpoint(world().model_file);
  ModelFile model{infer_model(weights, "test"), "with_aux.pt"};
  weights["aux.weight"] = Tensor::from_floats({1}, {1});
  write_checkpoint(file, weights);
  const auto description = world().folder.write("with_aux.json", to_json(model));
  const std::vector<std::string> arguments{world().file.string(), "--model", file.string()};
  EXPECT_THAT(fewedits_verify(arguments).err, HasSubstr("'aux.weight' [1]"));
  model.spec.ignore = {"aux"};
  world().folder.write("with_aux.json", to_json(model));
  EXPECT_THAT(
      fewedits_verify(arguments).out,
      HasSubstr("model: the model file ignores 1 of the checkpoint's tensors: 'aux.weight'"));
  std::filesystem::remove(description);
}

TEST_F(VerifyTest, TheProgramRefusesOtherModelsAndData) {
  const auto other_model = world().folder.path() / "other.pt";
  world().write_model(other_model, world().limit() + 0.05F);
  const Outcome model = fewedits_verify({world().file.string(), "--model", other_model.string()});
  EXPECT_EQ(model.code, 1);
  EXPECT_THAT(model.out, HasSubstr("false: model: it is another one"));

  const auto other_data = world().folder.path() / "other";
  write_tu(other_data, generate({.graphs = 40, .seed = 2, .threads = 1}), generated_metadata());
  const Outcome data = fewedits_verify({world().file.string(), "--dataset", other_data.string()});
  EXPECT_EQ(data.code, 1);
  EXPECT_FALSE((data.out + data.err).empty());
}

TEST_F(VerifyTest, EstimatesGetAnExitCodeOfTheirOwn) {
  Json json = world().json;
  json["distance"] = "greed";
  json["distance_model"] = {{"path", "greed.pt"}, {"hash", "12"}};
  json["distance_meaning"] = "estimated edits";
  const Outcome outcome = fewedits_verify({write("greed.json", json)});
  EXPECT_EQ(outcome.code, 3) << outcome.err;
  const Json report = Json::parse(fewedits_verify({write("greed.json", json), "--json"}).out);
  EXPECT_THAT(report["not_proven"], Contains("coverage"));
  EXPECT_FALSE(report.contains("coverage_at_most"));
  EXPECT_THAT(outcome.out, HasSubstr("not certified: the coverage of "));
}

TEST_F(VerifyTest, FilesThatCannotBeReadAreToldApartFromWrongUsage) {
  EXPECT_EQ(fewedits_verify({}).code, 2);
  EXPECT_EQ(fewedits_verify({"--magic", world().file.string()}).code, 2);
  const Outcome help = fewedits_verify({"--help"});
  EXPECT_EQ(help.code, 0);
  EXPECT_THAT(help.out, AllOf(HasSubstr("Example"), HasSubstr("fewedits-verify why.json"),
                              HasSubstr("consistency only"), Not(HasSubstr("every claim"))));
  const Outcome absent = fewedits_verify({(world().folder.path() / "no.json").string()});
  EXPECT_EQ(absent.code, 1);
  EXPECT_THAT(absent.err, HasSubstr("no.json"));
  const Outcome broken =
      fewedits_verify({world().folder.write("broken.json", "{\"format\"").string()});
  EXPECT_EQ(broken.code, 1);
  EXPECT_THAT(broken.err, HasSubstr("broken.json"));
  Json json = world().json;
  json["model"]["path"] = "";
  const Outcome nowhere = fewedits_verify({write("nowhere.json", json)});
  EXPECT_EQ(nowhere.code, 1);
  EXPECT_THAT(nowhere.err,
              AllOf(HasSubstr("does not say where the model is"), HasSubstr("--model")));
}

}  // namespace
}  // namespace fewedits
