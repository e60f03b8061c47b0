// SPDX-License-Identifier: MIT
// Models that see bonds: what they are shown of molecules, what of them is refused, and an
// explanation of one, whose checker agrees.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "fewedits/chem/graph_view.hpp"
#include "fewedits/classifier/aligned_classifier.hpp"
#include "fewedits/classifier/model_file.hpp"
#include "fewedits/classifier/native/native_classifier.hpp"
#include "fewedits/fewedits.hpp"
#include "fewedits/formats/checkpoint_writer.hpp"
#include "fewedits/graph/identity.hpp"
#include "fewedits/verification/verifier.hpp"
#include "support/small_world.hpp"

namespace fewedits {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using Names = std::vector<std::string>;

const Names kBonds{"single", "double", "triple"};
const Names kBondsAndAromatic{"single", "double", "triple", "aromatic"};

/// Two layers of GINE with random weights.
struct Gine {
  ModelSpec spec;
  StateDict weights;

  Gine(std::size_t labels, const Names& edge_labels) {
    std::int64_t in = static_cast<std::int64_t>(labels);
    const auto edges = static_cast<std::int64_t>(edge_labels.size());
    for (const std::string& name : {std::string("convs.0"), std::string("convs.1")}) {
      spec.layers.push_back({.conv = Conv::kGine, .weights = name});
      add(name + ".lin.weight", {in, edges});
      add(name + ".nn.0.weight", {6, in});
      add(name + ".nn.2.weight", {6, 6});
      in = 6;
    }
    spec.pooling = Aggregation::kMean;
    spec.head = {{"fc", ""}};
    spec.edge_labels = edge_labels;
    add("fc.weight", {2, in});
    set_bias(0);
  }
  void set_bias(float second) { weights["fc.bias"] = Tensor::from_floats({2}, {0, second}); }
  [[nodiscard]] std::unique_ptr<Classifier> model() const {
    return std::make_unique<NativeClassifier>(spec, weights, "gine");
  }

 private:
  void add(const std::string& name, const std::vector<std::int64_t>& shape) {
    std::vector<float> values(static_cast<std::size_t>(Tensor{DType::kFloat32, shape, {}}.numel()));
    for (float& x : values) x = static_cast<float>(2 * rng_.uniform() - 1);
    weights[name] = Tensor::from_floats(shape, values);
  }
  Rng rng_{8};
};

class BondModelsTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { world_ = std::make_unique<test::SmallWorld>(); }
  static void TearDownTestSuite() { world_.reset(); }

  static Gine gine(const Names& edge_labels) {
    return {world_->data.node_labels.size(), edge_labels};
  }
  static std::vector<float> answers(const Classifier& model, std::span<const Graph> graphs) {
    std::vector<float> out(graphs.size() * model.num_classes());
    model.log_probabilities(graphs, out, world_->pool);
    return out;
  }
  static void expect_near(const std::vector<float>& a, const std::vector<float>& b) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      EXPECT_NEAR(a[i], b[i], 1e-5 * (1 + std::abs(b[i]))) << i;
    }
  }
  /// What aligning a model says; "none" if it is taken.
  static std::string complaint(const Gine& net, const Dataset& data) {
    try {
      (void)aligned(net.model(), data, ClassMatch::kOptional);
    } catch (const Error& error) {
      return error.what();
    }
    return "none";
  }

  static std::unique_ptr<test::SmallWorld> world_;
};
std::unique_ptr<test::SmallWorld> BondModelsTest::world_;

/// Molecules as the file writes them, as the search sees them, with their nodes in another order,
/// and in another Kekulé form are one molecule.
TEST_F(BondModelsTest, AnAnswerFollowsFromTheMolecule) {
  const Dataset& data = world_->data;
  const GraphView view(data, true);
  Rng rng(6);
  std::vector<Graph> seen;
  std::vector<Graph> permuted;
  std::vector<Graph> other_form;
  std::size_t other = 0;
  for (const Graph& g : data.graphs) {
    seen.push_back(view(g));
    permuted.push_back(seen.back().permuted(test::random_permutation(rng, g.num_nodes())));
    other_form.push_back(*view.rules()->kekule_form(permuted.back()));
    other += Identity(other_form.back()) == Identity(g) ? 0U : 1U;
  }
  EXPECT_GT(other, 0U);
  for (const Names& names : {kBonds, kBondsAndAromatic}) {
    SCOPED_TRACE(names.size());
    const auto model = aligned(gine(names).model(), data);
    EXPECT_EQ(model->num_edge_labels(), kBondsAndAromatic.size());
    const auto expected = answers(*model, seen);
    EXPECT_EQ(answers(*model, data.graphs), expected);
    EXPECT_EQ(checked_log_probabilities(data, *model, world_->pool), expected);
    expect_near(answers(*model, permuted), expected);
    expect_near(answers(*model, other_form), expected);
    const bool has_note = std::ranges::any_of(model->notes(), [](const std::string& note) {
      return note.find("knows no aromatic bonds") != std::string::npos;
    });
    EXPECT_EQ(has_note, names == kBonds);
  }
}

TEST_F(BondModelsTest, AModelThatKnowsAromaticBondsSeesThem) {
  const Dataset& data = world_->data;
  const Gine net = gine(kBondsAndAromatic);
  const GraphView view(data, true);
  std::vector<Graph> seen;
  for (const Graph& g : data.graphs) seen.push_back(view(g));
  EXPECT_EQ(answers(*aligned(net.model(), data), data.graphs), answers(*net.model(), seen));
  EXPECT_NE(answers(*net.model(), data.graphs), answers(*net.model(), seen));
  // One that does not sees single, double and triple bonds only.
  const Gine three = gine(kBonds);
  std::vector<Graph> forms;
  for (const Graph& g : seen) forms.push_back(*view.rules()->canonical_kekule_form(g));
  EXPECT_EQ(answers(*aligned(three.model(), data), data.graphs), answers(*three.model(), forms));
}

TEST_F(BondModelsTest, EdgeLabelsAreMatchedByNameOrValue) {
  const Dataset& data = world_->data;
  const Gine net = gine(kBondsAndAromatic);
  const auto expected = answers(*aligned(net.model(), data), data.graphs);
  // The same model with its labels in another order.
  Gine turned = net;
  turned.spec.edge_labels = {"aromatic", "triple", "single", "double"};
  const std::size_t order[] = {3, 2, 0, 1};
  for (const char* name : {"convs.0.lin.weight", "convs.1.lin.weight"}) {
    const Tensor& from = net.weights.at(name);
    const auto values = from.to_floats();
    std::vector<float> columns(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      columns[i] = values[i / 4 * 4 + order[i % 4]];
    }
    turned.weights[name] = Tensor::from_floats(from.shape, columns);
  }
  EXPECT_EQ(answers(*aligned(turned.model(), data), data.graphs), expected);
  Gine valued = gine(kBonds);
  const auto by_name = answers(*aligned(valued.model(), data), data.graphs);
  valued.spec.edge_labels = {"0", "1", "2"};
  const auto model = aligned(valued.model(), data);
  EXPECT_EQ(answers(*model, data.graphs), by_name);
  EXPECT_THAT(model->notes(), Contains(HasSubstr("matched by value")));
  // Without names, by number.
  valued.spec.edge_labels.clear();
  EXPECT_EQ(answers(*aligned(valued.model(), data), data.graphs), by_name);
}

TEST_F(BondModelsTest, GenericLabelsAreRenumberedOnce) {
  Dataset data = world_->data;
  data.domain = "generic";
  Gine net = gine({"triple", "double", "single", "another"});
  const auto model = aligned(net.model(), data);
  EXPECT_NE(dynamic_cast<const NativeClassifier*>(model.get()), nullptr);
  EXPECT_EQ(model->num_edge_labels(), 3U);
  EXPECT_THAT(Names(model->edge_label_names().begin(), model->edge_label_names().end()),
              testing::ElementsAreArray(kBonds));
  const std::vector<Label> to{2, 1, 0};
  std::vector<Graph> renamed;
  for (const Graph& g : data.graphs) renamed.push_back(g.with_edges_relabelled(to));
  EXPECT_EQ(answers(*model, data.graphs), answers(*net.model(), renamed));
}

TEST_F(BondModelsTest, WhatDoesNotFitIsRefused) {
  const Dataset& data = world_->data;
  EXPECT_EQ(complaint(gine(kBonds), data), "none");
  EXPECT_THAT(complaint(gine({"single", "triple", "aromatic"}), data),
              AllOf(HasSubstr("does not know the edge label 'double'"),
                    HasSubstr("single, triple, aromatic"), HasSubstr("\"edge_labels\"")));
  Gine nameless = gine({"a", "b"});
  nameless.spec.edge_labels.clear();
  EXPECT_THAT(complaint(nameless, data),
              AllOf(HasSubstr("knows 2 labels of edges without names, the dataset has 3"),
                    HasSubstr("\"edge_labels\"")));
  Dataset without = data;
  without.edge_labels.clear();
  EXPECT_THAT(complaint(gine(kBonds), without), HasSubstr("of which the dataset has none"));
}

TEST_F(BondModelsTest, GradientsAreThoseOfTheGraphThatIsSeen) {
  const Dataset& data = world_->data;
  const auto model = aligned(gine(kBonds).model(), data);
  const auto weighted = model->weighted();
  ASSERT_NE(weighted, nullptr);
  const Graph& g = data.graphs[1];
  const std::vector<float> ones(g.num_edges(), 1.0F);
  weighted->evaluate(g, ones);
  const auto rows = answers(*model, {&g, 1});
  EXPECT_NEAR(weighted->logits()[1] - weighted->logits()[0], rows[1] - rows[0], 1e-4);
  const std::vector<float> scale{-1, 1};
  std::vector<float> gradient(g.num_edges());
  weighted->logit_gradient(scale, gradient);
  constexpr float kStep = 1e-2F;
  for (std::size_t e = 0; e < ones.size(); ++e) {
    const auto at = [&](float weight) {
      std::vector<float> some = ones;
      some[e] = weight;
      weighted->evaluate(g, some);
      return weighted->logits()[1] - weighted->logits()[0];
    };
    EXPECT_NEAR((at(1 + kStep) - at(1 - kStep)) / (2 * kStep), gradient[e], 2e-2) << e;
  }
}

/// An explanation of a GINE.
class ExplainedGineTest : public BondModelsTest, public testing::WithParamInterface<Names> {
 protected:
  /// Half of the graphs are rejected.
  void SetUp() override {
    Gine net = gine(GetParam());
    const auto logs = answers(*aligned(net.model(), world_->data), world_->data.graphs);
    std::vector<float> leads;
    for (std::size_t i = 0; i < logs.size(); i += 2) leads.push_back(logs[i + 1] - logs[i]);
    std::ranges::sort(leads);
    net.set_bias(-(leads[leads.size() / 2] - 1e-3F));
    const auto file = folder_.path() / "gine.safetensors";
    write_checkpoint(file, net.weights);
    folder_.write("gine.json", to_json({net.spec, "gine.safetensors"}));
    model_ = open_classifier(file, world_->data);
    hash_ = model_hash(file);
    options_.k = 3;
    options_.theta = 0.2;
    options_.steps = 5;
    options_.refine_work = 2'000'000;
  }
  std::string refusal() {
    try {
      (void)explain(world_->data, *model_, options_, world_->pool);
    } catch (const Error& error) {
      return error.what();
    }
    return "none";
  }
  std::string what_is_false(const Explanation& e) {
    const verify::Report report = verify::verify(
        e, {world_->data, model_.get(), dataset_fingerprint(world_->data, true), hash_},
        world_->pool);
    return report.listed.empty() ? "" : report.listed.front();
  }

  test::TemporaryFolder folder_;
  std::unique_ptr<Classifier> model_;
  std::string hash_;
  ExplainOptions options_;
};

INSTANTIATE_TEST_SUITE_P(, ExplainedGineTest, testing::Values(kBonds, kBondsAndAromatic),
                         [](const auto& test) {
                           return test.param.size() == 3 ? "kekule" : "aromatic";
                         });

TEST_P(ExplainedGineTest, IsOfValidMoleculesAndHoldsUntilABondChanges) {
  Explanation e = explain(world_->data, *model_, options_, world_->pool);
  e.provenance.model_hash = hash_;
  EXPECT_THAT(e.provenance.values_of("bonds"), testing::ElementsAre("use"));
  const GraphView view(world_->data, true);
  ASSERT_FALSE(e.counterfactuals.empty());
  for (const Counterfactual& c : e.counterfactuals) {
    EXPECT_EQ(view.rules()->why_invalid(c.graph), "");
    EXPECT_FALSE(c.covers.empty());
  }
  EXPECT_EQ(what_is_false(e), "");
  Explanation other = e;
  Graph& graph = other.counterfactuals[0].graph;
  const Edge edge = graph.edges().front();
  graph = graph.with_edge_label(edge.u, edge.v, edge.label == 0 ? 1 : 0);
  EXPECT_NE(what_is_false(other), "");
  // Whoever has no bonds has not what the model looks at.
  Explanation nameless = e;
  nameless.edge_label_names.clear();
  EXPECT_NE(what_is_false(nameless), "");
}

TEST_P(ExplainedGineTest, CannotBeMadeWithoutBonds) {
  options_.bonds = false;
  EXPECT_THAT(refusal(), AllOf(HasSubstr("the model looks at bonds"), HasSubstr("bonds: use")));
  options_.bonds.reset();
  options_.distance = "wl";
  EXPECT_THAT(refusal(), HasSubstr("of which the distance wl knows nothing"));
  options_.distance = "certified";
  options_.method = "cff";
  EXPECT_THAT(refusal(), HasSubstr("of which the method cff knows nothing"));
}

}  // namespace
}  // namespace fewedits
