// SPDX-License-Identifier: MIT
// The published classifiers on the published data, and how the engine treats misfits.
#include "fewedits/classifier/native/native_classifier.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "fewedits/base/error.hpp"
#include "fewedits/edit/neighbours.hpp"
#include "fewedits/formats/metadata.hpp"
#include "fewedits/formats/tu_reader.hpp"
#include "support/shared.hpp"

namespace fewedits {
namespace {

struct Published {
  const char* folder;
  const char* dataset;
  std::size_t undesired;  ///< inputs predicted class 0 (SPEC §2)
};

class PublishedModelTest : public testing::TestWithParam<Published> {};

struct GoldenRow {
  std::size_t graph;
  std::int64_t source;
  std::size_t predicted;
  float logprob[2];
};

std::vector<GoldenRow> read_golden(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  EXPECT_EQ(line, "graph,tu_graph,predicted,logprob0,logprob1");
  std::vector<GoldenRow> rows;
  while (std::getline(file, line)) {
    GoldenRow row{};
    char comma = 0;
    std::istringstream(line) >> row.graph >> comma >> row.source >> comma >> row.predicted >>
        comma >> row.logprob[0] >> comma >> row.logprob[1];
    rows.push_back(row);
  }
  return rows;
}

TEST_P(PublishedModelTest, ReproducesTheAuthorsOutputsAlsoWhenPermuted) {
  const Published& p = GetParam();
  const auto golden_file = std::filesystem::path("golden") / p.folder / "predictions.csv";
  FEWEDITS_REQUIRE_SHARED(golden_file);
  const auto root = test::shared_root();
  const Dataset data =
      prepare(read_tu(root / "datasets" / p.dataset), builtin_metadata(p.dataset).value());
  const auto golden = read_golden(root / golden_file);
  ASSERT_EQ(golden.size(), data.size());

  Rng rng(23);
  std::vector<Graph> permuted;
  for (const Graph& g : data.graphs) {
    permuted.push_back(g.permuted(test::random_permutation(rng, g.num_nodes())));
  }
  ThreadPool pool(2);
  for (const Kernels* kernels : available_kernels()) {
    const auto model = load_classifier(root / "models" / p.folder / "gcn.pth", *kernels);
    ASSERT_EQ(model.num_classes(), 2U);
    ASSERT_EQ(model.num_labels(), data.node_labels.size());
    for (const auto* graphs : {&data.graphs, &std::as_const(permuted)}) {
      std::vector<float> out(graphs->size() * 2);
      model.log_probabilities(*graphs, out, pool);
      std::size_t undesired = 0;
      for (std::size_t i = 0; i < golden.size(); ++i) {
        const std::span<const float> row(&out[2 * i], 2);
        ASSERT_EQ(golden[i].graph, i);
        ASSERT_EQ(golden[i].source, data.source_index[i]);
        EXPECT_EQ(predicted_class(row), golden[i].predicted) << "graph " << i;
        EXPECT_NEAR(row[0], golden[i].logprob[0], 1e-4) << "graph " << i;
        EXPECT_NEAR(row[1], golden[i].logprob[1], 1e-4) << "graph " << i;
        undesired += predicted_class(row) == 0 ? 1U : 0U;
      }
      EXPECT_EQ(undesired, p.undesired);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, PublishedModelTest,
                         testing::Values(Published{"aids", "AIDS", 1473},
                                         Published{"mutagenicity", "Mutagenicity", 2438},
                                         Published{"nci1", "NCI1", 1971},
                                         Published{"proteins", "PROTEINS", 366}),
                         [](const auto& test) { return std::string(test.param.folder); });

// A two-layer network with random weights; `labels` one-hot inputs.
struct Random {
  ModelSpec spec;
  StateDict weights;
};

Random random_network(Rng& rng, std::int64_t labels, std::int64_t width, std::int64_t classes) {
  Random net;
  const auto tensor = [&](std::vector<std::int64_t> shape) {
    Tensor t{DType::kFloat32, std::move(shape), {}};
    std::vector<float> values(static_cast<std::size_t>(t.numel()));
    for (float& x : values) x = static_cast<float>(rng.uniform() * 2 - 1);
    return Tensor::from_floats(t.shape, values);
  };
  net.spec.layers = {LayerSpec{.weights = "c0"}, LayerSpec{.weights = "c1"}};
  net.spec.head = {{"fc", ""}};
  net.weights["c0.lin.weight"] = tensor({width, labels});
  net.weights["c0.bias"] = tensor({width});
  net.weights["c1.lin.weight"] = tensor({width, width});
  net.weights["fc.weight"] = tensor({classes, width});
  net.weights["fc.bias"] = tensor({classes});
  return net;
}

void expect_refused(const Random& net, const std::string& part) {
  try {
    const NativeClassifier model(net.spec, net.weights, "model.pt");
    FAIL() << "accepted, expected a message with " << part;
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("model.pt"));
    EXPECT_THAT(error.what(), testing::HasSubstr(part));
  }
}

TEST(NativeClassifierTest, BatchesAndThreadsDoNotChangeAnything) {
  Rng rng(31);
  const Random net = random_network(rng, 4, 20, 3);
  const NativeClassifier model(net.spec, net.weights, "");
  std::vector<Graph> graphs;
  for (int i = 0; i < 300; ++i) {
    graphs.push_back(test::random_graph(rng, static_cast<Node>(1 + rng.below(50)), 5, 4));
  }
  ThreadPool one(1);
  ThreadPool four(4);
  std::vector<float> together(900);
  std::vector<float> threaded(900);
  std::vector<float> alone(900);
  model.log_probabilities(graphs, together, one);
  model.log_probabilities(graphs, threaded, four);
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    model.log_probabilities({&graphs[i], 1}, std::span(alone).subspan(3 * i, 3), one);
  }
  EXPECT_EQ(together, threaded);
  EXPECT_EQ(together, alone);
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    double total = 0;
    for (std::size_t c = 0; c < 3; ++c) total += std::exp(together[3 * i + c]);
    EXPECT_NEAR(total, 1.0, 1e-5);
  }
}

TEST(NativeClassifierTest, NeighboursAreAsFromScratchToTheLastBit) {
  Rng rng(34);
  const Random net = random_network(rng, 4, 20, 3);
  const NativeClassifier model(net.spec, net.weights, "");
  ThreadPool pool(2);
  for (const Node n : {1U, 2U, 9U, 40U}) {
    const Graph graph = test::random_graph(rng, n, n / 4, 4);
    std::vector<Edit> edits = neighbours(graph, {.num_labels = 4});
    edits.insert(edits.begin(), Edit{});
    std::vector<Graph> built;
    for (const Edit& edit : edits) built.push_back(apply(graph, edit));
    std::vector<float> out(3 * built.size());
    std::vector<float> expected(3 * built.size());
    model.neighbour_log_probabilities(graph, edits, built, out, pool);
    model.log_probabilities(built, expected, pool);
    EXPECT_EQ(out, expected) << n << " nodes";
  }
}

TEST(NativeClassifierTest, EmptyGraphsPoolToZero) {
  Rng rng(32);
  const Random net = random_network(rng, 4, 8, 2);
  const NativeClassifier model(net.spec, net.weights, "");
  ThreadPool pool(1);
  const Graph empty;
  std::vector<float> out(2);
  model.log_probabilities({&empty, 1}, out, pool);
  const auto bias = net.weights.at("fc.bias").to_floats();
  EXPECT_NEAR(out[0] - out[1], bias[0] - bias[1], 1e-6);
  model.log_probabilities({}, {}, pool);
}

TEST(NativeClassifierTest, RefusesLabelsItDoesNotKnow) {
  Rng rng(33);
  const Random net = random_network(rng, 4, 8, 2);
  const NativeClassifier model(net.spec, net.weights, "");
  ThreadPool pool(2);
  const std::vector<Label> labels{0, 4};
  const Graph g(labels, {});
  std::vector<float> out(2);
  EXPECT_THROW(model.log_probabilities({&g, 1}, out, pool), Error);
}

TEST(NativeClassifierTest, NamesTheTensorThatDoesNotFit) {
  Rng rng(34);
  const Random good = random_network(rng, 4, 8, 2);
  Random bad = good;
  bad.weights.erase("c1.lin.weight");
  expect_refused(bad, "c1.weight");
  bad = good;
  bad.weights["c1.lin.weight"] = Tensor::from_floats({2, 3}, std::vector<float>(6, 1.0F));
  expect_refused(bad, "'c1'");
  bad = good;
  bad.weights["fc.bias"] = Tensor::from_floats({3}, {1, 2, 3});
  expect_refused(bad, "fc.bias");
  bad = good;
  bad.weights["c0.bias"] = Tensor{DType::kInt32, {8}, std::vector<std::byte>(32)};
  expect_refused(bad, "int32");
  bad = good;
  bad.weights["fc.weight"] = Tensor::from_floats({2, 8}, std::vector<float>(16, NAN));
  expect_refused(bad, "not finite");
  bad = good;
  bad.spec.node_labels = {"C"};
  expect_refused(bad, "node labels");
  bad = good;
  bad.spec.layers[1].batch_norm = "bn";
  expect_refused(bad, "bn.running_mean");
  bad = good;
  bad.spec.head.clear();
  expect_refused(bad, "head");
}

}  // namespace
}  // namespace fewedits
