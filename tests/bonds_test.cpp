// SPDX-License-Identifier: MIT
// An explanation that uses bonds: its counterfactuals are valid molecules, whatever is written
// comes back as it was, its checker agrees, and refuses a bond that was tampered with. Without
// bonds, all is as if there were none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "fewedits/chem/graph_view.hpp"
#include "fewedits/explanation/explanation_json.hpp"
#include "fewedits/fewedits.hpp"
#include "fewedits/search/run_file.hpp"
#include "fewedits/verification/verifier.hpp"
#include "support/small_world.hpp"

namespace fewedits {
namespace {

using testing::Contains;
using testing::HasSubstr;
using Json = nlohmann::ordered_json;

ExplainOptions some_options(std::optional<bool> bonds) {
  ExplainOptions options;
  options.bonds = bonds;
  options.k = 3;
  options.theta = 0.2;
  options.steps = 5;
  options.refine_work = 3'000'000;
  return options;
}

class BondsTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    world_ = std::make_unique<test::SmallWorld>();
    // Unset: these are molecules, and their bonds have names.
    explanation_ = std::make_unique<Explanation>(explained(some_options({})));
  }
  static void TearDownTestSuite() {
    explanation_.reset();
    world_.reset();
  }

  static Explanation explained(const ExplainOptions& options) {
    Explanation e = explain(world_->data, *world_->classifier, options, world_->pool);
    e.provenance.model_hash = world_->model_hash;
    return e;
  }
  static verify::Report verified(const Explanation& e) {
    const bool bonds = !e.edge_label_names.empty();
    return verify::verify(e,
                          {world_->data, world_->classifier.get(),
                           dataset_fingerprint(world_->data, bonds), world_->model_hash},
                          world_->pool);
  }
  static std::string what_is_false(const Explanation& e) {
    const verify::Report report = verified(e);
    return report.listed.empty() ? "" : report.listed.front();
  }

  static std::unique_ptr<test::SmallWorld> world_;
  static std::unique_ptr<Explanation> explanation_;
};
std::unique_ptr<test::SmallWorld> BondsTest::world_;
std::unique_ptr<Explanation> BondsTest::explanation_;

TEST_F(BondsTest, AreUsedWhereTheyAreKnownAndCounterfactualsAreMolecules) {
  const Explanation& e = *explanation_;
  EXPECT_THAT(e.edge_label_names, Contains("aromatic"));
  EXPECT_THAT(e.provenance.values_of("bonds"), testing::ElementsAre("use"));
  EXPECT_THAT(e.provenance.values_of("constraint"), testing::ElementsAre("molecule"));
  const GraphView view(world_->data, true);
  ASSERT_FALSE(e.counterfactuals.empty());
  for (const Counterfactual& c : e.counterfactuals) {
    ASSERT_TRUE(c.graph.has_edge_labels());
    EXPECT_EQ(view.rules()->why_invalid(c.graph), "");
    EXPECT_FALSE(c.covers.empty());
  }
}

TEST_F(BondsTest, TheCheckerAgreesAndRefusesAnotherBond) {
  EXPECT_EQ(what_is_false(*explanation_), "");
  std::size_t refused = 0;
  for (std::size_t c = 0; c < explanation_->counterfactuals.size(); ++c) {
    const Graph graph = explanation_->counterfactuals[c].graph;
    for (const Edge& edge : graph.edges()) {
      Explanation other = *explanation_;
      other.counterfactuals[c].graph =
          graph.with_edge_label(edge.u, edge.v, edge.label == 0 ? 1 : 0);
      EXPECT_NE(what_is_false(other), "") << c << ": " << edge.u << "-" << edge.v;
      ++refused;
    }
  }
  EXPECT_GT(refused, 10U);
  Explanation nameless = *explanation_;
  nameless.edge_label_names.clear();
  EXPECT_NE(what_is_false(nameless), "");
}

TEST_F(BondsTest, TheCheckerRefusesAnotherBondInAScript) {
  using Kind = EditOp::Kind;
  const std::size_t bonds = explanation_->edge_label_names.size();
  std::map<Kind, std::size_t> refused;
  for (std::size_t r = 0; r < explanation_->recourse.size(); ++r) {
    const auto& proof = explanation_->recourse[r].proof;
    if (!proof || !proof->script) continue;
    for (std::size_t i = 0; i < proof->script->ops.size(); ++i) {
      const EditOp op = proof->script->ops[i];
      if (op.kind != Kind::kRelabelEdge && op.kind != Kind::kInsertEdge) continue;
      for (Label other = 0; other < bonds; ++other) {
        if (other == op.label) continue;
        Explanation lie = *explanation_;
        lie.recourse[r].proof->script->ops[i].label = other;
        EXPECT_NE(what_is_false(lie), "") << r << ", edit " << i << ", bond " << other;
        ++refused[op.kind];
      }
    }
  }
  EXPECT_GT(refused[Kind::kRelabelEdge], 0U);
  EXPECT_GT(refused[Kind::kInsertEdge], 0U);
}

TEST_F(BondsTest, OfTheDatasetArePartOfItsFingerprint) {
  Dataset other = world_->data;
  const Edge edge = other.graphs[0].edges().front();
  other.graphs[0] = other.graphs[0].with_edge_label(edge.u, edge.v, edge.label == 0 ? 1 : 0);
  EXPECT_NE(dataset_fingerprint(other, true), dataset_fingerprint(world_->data, true));
  EXPECT_EQ(dataset_fingerprint(other), dataset_fingerprint(world_->data));
}

TEST_F(BondsTest, AreWrittenAndRead) {
  const std::string text = explanation_json(*explanation_);
  EXPECT_EQ(parse_explanation(text, "e.json"), *explanation_);
  EXPECT_EQ(explanation_json(parse_explanation(text, "e.json")), text);
  const GraphList list = parse_graph_list(text, "e.json");
  EXPECT_EQ(list.edge_label_names, explanation_->edge_label_names);
  ASSERT_EQ(list.graphs.size(), explanation_->counterfactuals.size());
  EXPECT_EQ(list.graphs[0], explanation_->counterfactuals[0].graph);
}

TEST_F(BondsTest, ThatDoNotFitAreRefused) {
  const auto refusal = [](const auto& change) -> std::string {
    Json json = Json::parse(explanation_json(*explanation_));
    change(json);
    try {
      (void)parse_explanation(json.dump(), "e.json");
    } catch (const Error& error) {
      return error.what();
    }
    return "was taken";
  };
  EXPECT_THAT(refusal([](Json& e) { e["counterfactuals"][0]["edge_labels"][0] = 99; }),
              HasSubstr("counterfactuals[0].edge_labels[0] is 99"));
  EXPECT_THAT(refusal([](Json& e) { e["counterfactuals"][0]["edge_labels"].push_back(0); }),
              HasSubstr("labels for"));
  EXPECT_THAT(refusal([](Json& e) { e["counterfactuals"][0].erase("edge_labels"); }),
              HasSubstr("lacks the key \"edge_labels\""));
}

TEST_F(BondsTest, ThatAreIgnoredLeaveNoTrace) {
  const Explanation e = explained(some_options(false));
  EXPECT_TRUE(e.edge_label_names.empty());
  EXPECT_THAT(e.provenance.values_of("bonds"), testing::ElementsAre("ignore"));
  for (const Counterfactual& c : e.counterfactuals) EXPECT_FALSE(c.graph.has_edge_labels());
  EXPECT_EQ(what_is_false(e), "");
  Dataset without = world_->data;
  for (Graph& graph : without.graphs) graph = graph.without_edge_labels();
  without.edge_labels.clear();
  Explanation same = explain(without, *world_->classifier, some_options({}), world_->pool);
  EXPECT_EQ(same.counterfactuals, e.counterfactuals);
  EXPECT_TRUE(same.provenance.values_of("bonds").empty());
}

TEST_F(BondsTest, OfARunAreSavedAndResumed) {
  std::vector<std::string> saved;
  ExplainHooks hooks;
  hooks.save_seconds = 0;
  hooks.save = [&](const SavedSearch& search) { saved.push_back(run_file_bytes({{}, search})); };
  const ExplainOptions options = some_options(true);
  const Explanation whole =
      explain(world_->data, *world_->classifier, options, world_->pool, hooks);
  ASSERT_FALSE(saved.empty());
  const std::size_t labels = world_->data.node_labels.size();
  const std::size_t bonds = whole.edge_label_names.size();
  EXPECT_THROW((void)parse_run_file(saved.front(), "run", whole.inputs.size(), labels), Error)
      << "edges have no labels, it was told";
  const RunFile run = parse_run_file(saved.front(), "run", whole.inputs.size(), labels, bonds);
  EXPECT_EQ(run_file_bytes(run), saved.front());
  ExplainHooks again;
  again.resume = run.search;
  const Explanation resumed =
      explain(world_->data, *world_->classifier, options, world_->pool, again);
  EXPECT_EQ(resumed.counterfactuals, whole.counterfactuals);
}

TEST_F(BondsTest, AreRefusedWhereNothingCanUseThem) {
  ExplainOptions options = some_options(true);
  options.distance = "wl";
  EXPECT_THROW((void)explained(options), Error);
  options = some_options(true);
  options.method = "cff";
  EXPECT_THROW((void)explained(options), Error);
  Dataset without = world_->data;
  without.edge_labels.clear();
  EXPECT_THROW((void)explain(without, *world_->classifier, some_options(true), world_->pool),
               Error);
  options = some_options(false);
  options.constraints.molecules_only = true;
  EXPECT_THROW((void)explained(options), Error);
}

}  // namespace
}  // namespace fewedits
