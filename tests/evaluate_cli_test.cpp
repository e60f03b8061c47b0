// SPDX-License-Identifier: MIT
// `fewedits evaluate` and `fewedits recourse` as a user meets them: figures known by hand and from
// the paper, edits that replay, new data, bad input.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "fewedits/base/sha256.hpp"
#include "fewedits/explanation/explanation_json.hpp"
#include "fewedits/fewedits.hpp"
#include "fewedits/formats/checkpoint_writer.hpp"
#include "support/command.hpp"
#include "support/script_json.hpp"

namespace fewedits {
namespace {

using nlohmann::json;
using test::Command;
using test::fewedits;
using test::Outcome;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

/// A graph in the order of the TU files: node labels as values, edges counted from 0.
struct Drawing {
  std::vector<int> labels;
  std::vector<std::pair<int, int>> edges;
};
constexpr int kC = 0;
constexpr int kN = 1;
constexpr int kO = 2;

Drawing path(std::vector<int> labels) {
  Drawing out{std::move(labels), {}};
  for (int v = 1; v < static_cast<int>(out.labels.size()); ++v) out.edges.emplace_back(v - 1, v);
  return out;
}

Drawing triangle(std::vector<int> labels) { return {std::move(labels), {{0, 1}, {1, 2}, {0, 2}}}; }

Graph graph_of(const Drawing& drawing) {
  const std::vector<Label> labels(drawing.labels.begin(), drawing.labels.end());
  std::vector<Edge> edges;
  for (const auto& [u, v] : drawing.edges) {
    edges.push_back({static_cast<Node>(u), static_cast<Node>(v), 0});
  }
  return {labels, edges};
}

/// Four graphs without oxygen, one with; and a model that accepts what has oxygen.
class EvaluateCliTest : public testing::Test {
 protected:
  void SetUp() override {
    data_ = write_dataset("DATA",
                          {path({kC, kC, kC, kC}), path({kC, kC, kC, kN}), triangle({kN, kN, kN}),
                           path({kC, kC, kC, kO}), path({kC, kC, kC, kC, kC, kC, kC, kC})});
    model_ = write_model("model.pt", {kC, kN, kO});
    list_ = write_list("list.json", R"("node_labels": ["C", "N", "O"], )", counterfactuals_);
  }

  /// Labels 0, 1, 2 are C, N, O; others have no name.
  std::string write_dataset(const std::string& name, const std::vector<Drawing>& graphs) const {
    std::string edges;
    std::string indicator;
    std::string labels;
    std::string classes;
    int first = 1;
    for (std::size_t g = 0; g < graphs.size(); ++g) {
      for (const int label : graphs[g].labels) {
        indicator += std::to_string(g + 1) + "\n";
        labels += std::to_string(label) + "\n";
      }
      for (const auto& [u, v] : graphs[g].edges) {
        edges += std::to_string(first + u) + ", " + std::to_string(first + v) + "\n";
      }
      classes += std::to_string(g % 2) + "\n";
      first += static_cast<int>(graphs[g].labels.size());
    }
    const std::string stem = name + "/" + name;
    folder_.write(stem + "_A.txt", edges);
    folder_.write(stem + "_graph_indicator.txt", indicator);
    folder_.write(stem + "_graph_labels.txt", classes);
    folder_.write(stem + "_node_labels.txt", labels);
    folder_.write(name + "/fewedits.json",
                  R"({"format": "fewedits.dataset/2", "name": ")" + name + R"(",
      "node_labels": {"0": "C", "1": "N", "2": "O"}, "classes": {"0": "bad", "1": "good"},
      "desired_class": 1, "model_columns": [0, 1]})");
    return (folder_.path() / name).string();
  }

  /// Without a model file, so without names: its labels come in the given order. Oxygen
  /// itself gets 1/(1 + degree); the bar is a tenth.
  std::string write_model(const std::string& name, const std::vector<int>& order) const {
    std::vector<float> first(order.size() * 2, 0.0F);
    for (std::size_t l = 0; l < order.size(); ++l) first[2 * l] = order[l] == kO ? 1.0F : 0.0F;
    StateDict weights;
    weights["convs.0.weight"] =
        Tensor::from_floats({static_cast<std::int64_t>(order.size()), 2}, first);
    weights["fc.weight"] = Tensor::from_floats({2, 2}, {0, 0, 10, 0});
    weights["fc.bias"] = Tensor::from_floats({2}, {1, 0});
    const auto file = folder_.path() / name;
    write_checkpoint(file, weights);
    return file.string();
  }

  std::string write_list(const std::string& name, const std::string& head,
                         const std::vector<Drawing>& graphs) const {
    json list = json::array();
    for (const Drawing& g : graphs) list.push_back({{"labels", g.labels}, {"edges", g.edges}});
    return folder_.write(name, "{" + head + "\"graphs\": " + list.dump() + "}").string();
  }

  Outcome run(const std::string& command, const std::string& file,
              std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {command, file, "--dataset", data_, "--model", model_});
    return fewedits(std::move(more));
  }
  Outcome evaluate(std::vector<std::string> more = {}) const {
    return run("evaluate", list_, std::move(more));
  }
  Outcome recourse(std::vector<std::string> more = {}) const {
    return run("recourse", list_, std::move(more));
  }
  [[nodiscard]] std::string in_folder(const std::string& name) const {
    return (folder_.path() / name).string();
  }

  test::TemporaryFolder folder_;
  /// The second one is none.
  const std::vector<Drawing> counterfactuals_{path({kO, kC, kC, kC}), path({kC, kC, kC, kC}),
                                              triangle({kN, kN, kO})};
  std::string data_;
  std::string model_;
  std::string list_;
};

TEST_F(EvaluateCliTest, HelpHasExamples) {
  for (const std::string command : {"evaluate", "recourse"}) {
    const Outcome help = fewedits({command, "--help"});
    EXPECT_EQ(help.code, 0);
    EXPECT_THAT(help.out, ContainsRegex("Examples:\n  fewedits " + command));
    EXPECT_THAT(fewedits({"--help"}).out, HasSubstr(command));
  }
}

TEST_F(EvaluateCliTest, ProvenFiguresByHand) {
  const Outcome outcome = evaluate({"--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("warning: the model does not accept 1 of the 3 graphs"));
  EXPECT_THAT(outcome.err, HasSubstr("(number 2)"));
  const json report = json::parse(outcome.out);
  EXPECT_EQ(report["dataset"], "DATA");
  EXPECT_EQ(report["model"], model_);
  EXPECT_EQ(report["distance"], "certified");
  EXPECT_EQ(report["theta"], 0.1);
  EXPECT_EQ(report["inputs"], 4);
  EXPECT_EQ(report["complete"], true);
  // One relabelling of 7 + 7, twice; one of 6 + 6; eight deletions and a relabelling of 15 + 7.
  const json& metrics = report["metrics"];
  EXPECT_EQ(metrics["coverage"], 0.75);
  EXPECT_EQ(metrics["coverage_upper"], 0.75);
  EXPECT_EQ(metrics["cost_median"], 1.0 / 14);
  EXPECT_DOUBLE_EQ(metrics["cost_mean"], (2.0 / 14 + 1.0 / 12 + 9.0 / 22) / 4);
  ASSERT_EQ(metrics["by_k"].size(), 2U);
  EXPECT_EQ(metrics["by_k"][0]["k"], 1);
  EXPECT_EQ(metrics["by_k"][0]["coverage"], 0.5);
  EXPECT_EQ(metrics["by_k"][0]["coverage_upper"], 0.5);
  EXPECT_EQ(metrics["by_k"][1]["cost_median"], 1.0 / 14);
  ASSERT_EQ(metrics["by_theta"].size(), 10U);
  EXPECT_EQ(metrics["by_theta"][0]["theta"], 0.02);
  EXPECT_EQ(metrics["by_theta"][0]["coverage"], 0);
  EXPECT_EQ(metrics["by_theta"][3]["theta"], 0.08);
  EXPECT_EQ(metrics["by_theta"][3]["coverage"], 0.5);
  EXPECT_EQ(metrics["by_theta"][9]["coverage"], 0.75);
  const json& graphs = report["graphs"];
  ASSERT_EQ(graphs.size(), 3U);
  EXPECT_EQ(graphs[0]["accepted"], true);
  EXPECT_EQ(graphs[0]["covers"], 2);
  EXPECT_EQ(graphs[1]["accepted"], false);
  EXPECT_NEAR(graphs[1]["probability"], 1 / (1 + std::exp(1.0)), 1e-6);
  EXPECT_FALSE(graphs[1].contains("covers"));
  EXPECT_EQ(graphs[2]["covers"], 1);
  EXPECT_EQ(graphs[2]["gain"], 1);
}

TEST_F(EvaluateCliTest, TextTablesAndCurves) {
  const std::string curves = in_folder("curves.csv");
  const Outcome outcome = evaluate({"--curves", curves});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out,
              HasSubstr("DATA: 4 of 5 graphs are predicted bad, not the desired class good.\n"
                        "2 counterfactuals, theta 0.1, certified distance: coverage "
                        "75.00 % proven; these graphs cover no others, median cost 0.0714"));
  EXPECT_THAT(outcome.out, ContainsRegex("\n2 +75.00 % +75.00 % +0.0714 +0.1588 +3 +1 +1 +"));
  EXPECT_THAT(outcome.out, ContainsRegex("\n0.08 +50.00 % "));
  const std::string csv = read_file(curves);
  EXPECT_THAT(csv, testing::StartsWith("kind,x,coverage,cost_median,cost_mean\nk,1,0.5,0.0714"));
  EXPECT_THAT(csv, HasSubstr("\ntheta,0.08,0.5,,\n"));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 13);
  ASSERT_EQ(evaluate({"-o", in_folder("report.txt")}).out, "");
  EXPECT_EQ(read_file(in_folder("report.txt")), outcome.out);
}

TEST_F(EvaluateCliTest, EveryDistanceAndAnyNumberOfThreads) {
  for (const std::string distance : {"certified", "wl", "rw", "nspd"}) {
    const Outcome one = evaluate({"--distance", distance, "--json", "--threads", "1"});
    ASSERT_EQ(one.code, 0) << one.err;
    EXPECT_EQ(one.out, evaluate({"--distance", distance, "--json", "--threads", "3"}).out);
    const json report = json::parse(one.out);
    EXPECT_EQ(report["distance"], distance);
    EXPECT_EQ(report["metrics"].contains("coverage_upper"), distance == "certified");
    EXPECT_EQ(recourse({"--distance", distance}).code, 0);
  }
}

TEST_F(EvaluateCliTest, NoCounterfactualAtAllIsNoError) {
  const std::string none = write_list("none.json", "", {path({kC, kC})});
  const Outcome outcome = run("evaluate", none, {"--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const json report = json::parse(outcome.out);
  EXPECT_EQ(report["metrics"]["coverage"], 0);
  EXPECT_TRUE(report["metrics"]["cost_median"].is_null());
  EXPECT_TRUE(report["metrics"]["by_k"].empty());
  EXPECT_THAT(run("evaluate", none).out, HasSubstr("median cost not known"));
  EXPECT_THAT(run("recourse", none).out, ContainsRegex("\n0 +0.2689 +none +no"));
  EXPECT_THAT(run("recourse", none, {"--script"}).out, HasSubstr("no counterfactual"));
  EXPECT_TRUE(json::parse(run("recourse", none, {"--json"}).out)["recourse"][0]["counterfactual"]
                  .is_null());
}

/// Where C, N, O are in that order.
constexpr std::array<Label, 3> kToModel{1, 2, 0};

/// An explanation of the data whose labels come in the order O, C, N, which its model shares.
class EvaluateExplanationTest : public EvaluateCliTest {
 protected:
  void SetUp() override {
    EvaluateCliTest::SetUp();
    model_ = write_model("other.pt", {kO, kC, kN});
    explanation_.method = "gcf";
    explanation_.distance = "certified";
    explanation_.meaning = DistanceMeaning::kProven;
    explanation_.theta = 0.1;
    explanation_.label_names = {"O", "C", "N"};
    explanation_.classes = {"good", 1, {"bad"}};
    explanation_.inputs = {0, 1, 2, 4};
    for (const std::uint32_t input : explanation_.inputs) {
      explanation_.recourse.push_back({.input = input});
    }
    for (const Drawing& g : {path({kC, kC, kC, kO}), triangle({kN, kN, kO})}) {
      explanation_.counterfactuals.emplace_back().graph = graph_of(g).relabelled(kToModel);
    }
    explanation_.provenance.model_hash = sha256_hex(read_file(model_));
    explanation_.provenance.dataset_hash = "another";
  }

  /// The data as the commands see them: labels in the order of the explanation.
  [[nodiscard]] Dataset in_order_of_the_model() const {
    Dataset data = open_dataset(data_);
    for (Graph& g : data.graphs) g = g.relabelled(kToModel);
    data.node_labels = {{0, "O"}, {0, "C"}, {0, "N"}};
    return data;
  }

  [[nodiscard]] std::string written() const {
    return folder_.write("explanation.json", explanation_json(explanation_)).string();
  }

  Explanation explanation_;
};

TEST_F(EvaluateExplanationTest, LabelsAreMatchedByNameAndOtherOriginsNoted) {
  const Outcome outcome = run("evaluate", written(), {"--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(json::parse(outcome.out)["metrics"]["coverage"], 0.75);
  EXPECT_THAT(outcome.err, HasSubstr("note: "));
  EXPECT_THAT(outcome.err, HasSubstr("was made for other data than"));
  EXPECT_THAT(outcome.err, Not(HasSubstr("another model")));
  explanation_.provenance.model_hash = "another";
  EXPECT_THAT(run("evaluate", written()).err, HasSubstr("was made with another model than"));
  // For recourse, new data is what one expects.
  EXPECT_THAT(run("recourse", written()).err, Not(HasSubstr("other data")));
}

TEST_F(EvaluateExplanationTest, DatasetAndModelAreThoseThatTheFileNames) {
  explanation_.provenance.dataset_path = "DATA";  // beside the file
  explanation_.provenance.model_path = "other.pt";
  for (const std::string command : {"evaluate", "recourse"}) {
    const Outcome outcome = fewedits({command, written()});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.out, run(command, written()).out);
    EXPECT_THAT(outcome.err, HasSubstr("was made for other data than"));
  }
  // As the flags say that go with that dataset: oxygen, which occurs once, is rare.
  explanation_.provenance.options = {{"rare-label-threshold", "1"}};
  EXPECT_THAT(fewedits({"evaluate", written()}).out, HasSubstr("4 of 4 graphs are predicted bad"));
  EXPECT_THAT(run("evaluate", written()).out, HasSubstr("4 of 5 graphs are predicted bad"));
  explanation_.provenance.model_path = "gone.pt";
  const Outcome gone = fewedits({"evaluate", written()});
  EXPECT_EQ(gone.code, 1);
  EXPECT_THAT(gone.err, HasSubstr("explanation.json: names the model 'gone.pt', which is not "));
}

TEST_F(EvaluateExplanationTest, ThetaIsThatOfTheFileUnlessGiven) {
  explanation_.theta = 0.45;
  const Outcome as_recorded = run("evaluate", written(), {"--json"});
  ASSERT_EQ(as_recorded.code, 0) << as_recorded.err;
  EXPECT_EQ(json::parse(as_recorded.out)["theta"], 0.45);
  EXPECT_EQ(json::parse(as_recorded.out)["metrics"]["coverage"], 1);
  const json given = json::parse(run("evaluate", written(), {"--json", "--theta", "0.1"}).out);
  EXPECT_EQ(given["metrics"]["coverage"], 0.75);
  EXPECT_THAT(run("recourse", written()).out, HasSubstr("4 of 4 graphs have"));
}

/// Nothing is searched for within one unit of work, but the file has the way.
TEST_F(EvaluateExplanationTest, WhatTheFileProvesNeedNotBeFoundAgain) {
  // Eight carbons become an oxygen and seven, taken from the far end, as a heuristic would not.
  explanation_.counterfactuals.resize(1);
  explanation_.counterfactuals[0].graph =
      graph_of(path({kO, kC, kC, kC, kC, kC, kC, kC})).relabelled(kToModel);
  const NodeMap map{7, 6, 5, 4, 3, 2, 1, 0};
  explanation_.counterfactuals[0].proofs = {{4, 1, map}};
  explanation_.provenance.dataset_hash = dataset_fingerprint(in_order_of_the_model());
  const auto edits = [&] {
    const Outcome outcome =
        run("recourse", written(), {"--graph", "4", "--script", "--json", "--budget-work", "1"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return json::parse(outcome.out)["recourse"][0];
  };
  const json known = edits();
  EXPECT_EQ(known["edits"], 1);
  EXPECT_EQ(known["map"][0], 7) << "as in the file";
  // What is of other data is passed over.
  explanation_.provenance.dataset_hash = "another";
  EXPECT_NE(edits()["map"][0], 7);
}

TEST_F(EvaluateCliTest, AGraphThatIsAcceptedNeedsNoChange) {
  const Outcome words = recourse({"--graph", "3", "--script", "--local"});
  ASSERT_EQ(words.code, 0) << words.err;
  EXPECT_THAT(words.out, HasSubstr("graph 3 (probability 0.9820, accepted already): 0 edits"));
  EXPECT_THAT(words.out, HasSubstr("  alone: nothing to change\n"));
  EXPECT_EQ(
      json::parse(
          recourse({"--graph", "3", "--local", "--json"}).out)["recourse"][0]["local"]["edits"],
      0);
}

TEST_F(EvaluateCliTest, AListOfGraphsNamesNoDataset) {
  for (const std::string command : {"evaluate", "recourse"}) {
    const Outcome data = fewedits({command, list_, "--model", model_});
    EXPECT_EQ(data.code, 1);
    EXPECT_THAT(data.err, HasSubstr("list.json: does not say where the dataset is"));
    EXPECT_THAT(data.err, HasSubstr("--dataset PATH"));
    const Outcome model = fewedits({command, list_, "--dataset", data_});
    EXPECT_EQ(model.code, 1);
    EXPECT_THAT(model.err, HasSubstr("does not say where the model is"));
  }
}

TEST_F(EvaluateExplanationTest, AGraphAloneKeepsToTheRulesOfTheExplanation) {
  const auto local = [&](std::vector<std::string> more = {}) {
    more.insert(more.end(), {"--graph", "0", "--local", "--json"});
    const Outcome outcome = run("recourse", written(), more);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    const json row = json::parse(outcome.out)["recourse"][0];
    EXPECT_EQ(row["local_searched"], true);
    return row["local"];
  };
  EXPECT_EQ(local()["edits"], 1);
  explanation_.provenance.options = {{"constraint", "labels=C,N"}};
  EXPECT_TRUE(local().is_null()) << "the model wants oxygen";
  EXPECT_EQ(local({"--constraint", "max-nodes=9"})["edits"], 1);
  explanation_.provenance.options = {{"min-probability", "0.99"}};
  EXPECT_GE(local()["probability"].get<double>(), 0.99);
  EXPECT_LT(local({"--min-probability", "0.5"})["probability"].get<double>(), 0.99);

  const Outcome outside = run("recourse", written(), {"--local", "--min-probability", "1"});
  EXPECT_EQ(outside.code, 2);
  EXPECT_THAT(outside.err, HasSubstr("at least 0 and below 1"));
  const Outcome unknown = run("recourse", written(), {"--local", "--constraint", "round"});
  EXPECT_EQ(unknown.code, 1);
  EXPECT_THAT(unknown.err, HasSubstr("round"));
  EXPECT_EQ(run("recourse", written(), {"--constraint", "valence"}).code, 2);
}

TEST_F(EvaluateExplanationTest, NewDataMayLackLabelsButNotHaveOthers) {
  data_ = write_dataset("NEW", {path({kC, kC, kC, kC}), path({kC, kO})});
  const Outcome outcome = run("recourse", written(), {"--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const json rows = json::parse(outcome.out)["recourse"];
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0]["graph"], 0);
  EXPECT_EQ(rows[0]["counterfactual"], 0);
  EXPECT_EQ(rows[0]["distance"], 1.0 / 14);

  data_ = write_dataset("FINE", {path({kC, kO}), path({kO, kO})});
  EXPECT_EQ(run("recourse", written()).out,
            "FINE: all 2 graphs are predicted the desired class.\n");
  const Outcome nothing = run("evaluate", written());
  EXPECT_EQ(nothing.code, 1);
  EXPECT_THAT(nothing.err, HasSubstr("no graph is predicted anything but the desired class good"));

  data_ = write_dataset("STRANGE", {path({kC, 7})});
  for (const std::string command : {"recourse", "evaluate"}) {
    const Outcome strange = run(command, written());
    EXPECT_EQ(strange.code, 1);
    EXPECT_THAT(strange.err, HasSubstr("explanation.json does not know the node label '7'"));
    EXPECT_THAT(strange.err, HasSubstr("O, C, N"));
  }
}

#ifdef FEWEDITS_WITH_RDKIT
TEST_F(EvaluateExplanationTest, NewDataMayHaveNoClasses) {
  data_ = folder_.write("new.smi", "CCCC\nCCCO\n").string();
  const Outcome outcome = run("recourse", written(), {"--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const json rows = json::parse(outcome.out)["recourse"];
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0]["distance"], 1.0 / 14);
}
#endif

TEST_F(EvaluateCliTest, RecourseInJsonReplays) {
  const Outcome outcome = recourse({"--json", "--script"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const json report = json::parse(outcome.out);
  EXPECT_EQ(report["node_labels"], (json{"C", "N", "O"}));
  const json& rows = report["recourse"];
  ASSERT_EQ(rows.size(), 4U);
  const Dataset data = open_dataset(data_);
  const std::vector<int> graph{0, 1, 2, 4};
  // Places in the file, where the one in the middle is no counterfactual.
  const std::vector<int> counterfactual{0, 0, 2, 0};
  const std::vector<int> edits{1, 1, 1, 9};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i]["graph"], graph[i]);
    EXPECT_EQ(rows[i]["tu_graph"], graph[i]);
    EXPECT_EQ(rows[i]["accepted"], false);
    EXPECT_EQ(rows[i]["counterfactual"], counterfactual[i]);
    EXPECT_EQ(rows[i]["covered"], i < 3);
    EXPECT_EQ(rows[i]["status"], i < 3 ? "yes" : "no");
    EXPECT_EQ(rows[i]["edits"], edits[i]);
    const Verdict verdict =
        check_certificate(data.graphs[rows[i]["graph"].get<std::size_t>()],
                          graph_of(counterfactuals_[rows[i]["counterfactual"].get<std::size_t>()]),
                          test::read_script(rows[i]));
    EXPECT_TRUE(verdict.holds) << verdict.reason;
    EXPECT_EQ(verdict.cost, edits[i]);
    EXPECT_LE(rows[i]["distance_lower"], rows[i]["distance"]);
  }
}

TEST_F(EvaluateCliTest, RecourseForEachGraphAlone) {
  const Outcome words = recourse({"--graph", "1", "--script", "--local"});
  ASSERT_EQ(words.code, 0) << words.err;
  EXPECT_THAT(words.out, ContainsRegex("  alone: 1 edit to a graph with probability"));
  const Outcome table = recourse({"--local"});
  EXPECT_THAT(table.out, HasSubstr("alone: distance"));
  const json rows = json::parse(recourse({"--local", "--json", "--script"}).out)["recourse"];
  ASSERT_EQ(rows.size(), 4U);
  for (const json& row : rows) {
    const json& local = row["local"];
    EXPECT_GE(local["probability"].get<double>(), 0.5);
    EXPECT_EQ(local["script"].size(), local["edits"].get<std::size_t>());
    EXPECT_LE(local["distance"].get<double>(), row["distance"].get<double>());
  }
}

/// Any of three nitrogens may become the oxygen that the model wants, unless it is frozen.
TEST_F(EvaluateCliTest, FrozenNodesStayAsTheyAre) {
  for (const std::string free : {"0", "1", "2"}) {
    std::string others;
    for (const std::string node : {"0", "1", "2"}) {
      if (node != free) others += (others.empty() ? "" : ",") + node;
    }
    const Outcome outcome = recourse(
        {"--graph", "2", "--script", "--local", "--constraint", "max-nodes=3", "--freeze", others});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("    relabel node " + free + " from N to O\n"));
  }
  const Outcome all = recourse(
      {"--graph", "2", "--script", "--local", "--constraint", "max-nodes=3", "--freeze", "0,1,2"});
  ASSERT_EQ(all.code, 0) << all.err;
  EXPECT_THAT(all.out, HasSubstr("a short search finds no accepted graph"));
}

TEST_F(EvaluateCliTest, CurvesAndFiguresDoNotMix) {
  const std::string file = in_folder("both");
  EXPECT_EQ(evaluate({"-o", file, "--curves", file}).code, 2);
  EXPECT_EQ(evaluate({"-o", file, "--curves", in_folder("./both")}).code, 2);
  EXPECT_FALSE(std::filesystem::exists(file));
  const Outcome outcome = evaluate({"--json", "--curves", "-"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr("--curves: goes to standard output, as --output does"));
  EXPECT_THAT(evaluate({"--json", "-o", file, "--curves", "-"}).out,
              testing::StartsWith("kind,x,coverage"));
}

TEST_F(EvaluateCliTest, RecourseInWordsForChosenGraphs) {
  const Outcome outcome = recourse({"--graph", "3", "1", "--script"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(
      outcome.out,
      "DATA: 2 of 2 graphs have one of 2 counterfactuals within 0.1 (certified distance).\n\n"
      "graph 3 (probability 0.9820, accepted already): 0 edits to counterfactual 1, distance "
      "0.0000; within "
      "0.1: yes\n"
      "graph 1 (probability 0.2689): 1 edit to counterfactual 1, distance 0.0714; within 0.1: "
      "yes\n"
      "  relabel node 3 from N to O\n");
  const Outcome all = recourse();
  EXPECT_THAT(all.out, HasSubstr("3 of 4 graphs"));
  EXPECT_THAT(all.out, ContainsRegex("\n2 +0.2689 +3 +0.0833 +yes +1\n"));
  EXPECT_THAT(all.out, ContainsRegex("\n4 +0.2689 +1 +0.4091 +no +9\n"));
}

TEST_F(EvaluateCliTest, BadInputIsNamed) {
  const auto fails = [&](const std::string& command, const std::string& file,
                         const std::vector<std::string>& more, const std::string& message) {
    const Outcome outcome = run(command, file, more);
    EXPECT_EQ(outcome.code, 1) << message;
    EXPECT_THAT(outcome.err, HasSubstr(message));
    EXPECT_EQ(outcome.out, "");
  };
  for (const std::string command : {"evaluate", "recourse"}) {
    for (const std::string theta : {"0", "1", "-0.1", "7", "nan"}) {
      const Outcome outside = run(command, list_, {"--theta=" + theta});
      EXPECT_EQ(outside.code, 2) << theta;
      EXPECT_THAT(outside.err, HasSubstr("between 0 and 1"));
    }
    fails(command, in_folder("nowhere.json"), {}, "nowhere.json");
    fails(command, folder_.write("bad.json", "{\"graphs\": [").string(), {}, "bad.json");
    fails(command, folder_.write("bad.json", "{\"k\": 3}").string(), {}, "list of graphs");
    fails(command, folder_.write("bad.json", "[]").string(), {}, "has no graphs");
    fails(command, write_list("bad.json", "", {path({kC, 3})}), {},
          "bad.json: graph 1 has the node label 3, the dataset has 3 labels");
    fails(command, write_list("bad.json", R"("node_labels": ["C", "Xe"], )", {path({kC})}), {},
          "the dataset does not know the node label 'Xe'");
    fails(command, list_, {"--distance", "greed"}, "--greed-model");
    fails(command, list_, {"-o", list_}, "overwrite");
    fails(command, list_, {"-o", in_folder("no/such/file")}, "there is no such folder");
    fails(command, list_, {"--distance", "greed", "--greed-model", model_}, "model.pt");
    EXPECT_EQ(run(command, list_, {"--distance", "ruler"}).code, 2);
    EXPECT_EQ(run(command, list_, {"--budget-work", "-1"}).code, 2);
    EXPECT_EQ(fewedits({command}).code, 2);
  }
  fails("evaluate", list_, {"--curves", list_}, "overwrite");
  fails("evaluate", list_, {"--curves", in_folder("no/such/file")}, "there is no such folder");
  fails("recourse", list_, {"--distance", "wl", "--script"}, "makes no edits");
  fails("recourse", list_, {"--graph", "5"}, "there is no graph 5");
  fails("recourse", list_, {"--local", "--freeze", "0"}, "say which graph: --graph N");
  fails("recourse", list_, {"--graph", "0", "--local", "--freeze", "3,4"},
        "graph 0 has no node 4 to freeze\n  hint: it has 4 nodes, counted from 0");
  EXPECT_EQ(recourse({"--graph", "0", "--freeze", "0"}).code, 2) << "of --local";
  EXPECT_EQ(recourse({"--graph", "0", "--local", "--freeze", "0,x"}).code, 2);
  EXPECT_EQ(recourse({"--graph", "0", "--local", "--freeze", "-1"}).code, 2);
  EXPECT_EQ(recourse({"--graph", "-1"}).code, 2);
}

/// A ring with chords: hard to compare with another one.
Drawing ring(int nodes, int chord, int oxygen_every) {
  Drawing out;
  for (int v = 0; v < nodes; ++v) {
    out.labels.push_back(oxygen_every > 0 && v % oxygen_every == 0 ? kO : v % 7 == 0 ? kN : kC);
    for (const int step : {1, chord, 11}) out.edges.emplace_back(v, (v + step) % nodes);
  }
  return out;
}

TEST_F(EvaluateCliTest, CtrlCKeepsWhatWasProven) {
  data_ = write_dataset("HARD",
                        {path({kC, kC, kC, kC}), ring(60, 5, 0), ring(60, 7, 0), path({kC, kO})});
  const std::string hard =
      write_list("hard.json", "", {path({kO, kC, kC, kC}), ring(60, 9, 30), ring(60, 13, 20)});
  Command command({"evaluate", hard, "--dataset", data_, "--model", model_, "--theta", "0.2",
                   "--budget-work", "1000000000000", "--threads", "1", "--json"},
                  test::OnTerminal::kErrors);
  // Every pair that labels and degrees leave open was looked at, and what remains are rings.
  ASSERT_TRUE(command.shows("100 %,"));
  const Outcome outcome = test::interrupted(command);
  EXPECT_THAT(outcome.err, HasSubstr("interrupted"));
  const json report = json::parse(outcome.out);
  EXPECT_EQ(report["complete"], false);
  EXPECT_GE(report["metrics"]["coverage"], 1.0 / 3) << "the path of carbons";
  EXPECT_LT(report["metrics"]["coverage"], report["metrics"]["coverage_upper"]);
}

TEST_F(EvaluateCliTest, CtrlCTellsWhatWasNotSearchedFor) {
  std::vector<Drawing> many(400, ring(60, 5, 0));
  many.push_back(path({kC, kO}));
  data_ = write_dataset("MANY", many);
  const std::vector<std::string> local{
      "recourse",  list_, "--dataset", data_,  "--model",       model_, "--local",
      "--threads", "2",   "--theta",   "0.01", "--budget-work", "1",    "--min-probability",
      "0.9999999"};
  auto with = [&](const std::string& flag) {
    std::vector<std::string> all = local;
    all.push_back(flag);
    Command command(all, test::OnTerminal::kErrors);
    (void)command.shows("searching for each alone");
    return test::interrupted(command);
  };
  const json report = json::parse(with("--json").out);
  EXPECT_EQ(report["complete"], false);
  const json& last = report["recourse"].back();
  EXPECT_EQ(last["local_searched"], false);
  EXPECT_TRUE(last["local"].is_null());
  EXPECT_EQ(last["covered"], false);
  const Outcome text = with("--script");
  EXPECT_THAT(text.out, HasSubstr("alone: not searched, Ctrl-C came first\n"));
  EXPECT_THAT(text.err, HasSubstr("interrupted; not every graph was searched for alone"));
}

/// The paper's GROUND-TRUTH row through both commands.
void expect_ground_truth(const std::string& dataset, const std::string& folder, double coverage,
                         double cost) {
  FEWEDITS_REQUIRE_SHARED("models/" + folder + "/greed.pt");
  const auto root = test::shared_root();
  const test::TemporaryFolder work;
  const std::string file = (work.path() / "explanation.json").string();
  const std::string report = (work.path() / "report.json").string();
  const std::vector<std::string> same{
      "--dataset",     (root / "datasets" / dataset).string(),
      "--model",       (root / "models" / folder / "gcn.pth").string(),
      "--distance",    "greed",
      "--greed-model", (root / "models" / folder / "greed.pt").string()};
  std::vector<std::string> explain{"explain", "--method", "ground-truth", "-o", file};
  explain.insert(explain.end(), same.begin(), same.end());
  ASSERT_EQ(fewedits(explain).code, 0);
  std::vector<std::string> evaluate{"evaluate", file, "--json", "-o", report};
  evaluate.insert(evaluate.end(), same.begin(), same.end());
  const Outcome outcome = fewedits(evaluate);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, Not(HasSubstr("was made")));
  const json metrics = json::parse(read_file(report))["metrics"];
  EXPECT_EQ(std::round(1e4 * metrics["coverage"].get<double>()), std::round(1e4 * coverage));
  EXPECT_EQ(std::round(1e4 * metrics["cost_median"].get<double>()), std::round(1e4 * cost));
  EXPECT_EQ(metrics["by_k"].size(), 10U);
  // The file's own figures, measured again.
  const Explanation claimed = parse_explanation(read_file(file), file);
  EXPECT_EQ(metrics["coverage"], claimed.metrics.coverage);
  EXPECT_EQ(metrics["cost_mean"], claimed.metrics.cost_mean);
  EXPECT_EQ(metrics["by_theta"][7]["coverage"], claimed.metrics.by_theta[7].coverage);
}

TEST(EvaluatePublishedTest, GroundTruthOfAids) {
  expect_ground_truth("AIDS", "aids", 0.0041, 0.2012);
}

TEST(EvaluatePublishedTest, GroundTruthOfProteins) {
  expect_ground_truth("PROTEINS", "proteins", 0.0847, 0.2155);
}

}  // namespace
}  // namespace fewedits
