// SPDX-License-Identifier: MIT
// The native engine against libtorch: every layer type, from the same random weights.
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "fewedits/base/parallel.hpp"
#include "fewedits/base/rng.hpp"
#include "fewedits/classifier/native/kernels.hpp"
#include "fewedits/classifier/native/native_classifier.hpp"
#include "fewedits/edit/neighbours.hpp"
#include "support/dense_model.hpp"
#include "support/random_model.hpp"
#include "support/shared.hpp"

namespace fewedits {
namespace {

using test::EdgeInput;
using test::kModelEdgeLabels;
using test::kModelLabels;
using test::ModelMaker;
using test::Norm;
using test::Variant;

constexpr double kTolerance = 1e-4;

/// Molecule-like graphs and the odd ones: no node, one node, isolated nodes, two components,
/// a star.
std::vector<Graph> test_graphs() {
  Rng rng(11);
  std::vector<Graph> graphs{Graph()};
  for (const Node n : {1U, 2U, 3U, 8U, 17U, 30U, 61U}) {
    graphs.push_back(test::random_graph(rng, n, n / 4, static_cast<Label>(kModelLabels)));
  }
  graphs.emplace_back(std::vector<Label>{3, 1, 4, 1, 5}, std::vector<Edge>{});
  graphs.emplace_back(std::vector<Label>{0, 1, 2, 3, 4, 5, 6},
                      std::vector<Edge>{{0, 1}, {1, 2}, {0, 2}, {4, 5}});
  std::vector<Edge> star;
  for (Node v = 1; v < 24; ++v) star.push_back({0, v});
  graphs.emplace_back(std::vector<Label>(24, 2), star);
  return graphs;
}

/// The same with labels on their edges.
std::vector<Graph> labelled_graphs() {
  Rng rng(12);
  std::vector<Graph> out;
  for (const Graph& g : test_graphs()) {
    std::vector<Edge> edges = g.edges();
    for (Edge& e : edges) e.label = static_cast<Label>(rng.below(kModelEdgeLabels));
    out.emplace_back(g.labels(), edges, Graph::EdgeLabels::kPresent);
  }
  return out;
}

/// To the last bit, though only what an edit reaches is computed.
void expect_neighbours_as_from_scratch(const NativeClassifier& native,
                                       const std::vector<Graph>& graphs) {
  ThreadPool pool(2);
  for (const Graph& g : graphs) {
    const std::vector<Edit> edits =
        neighbours(g, {.num_labels = static_cast<std::size_t>(kModelLabels),
                       .frozen = {},
                       .num_edge_labels = native.num_edge_labels()});
    const std::size_t every = edits.size() / 40 + 1;
    std::vector<Edit> some{Edit{}};
    std::vector<Graph> built{g};
    for (std::size_t i = 0; i < edits.size(); i += every) {
      some.push_back(edits[i]);
      built.push_back(apply(g, edits[i]));
    }
    std::vector<float> out(some.size() * native.num_classes());
    std::vector<float> expected(out.size());
    native.neighbour_log_probabilities(g, some, built, out, pool);
    native.log_probabilities(built, expected, pool);
    EXPECT_EQ(out, expected) << "of a graph of " << g.num_nodes() << " nodes";
  }
}

void expect_same(const Variant& variant, std::int64_t width) {
  const ModelMaker model(variant, width, static_cast<std::uint64_t>(width) + 100);
  static const std::vector<Graph> plain = test_graphs();
  static const std::vector<Graph> labelled = labelled_graphs();
  const std::vector<Graph>& graphs = variant.reads_edges() ? labelled : plain;
  const test::DenseModel dense(model.spec, model.weights);
  ThreadPool pool(2);
  const auto classes = static_cast<std::size_t>(variant.classes);
  std::vector<torch::Tensor> expected;
  for (const Graph& g : graphs) expected.push_back(dense.log_probabilities(g));
  // Narrow random networks may die in ReLU; the wide ones must tell the graphs apart.
  const torch::Tensor spread = torch::stack(expected).std(0, /*unbiased=*/false).max();
  if (width >= 20) {
    EXPECT_GT(spread.item<double>(), 0.02) << "width " << width;
  }
  for (const Kernels* kernels : available_kernels()) {
    const NativeClassifier native(model.spec, model.weights, "random weights", *kernels);
    ASSERT_EQ(native.num_classes(), classes);
    ASSERT_EQ(native.num_labels(), static_cast<std::size_t>(kModelLabels));
    ASSERT_EQ(native.num_edge_labels(),
              variant.reads_edges() ? static_cast<std::size_t>(kModelEdgeLabels) : 0U);
    std::vector<float> out(graphs.size() * classes);
    native.log_probabilities(graphs, out, pool);
    for (std::size_t i = 0; i < out.size(); ++i) {
      const torch::Tensor& row = expected[i / classes];
      EXPECT_NEAR(out[i], row[static_cast<std::int64_t>(i % classes)].item<double>(), kTolerance)
          << kernels->name << ", width " << width << ", graph " << i / classes << " with "
          << graphs[i / classes].num_nodes() << " nodes";
    }
    expect_neighbours_as_from_scratch(native, graphs);
  }
}

void expect_same(const Variant& variant) {
  for (const std::int64_t width : {1, 5, 20, 33, 64}) expect_same(variant, width);
}

// ---- the layers -----------------------------------------------------------------------

TEST(LayersTorchTest, GcnInBothLayouts) {
  for (const bool older : {true, false}) expect_same({.conv = Conv::kGcn, .older_names = older});
}

TEST(LayersTorchTest, GinWithAndWithoutEpsilonAndInnerNorm) {
  for (const bool eps : {true, false}) {
    for (const bool inner : {true, false}) {
      expect_same({.conv = Conv::kGin, .eps = eps, .inner_norm = inner});
      expect_same({.conv = Conv::kGin, .eps = eps, .inner_norm = inner, .inner_norm_last = inner},
                  20);
    }
  }
}

TEST(LayersTorchTest, SageWithEveryAggregation) {
  for (const auto how : {Aggregation::kMean, Aggregation::kSum, Aggregation::kMax}) {
    expect_same({.conv = Conv::kSage, .aggregate = how});
  }
}

TEST(LayersTorchTest, GatWithEveryKindOfHeads) {
  for (const bool older : {true, false}) {
    for (const int heads : {1, 4}) {
      for (const bool concat : {true, false}) {
        expect_same({.conv = Conv::kGat, .older_names = older, .heads = heads, .concat = concat});
      }
    }
  }
}

constexpr EdgeInput kEdgeInputs[] = {EdgeInput::kOneHot, EdgeInput::kShared, EdgeInput::kOwn};

TEST(LayersTorchTest, GineWithEveryKindOfEdges) {
  for (const EdgeInput input : kEdgeInputs) {
    expect_same({.conv = Conv::kGine, .eps = true, .edge_input = input});
    expect_same({.conv = Conv::kGine,
                 .inner_norm = true,
                 .pooling = Aggregation::kSum,
                 .jumping = true,
                 .head_widths = {13},
                 .edge_input = input,
                 .node_embedding = 9},
                20);
  }
}

TEST(LayersTorchTest, GatWithEdges) {
  for (const EdgeInput input : kEdgeInputs) {
    for (const int heads : {1, 4}) {
      for (const bool concat : {true, false}) {
        expect_same({.conv = Conv::kGat,
                     .heads = heads,
                     .concat = concat,
                     .edges = true,
                     .edge_input = input},
                    20);
      }
    }
  }
}

TEST(LayersTorchTest, EmbeddedLabelsBeforeEveryLayer) {
  for (const Conv conv : {Conv::kGcn, Conv::kGin, Conv::kSage, Conv::kGat, Conv::kGine}) {
    for (const auto how : {Aggregation::kMean, Aggregation::kMax}) {
      expect_same({.conv = conv, .aggregate = how, .node_embedding = 6}, 20);
    }
  }
  expect_same({.conv = Conv::kGat, .node_embedding = 100}, 5);  // wider than any layer
}

constexpr Conv kConvs[] = {Conv::kGcn, Conv::kGin, Conv::kSage, Conv::kGat, Conv::kGine};

TEST(LayersTorchTest, PoolingAndJumping) {
  for (const Conv conv : kConvs) {
    for (const auto pooling : {Aggregation::kMean, Aggregation::kSum, Aggregation::kMax}) {
      for (const bool jumping : {true, false}) {
        expect_same({.conv = conv, .pooling = pooling, .jumping = jumping}, 20);
        expect_same({.conv = conv, .pooling = pooling, .jumping = jumping}, 5);
      }
    }
  }
}

TEST(LayersTorchTest, NormsAndActivations) {
  for (const Conv conv : kConvs) {
    for (const Norm norm : {Norm::kNone, Norm::kAffine, Norm::kPlain}) {
      for (const auto activation : {Activation::kRelu, Activation::kElu, Activation::kNone}) {
        expect_same({.conv = conv, .heads = 2, .norm = norm, .activation = activation}, 20);
        expect_same({.conv = conv, .heads = 2, .norm = norm, .activation = activation}, 5);
      }
    }
  }
}

constexpr Activation kActivations[] = {Activation::kLeakyRelu, Activation::kGelu, Activation::kTanh,
                                       Activation::kSigmoid, Activation::kElu};

TEST(LayersTorchTest, OtherActivationsEverywhereAndNormsBehindThem) {
  for (const Activation activation : kActivations) {
    for (const Conv conv : kConvs) {
      expect_same({.conv = conv,
                   .activation = activation,
                   .jumping = true,
                   .norm_last = true,
                   .mlp_activation = activation},
                  20);
    }
    expect_same({.head_widths = {13}, .head_activation = activation}, 20);
  }
}

TEST(LayersTorchTest, PoolingsSideBySideAndOneLogit) {
  for (const Conv conv : {Conv::kGcn, Conv::kGine}) {
    for (const bool jumping : {true, false}) {
      expect_same({.conv = conv,
                   .pooling = Aggregation::kMean,
                   .jumping = jumping,
                   .more_poolings = {Aggregation::kMax, Aggregation::kSum},
                   .output = Output::kSigmoid},
                  20);
    }
  }
}

TEST(LayersTorchTest, HeadsAndNumbersOfClasses) {
  for (std::int64_t classes = 2; classes <= 5; ++classes) {
    expect_same({.classes = classes}, 20);
    expect_same({.head_widths = {13}, .classes = classes}, 20);
    expect_same({.jumping = true, .head_widths = {40, 9}, .head_norm = true, .classes = classes},
                33);
  }
}

}  // namespace
}  // namespace fewedits
