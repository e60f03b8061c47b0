// SPDX-License-Identifier: MIT
// Models on graphs with weighted edges: what they agree with, and their derivatives against
// differences. weighted_model_torch_test.cpp holds the derivatives against libtorch.
#include "fewedits/classifier/weighted_model.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "fewedits/base/error.hpp"
#include "fewedits/classifier/native/kernels.hpp"
#include "fewedits/classifier/native/native_classifier.hpp"
#include "fewedits/formats/metadata.hpp"
#include "fewedits/formats/tu_reader.hpp"
#include "support/fake_classifier.hpp"
#include "support/random_model.hpp"
#include "support/shared.hpp"

namespace fewedits {
namespace {

using test::kModelLabels;
using test::ModelMaker;
using test::Variant;

constexpr auto kLabels = static_cast<Label>(kModelLabels);

struct Layer {
  const char* name;
  Variant variant;
};

const Layer kLayers[] = {
    {"gcn", {.conv = Conv::kGcn}},
    {"gin", {.conv = Conv::kGin, .eps = true, .inner_norm = true}},
    {"sage_mean", {.conv = Conv::kSage, .aggregate = Aggregation::kMean}},
    {"sage_sum", {.conv = Conv::kSage, .aggregate = Aggregation::kSum}},
    {"sage_max", {.conv = Conv::kSage, .aggregate = Aggregation::kMax}},
    {"gat", {.conv = Conv::kGat, .heads = 3, .concat = true}},
    {"gat_mean", {.conv = Conv::kGat, .heads = 2, .concat = false}},
};

/// The variants of a layer that between them have every pooling, jumping and kind of head.
std::vector<Variant> variants_of(const Variant& layer) {
  std::vector<Variant> out;
  for (const auto pooling : {Aggregation::kMean, Aggregation::kSum, Aggregation::kMax}) {
    for (const bool jumping : {false, true}) {
      Variant variant = layer;
      variant.pooling = pooling;
      variant.jumping = jumping;
      if (jumping) variant.head_widths = {11, 9};
      variant.head_norm = jumping;
      variant.classes = jumping ? 3 : 2;
      out.push_back(variant);
    }
  }
  return out;
}

NativeClassifier made(const Variant& variant, std::int64_t width = 10,
                      const Kernels& kernels = best_kernels()) {
  const ModelMaker maker(variant, width, 19);
  return {maker.spec, maker.weights, "random weights", kernels};
}

std::vector<float> ones(const Graph& g) { return std::vector<float>(g.num_edges(), 1.0F); }

std::vector<float> uniform(Rng& rng, std::size_t count, double low, double high) {
  std::vector<float> out(count);
  for (float& x : out) x = static_cast<float>(low + (high - low) * rng.uniform());
  return out;
}

double dot(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * b[i];
  return sum;
}

std::vector<float> log_softmax(std::span<const float> logits) {
  double total = 0;
  const float top = *std::ranges::max_element(logits);
  for (const float z : logits) total += std::exp(static_cast<double>(z) - top);
  std::vector<float> out;
  for (const float z : logits) out.push_back(static_cast<float>(z - top - std::log(total)));
  return out;
}

std::vector<Graph> some_graphs() {
  Rng rng(4);
  std::vector<Graph> out{Graph(), Graph(std::vector<Label>{3}, {}),
                         Graph(std::vector<Label>{3, 1, 4}, {}),
                         Graph(std::vector<Label>{0, 1, 2, 5}, std::vector<Edge>{{1, 2}})};
  for (const Node n : {2U, 5U, 17U, 40U, 9U}) {
    out.push_back(test::random_graph(rng, n, n / 4, kLabels));
  }
  return out;
}

void expect_model_itself(const Classifier& classifier, WeightedModel& model,
                         std::span<const Graph> graphs) {
  ThreadPool pool(1);
  std::vector<float> expected(graphs.size() * classifier.num_classes());
  classifier.log_probabilities(graphs, expected, pool);
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    model.evaluate(graphs[i], ones(graphs[i]));
    const auto ours = log_softmax(model.logits());
    for (std::size_t c = 0; c < ours.size(); ++c) {
      const float log_p = expected[i * ours.size() + c];
      EXPECT_NEAR(ours[c], log_p, 1e-5 * std::max(1.0F, std::abs(log_p))) << "graph " << i;
    }
  }
}

class WeightedModelTest : public testing::TestWithParam<Layer> {};

INSTANTIATE_TEST_SUITE_P(All, WeightedModelTest, testing::ValuesIn(kLayers),
                         [](const auto& test) { return std::string(test.param.name); });

TEST_P(WeightedModelTest, WithAllWeightsOneIsTheModelItself) {
  const std::vector<Graph> graphs = some_graphs();
  for (const Variant& variant : variants_of(GetParam().variant)) {
    for (const Kernels* kernels : available_kernels()) {
      for (const std::int64_t width : {3, 20}) {
        const NativeClassifier native = made(variant, width, *kernels);
        expect_model_itself(native, *native.weighted(), graphs);
      }
    }
  }
}

/// One scalar of the model as a function of one weight, by central differences. Not smooth where
/// shorter and longer steps to both sides disagree: there ReLU or a maximum changes its mind.
struct Difference {
  double slope = 0;
  bool smooth = false;
};
template <class Value>
Difference difference(const Value& value, float at, double scale) {
  const double here = value(at);
  const auto slope = [&](float step) { return (value(at + step) - here) / step; };
  const double slopes[] = {slope(8e-3F), slope(-8e-3F), slope(4e-3F), slope(-4e-3F)};
  const auto [low, high] = std::ranges::minmax(slopes);
  return {(slopes[0] + slopes[1]) / 2, high - low < 0.04 * scale};
}

struct Compared {
  std::size_t entries = 0;
  std::size_t smooth = 0;
};

template <class Value>
void expect_differences(const Value& value, std::vector<float> at, std::span<const float> gradient,
                        Compared& compared) {
  double scale = 1e-3;
  for (const float g : gradient) scale = std::max(scale, std::abs(static_cast<double>(g)));
  for (std::size_t e = 0; e < at.size(); ++e) {
    const float kept = at[e];
    const Difference found = difference(
        [&](float x) {
          at[e] = x;
          const double out = value(at);
          at[e] = kept;
          return out;
        },
        kept, scale);
    ++compared.entries;
    if (!found.smooth) continue;
    ++compared.smooth;
    EXPECT_NEAR(gradient[e], found.slope, 0.05 * scale) << "entry " << e;
  }
}

TEST_P(WeightedModelTest, GradientsAreLimitsOfDifferences) {
  Rng rng(6);
  const Graph g = test::random_graph(rng, 12, 4, kLabels);
  const auto weights = uniform(rng, g.num_edges(), 0.1, 0.9);
  Compared compared;
  for (Variant variant : variants_of(GetParam().variant)) {
    for (const auto activation : {Activation::kElu, Activation::kRelu}) {
      variant.activation = activation;
      const NativeClassifier native = made(variant);
      const auto model = native.weighted();
      const auto by_logits = uniform(rng, model->num_classes(), -1, 1);
      const auto by_pooled = uniform(rng, model->pooled_size(), -1, 1);
      std::vector<float> gradient(g.num_edges());
      model->evaluate(g, weights);
      model->logit_gradient(by_logits, gradient);
      const auto other = native.weighted();
      const auto logit = [&](std::span<const float> w) {
        other->evaluate(g, w);
        return dot(other->logits(), by_logits);
      };
      expect_differences(logit, weights, gradient, compared);
      model->pooled_gradient(by_pooled, gradient);  // of the same evaluation
      const auto feature = [&](std::span<const float> w) {
        other->evaluate(g, w);
        return dot(other->pooled(), by_pooled);
      };
      expect_differences(feature, weights, gradient, compared);
    }
  }
  EXPECT_GT(compared.smooth * 10, compared.entries * 7);
}

TEST_P(WeightedModelTest, TheHeadAloneIsTheHeadOfTheModel) {
  Rng rng(7);
  const Graph g = test::random_graph(rng, 9, 2, kLabels);
  Compared compared;
  for (const Variant& variant : variants_of(GetParam().variant)) {
    const NativeClassifier native = made(variant);
    const auto model = native.weighted();
    const auto scale = uniform(rng, model->num_classes(), -1, 1);
    std::vector<float> logits(model->num_classes());
    const auto value = [&](std::span<const float> pooled) {
      model->head(pooled, logits);
      return dot(logits, scale);
    };
    model->evaluate(g, ones(g));
    const std::vector<float> pooled(model->pooled().begin(), model->pooled().end());
    value(pooled);
    EXPECT_TRUE(std::ranges::equal(logits, model->logits()));
    std::vector<float> gradient(pooled.size());
    const auto elsewhere = uniform(rng, pooled.size(), -1, 1);
    model->head_gradient(elsewhere, scale, gradient);
    expect_differences(value, elsewhere, gradient, compared);
    // What was evaluated stays.
    EXPECT_TRUE(std::ranges::equal(pooled, model->pooled()));
  }
  EXPECT_GT(compared.smooth * 10, compared.entries * 8);
}

bool counts_neighbours(const Variant& v) {
  return v.conv == Conv::kGat || (v.conv == Conv::kSage && v.aggregate != Aggregation::kSum);
}

TEST_P(WeightedModelTest, AnEdgeOfWeightZeroIsNone) {
  Rng rng(8);
  const Graph g = test::random_graph(rng, 14, 5, kLabels);
  const NativeClassifier native = made(GetParam().variant);
  const auto model = native.weighted();
  const auto other = native.weighted();
  double apart = 0;
  const auto edges = g.edges();
  for (std::size_t e = 0; e < edges.size(); ++e) {
    auto weights = ones(g);
    weights[e] = 0;
    model->evaluate(g, weights);
    const Graph cut = g.without_edge(edges[e].u, edges[e].v);
    other->evaluate(cut, ones(cut));
    for (std::size_t c = 0; c < 2; ++c) {
      apart =
          std::max(apart, std::abs(static_cast<double>(model->logits()[c]) - other->logits()[c]));
    }
  }
  if (counts_neighbours(GetParam().variant)) {
    // ReLU's outputs are not negative: a message of 0 does not change their maximum.
    if (GetParam().variant.aggregate != Aggregation::kMax) {
      EXPECT_GT(apart, 1e-3);
    }
  } else {
    EXPECT_LT(apart, 1e-5);
  }
}

TEST_P(WeightedModelTest, NodesInAnotherOrderGiveTheGradientInAnotherOrder) {
  Rng rng(9);
  const Graph g = test::random_graph(rng, 20, 6, kLabels);
  const auto position = test::random_permutation(rng, g.num_nodes());
  const Graph turned = g.permuted(position);
  const auto edges = g.edges();
  const auto turned_edges = turned.edges();
  const auto place = [&](const Edge& e) {
    const auto [u, v] = std::minmax(position[e.u], position[e.v]);
    return static_cast<std::size_t>(std::ranges::find(turned_edges, Edge{u, v}) -
                                    turned_edges.begin());
  };
  const auto weights = uniform(rng, g.num_edges(), 0, 1);
  std::vector<float> turned_weights(weights.size());
  for (std::size_t e = 0; e < edges.size(); ++e) turned_weights[place(edges[e])] = weights[e];
  for (const Variant& variant : variants_of(GetParam().variant)) {
    const NativeClassifier native = made(variant);
    const auto model = native.weighted();
    const auto scale = uniform(rng, model->num_classes(), -1, 1);
    std::vector<float> gradient(weights.size());
    std::vector<float> turned_gradient(weights.size());
    model->evaluate(g, weights);
    model->logit_gradient(scale, gradient);
    const std::vector<float> node(model->node(3).begin(), model->node(3).end());
    model->evaluate(turned, turned_weights);
    model->logit_gradient(scale, turned_gradient);
    for (std::size_t c = 0; c < node.size(); ++c) {
      EXPECT_NEAR(model->node(position[3])[c], node[c], 1e-4);
    }
    const double length = std::sqrt(dot(gradient, gradient));
    for (std::size_t e = 0; e < edges.size(); ++e) {
      EXPECT_NEAR(turned_gradient[place(edges[e])], gradient[e], 1e-4 * (length + 1e-3));
    }
  }
}

TEST_P(WeightedModelTest, AnswersDoNotDependOnWhatWasEvaluatedBefore) {
  Rng rng(10);
  const NativeClassifier native = made(GetParam().variant);
  const auto used = native.weighted();
  for (const Graph& g : some_graphs()) {
    const auto fresh = native.weighted();
    const auto weights = uniform(rng, g.num_edges(), 0, 1);
    const std::vector<float> scale{1, -1};
    std::vector<float> expected(g.num_edges());
    std::vector<float> gradient(g.num_edges(), 7.0F);
    fresh->evaluate(g, weights);
    fresh->logit_gradient(scale, expected);
    used->evaluate(g, weights);
    used->logit_gradient(scale, gradient);
    EXPECT_EQ(gradient, expected);
    used->logit_gradient(scale, gradient);
    EXPECT_EQ(gradient, expected);
    EXPECT_TRUE(std::ranges::equal(used->logits(), fresh->logits()));
  }
}

TEST_P(WeightedModelTest, ARenumberedModelIsMeant) {
  Rng rng(11);
  const std::vector<Label> labels{3, 0, 4, 1};
  const std::vector<std::size_t> classes{1, 0};
  const NativeClassifier plain = made(GetParam().variant);
  NativeClassifier renumbered = made(GetParam().variant);
  ASSERT_TRUE(renumbered.renumber(labels, classes));
  const auto model = renumbered.weighted();
  const auto original = plain.weighted();
  const Graph g = test::random_graph(rng, 15, 4, 4);
  const Graph as_was = g.relabelled(labels);
  const auto weights = uniform(rng, g.num_edges(), 0, 1);
  model->evaluate(g, weights);
  original->evaluate(as_was, weights);
  // The sum over the labels that a maximum is 1 for is rounded in another order.
  EXPECT_NEAR(model->logits()[0], original->logits()[1], 1e-5);
  EXPECT_NEAR(model->logits()[1], original->logits()[0], 1e-5);
  std::vector<float> gradient(g.num_edges());
  std::vector<float> expected(g.num_edges());
  model->logit_gradient(std::vector<float>{2, 0}, gradient);
  original->logit_gradient(std::vector<float>{0, 2}, expected);
  EXPECT_THAT(gradient, testing::Pointwise(testing::FloatNear(1e-5F), expected));
  EXPECT_GT(dot(gradient, gradient), 1e-6);
}

TEST(WeightedModelRefusalTest, OfALabelThatTheModelDoesNotKnow) {
  const NativeClassifier native = made({});
  const auto model = native.weighted();
  EXPECT_THROW(model->evaluate(Graph(std::vector<Label>{kLabels}, {}), {}), Error);
}

TEST(WeightedModelRefusalTest, OtherClassifiersGiveNone) {
  const test::FakeClassifier fake(2, 2, [](const Graph&) { return std::vector<double>{0.5, 0.5}; });
  EXPECT_EQ(fake.weighted(), nullptr);
}

TEST(WeightedModelPublishedTest, ModelsAgreeWithThemselvesAndWithDifferences) {
  FEWEDITS_REQUIRE_SHARED("models");
  const auto root = test::shared_root();
  for (const std::string name : {"AIDS", "PROTEINS"}) {
    std::string folder = name;
    std::ranges::transform(folder, folder.begin(), [](char c) { return std::tolower(c); });
    const Dataset data = prepare(read_tu(root / "datasets" / name), builtin_metadata(name).value());
    const NativeClassifier native = load_classifier(root / "models" / folder / "gcn.pth");
    const auto model = native.weighted();
    expect_model_itself(native, *model, std::span(data.graphs).first(300));
    Rng rng(12);
    Compared compared;
    for (std::size_t i = 0; i < 40; ++i) {
      const Graph& g = data.graphs[i * 7];
      const auto weights = uniform(rng, g.num_edges(), 0.2, 0.9);
      const std::vector<float> scale{1, -1};
      std::vector<float> gradient(g.num_edges());
      model->evaluate(g, weights);
      model->logit_gradient(scale, gradient);
      const auto value = [&](std::span<const float> w) {
        model->evaluate(g, w);
        return dot(model->logits(), scale);
      };
      expect_differences(value, weights, gradient, compared);
    }
    EXPECT_GT(compared.smooth * 10, compared.entries * 6) << name;
  }
}

}  // namespace
}  // namespace fewedits
