// SPDX-License-Identifier: MIT
// Derivatives by edge weights against libtorch's autograd, for every architecture.
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "fewedits/classifier/native/kernels.hpp"
#include "fewedits/classifier/native/native_classifier.hpp"
#include "support/dense_model.hpp"
#include "support/random_model.hpp"
#include "support/shared.hpp"

namespace fewedits {
namespace {

using test::DenseBatch;
using test::DenseModel;
using test::EdgeInput;
using test::kModelEdgeLabels;
using test::kModelLabels;
using test::ModelMaker;
using test::Norm;
using test::Variant;

constexpr std::size_t kGraphs = 1000;
constexpr Node kSizes = 5;
constexpr double kTolerance = 1e-4;  ///< of a gradient's length
constexpr double kKink = 1e-5;       ///< where a derivative jumps so near, another one is no error
constexpr std::int64_t kWidth = 10;

std::vector<float> uniform(Rng& rng, std::size_t count, double low, double high) {
  std::vector<float> out(count);
  for (float& x : out) x = static_cast<float>(low + (high - low) * rng.uniform());
  return out;
}

/// Graphs of one size, with weights on their edges.
struct Sample {
  std::vector<Graph> graphs;
  std::vector<std::vector<float>> weights;

  Sample(Rng& rng, Node nodes, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      graphs.push_back(test::random_graph(rng, nodes, rng.below(4),
                                          static_cast<Label>(kModelLabels),
                                          static_cast<Label>(kModelEdgeLabels)));
      weights.push_back(uniform(rng, graphs.back().num_edges(), 0, 1));
    }
  }
};

std::vector<Sample> samples() {
  Rng rng(5);
  std::vector<Sample> out;
  for (Node i = 0; i < kSizes; ++i) out.emplace_back(rng, 6 + i, kGraphs / kSizes);
  return out;
}

/// By entries u < v of [B, N, N].
torch::Tensor upper_weights(const Sample& sample, const DenseBatch& batch) {
  torch::Tensor out = torch::zeros_like(batch.edges);
  auto at = out.accessor<double, 3>();
  for (std::size_t b = 0; b < sample.graphs.size(); ++b) {
    std::size_t e = 0;
    for (const Edge& edge : sample.graphs[b].edges()) {
      at[static_cast<std::int64_t>(b)][edge.u][edge.v] = sample.weights[b][e++];
    }
  }
  return out.requires_grad_(true);
}

torch::Tensor by_weights(const torch::Tensor& values, std::span<const float> scale,
                         const torch::Tensor& weights) {
  const torch::Tensor factors =
      torch::tensor(std::vector<double>(scale.begin(), scale.end()), torch::kFloat64);
  return torch::autograd::grad({(values * factors).sum()}, {weights}, {}, /*retain_graph=*/true)[0];
}

struct Tally {
  std::size_t left_out = 0;  ///< wrong, but beside a kink
  std::size_t alive = 0;     ///< gradients that are not zero
  double worst = 0;          ///< of those not left out
};

/// ‖difference‖/‖reference‖
double relative_error(const Graph& g, std::span<const float> ours, const torch::Tensor& matrix,
                      Tally& tally) {
  const auto reference = matrix.accessor<double, 2>();
  double difference = 0;
  double length = 0;
  std::size_t e = 0;
  for (const Edge& edge : g.edges()) {
    const double expected = reference[edge.u][edge.v];
    difference += (ours[e] - expected) * (ours[e] - expected);
    length += expected * expected;
    ++e;
  }
  if (length == 0) return difference == 0 ? 0 : INFINITY;
  ++tally.alive;
  return std::sqrt(difference / length);
}

void compare_sample(const Sample& sample, const ModelMaker& maker, WeightedModel& model, Rng& rng,
                    Tally& tally) {
  const DenseModel dense(maker.spec, maker.weights);
  DenseBatch batch(sample.graphs);
  const torch::Tensor upper = upper_weights(sample, batch);
  batch.weights = upper + upper.transpose(1, 2);
  const DenseModel::Output expected = dense.evaluate(batch);
  const auto logit_scale = uniform(rng, model.num_classes(), -1, 1);
  const auto pooled_scale = uniform(rng, model.pooled_size(), -1, 1);
  const torch::Tensor by_logits = by_weights(expected.logits, logit_scale, upper);
  const torch::Tensor by_pooled = by_weights(expected.pooled, pooled_scale, upper);
  const auto kinks = expected.nearest_kink.accessor<double, 1>();
  for (std::size_t i = 0; i < sample.graphs.size(); ++i) {
    const auto b = static_cast<std::int64_t>(i);
    const Graph& g = sample.graphs[i];
    model.evaluate(g, sample.weights[i]);
    for (std::size_t c = 0; c < model.num_classes(); ++c) {
      const auto logit = expected.logits[b][static_cast<std::int64_t>(c)].item<double>();
      EXPECT_NEAR(model.logits()[c], logit, 1e-4 * std::max(1.0, std::abs(logit)));
    }
    std::vector<float> gradient(g.num_edges());
    model.logit_gradient(logit_scale, gradient);
    double error = relative_error(g, gradient, by_logits[b], tally);
    model.pooled_gradient(pooled_scale, gradient);
    error = std::max(error, relative_error(g, gradient, by_pooled[b], tally));
    if (error > kTolerance && kinks[b] < kKink) {
      ++tally.left_out;
      continue;
    }
    tally.worst = std::max(tally.worst, error);
    EXPECT_LE(error, kTolerance) << g.num_nodes() << " nodes, graph " << i;
  }
}

/// All that the architectures of one test leave out, and the worst error among them, go into the
/// test's XML output.
void expect_gradients_of_autograd(const Variant& variant, Tally& total) {
  static const std::vector<Sample> all = samples();
  const ModelMaker maker(variant, kWidth, 77);
  const NativeClassifier native(maker.spec, maker.weights, "random weights");
  const auto model = native.weighted();
  Rng rng(9);
  Tally tally;
  for (const Sample& sample : all) compare_sample(sample, maker, *model, rng, tally);
  EXPECT_LT(tally.left_out, kGraphs / 100);
  EXPECT_GT(tally.alive, kGraphs);  // of twice as many
  total.left_out += tally.left_out;
  total.worst = std::max(total.worst, tally.worst);
  testing::Test::RecordProperty("left_out", std::to_string(total.left_out));
  testing::Test::RecordProperty("worst", (std::ostringstream() << total.worst).str());
}

struct Layer {
  const char* name;
  Variant variant;
};

class GradientTorchTest : public testing::TestWithParam<Layer> {};

INSTANTIATE_TEST_SUITE_P(
    All, GradientTorchTest,
    testing::Values(Layer{"gcn", {.conv = Conv::kGcn}}, Layer{"gin", {.conv = Conv::kGin}},
                    Layer{"gin_epsilon_norm",
                          {.conv = Conv::kGin, .eps = true, .inner_norm = true}},
                    Layer{"sage_mean", {.conv = Conv::kSage, .aggregate = Aggregation::kMean}},
                    Layer{"sage_sum", {.conv = Conv::kSage, .aggregate = Aggregation::kSum}},
                    Layer{"sage_max", {.conv = Conv::kSage, .aggregate = Aggregation::kMax}},
                    Layer{"gat", {.conv = Conv::kGat}},
                    Layer{"gat_joined_heads", {.conv = Conv::kGat, .heads = 2, .concat = true}},
                    Layer{"gat_mean_of_heads", {.conv = Conv::kGat, .heads = 2, .concat = false}},
                    Layer{"gat_edges", {.conv = Conv::kGat, .heads = 2, .edges = true}},
                    Layer{"gine", {.conv = Conv::kGine, .edge_input = EdgeInput::kShared}},
                    Layer{"gine_embeddings",
                          {.conv = Conv::kGine,
                           .eps = true,
                           .inner_norm = true,
                           .edge_input = EdgeInput::kOwn,
                           .node_embedding = 12}},
                    Layer{"gine_leaky_norm_last",
                          {.conv = Conv::kGine,
                           .activation = Activation::kLeakyRelu,
                           .norm_last = true,
                           .mlp_activation = Activation::kTanh,
                           .head_activation = Activation::kSigmoid,
                           .more_poolings = {Aggregation::kSum}}},
                    Layer{"gcn_embedding", {.conv = Conv::kGcn, .node_embedding = 4}}),
    [](const auto& test) { return std::string(test.param.name); });

TEST_P(GradientTorchTest, EveryPoolingJumpNormAndHead) {
  Tally total;
  for (const auto pooling : {Aggregation::kMean, Aggregation::kSum, Aggregation::kMax}) {
    for (const bool jumping : {false, true}) {
      for (const Norm norm : {Norm::kNone, Norm::kAffine}) {
        for (const std::vector<std::int64_t>& widths :
             {std::vector<std::int64_t>{}, {13}, {12, 9}}) {
          SCOPED_TRACE(testing::Message()
                       << "pooling " << static_cast<int>(pooling) << ", jumping " << jumping
                       << ", norm " << static_cast<int>(norm) << ", head " << widths.size());
          Variant variant = GetParam().variant;
          variant.pooling = pooling;
          variant.jumping = jumping;
          variant.norm = norm;
          variant.head_widths = widths;
          variant.head_norm = norm != Norm::kNone;
          std::erase(variant.more_poolings, pooling);
          variant.classes = widths.empty() ? 2 : 3;
          expect_gradients_of_autograd(variant, total);
        }
      }
    }
  }
}

TEST_P(GradientTorchTest, OtherActivations) {
  Tally total;
  for (const auto activation : {Activation::kElu, Activation::kNone}) {
    for (const auto pooling : {Aggregation::kMean, Aggregation::kMax}) {
      SCOPED_TRACE(testing::Message() << "activation " << static_cast<int>(activation)
                                      << ", pooling " << static_cast<int>(pooling));
      Variant variant = GetParam().variant;
      variant.activation = activation;
      variant.pooling = pooling;
      expect_gradients_of_autograd(variant, total);
    }
  }
}

TEST(GradientRefusalTest, OfWhatCannotBeUndoneThereIsNone) {
  for (const Variant& variant :
       {Variant{.activation = Activation::kGelu},
        Variant{.conv = Conv::kGin, .mlp_activation = Activation::kGelu},
        Variant{.head_widths = {9}, .head_activation = Activation::kGelu}}) {
    const ModelMaker maker(variant, kWidth, 77);
    EXPECT_EQ(NativeClassifier(maker.spec, maker.weights, "").weighted(), nullptr);
  }
}

}  // namespace
}  // namespace fewedits
