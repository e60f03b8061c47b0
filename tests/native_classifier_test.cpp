// SPDX-License-Identifier: MIT
// The published classifiers on the published data, and how the engine treats misfits.
#include "fewedits/classifier/native/native_classifier.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "fewedits/base/error.hpp"
#include "fewedits/classifier/aligned_classifier.hpp"
#include "fewedits/edit/neighbours.hpp"
#include "fewedits/formats/metadata.hpp"
#include "fewedits/formats/tu_reader.hpp"
#include "support/fake_classifier.hpp"
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

// --- Labels and classes in another order --------------------------------------------------------

constexpr Label kEdgeLabels = 3;
const std::vector<std::string> kAtoms{"C", "O", "Cl", "H", "N"};

/// Two layers of a kind, on the atoms by name, with classes "a", "b", …
Random named_network(Rng& rng, Conv conv, Aggregation aggregate, std::int64_t classes) {
  constexpr std::int64_t kWidth = 12;
  Random net;
  const auto add = [&](const std::string& name, const std::vector<std::int64_t>& shape) {
    Tensor t{DType::kFloat32, shape, {}};
    std::vector<float> values(static_cast<std::size_t>(t.numel()));
    for (float& x : values) x = static_cast<float>(rng.uniform() * 2 - 1);
    net.weights[name] = Tensor::from_floats(shape, values);
  };
  auto in = static_cast<std::int64_t>(kAtoms.size());
  for (const std::string name : {"c0", "c1"}) {
    net.spec.layers.push_back({.conv = conv, .weights = name, .aggregate = aggregate, .heads = 2});
    switch (conv) {
      case Conv::kGcn: add(name + ".lin.weight", {kWidth, in}); break;
      case Conv::kGine: add(name + ".lin.weight", {in, kEdgeLabels}); [[fallthrough]];
      case Conv::kGin:
        add(name + ".nn.0.weight", {kWidth + 3, in});
        add(name + ".nn.0.bias", {kWidth + 3});
        add(name + ".nn.2.weight", {kWidth, kWidth + 3});
        break;
      case Conv::kSage:
        add(name + ".lin_l.weight", {kWidth, in});
        add(name + ".lin_r.weight", {kWidth, in});
        break;
      case Conv::kGat:
        add(name + ".lin.weight", {kWidth, in});
        add(name + ".att_src", {1, 2, kWidth / 2});
        add(name + ".att_dst", {1, 2, kWidth / 2});
    }
    in = kWidth;
  }
  net.spec.head = {{"fc0", ""}, {"fc1", ""}};
  add("fc0.weight", {9, kWidth});
  add("fc0.bias", {9});
  add("fc1.weight", {classes, 9});
  add("fc1.bias", {classes});
  net.spec.node_labels = kAtoms;
  for (std::int64_t c = 0; c < classes; ++c) {
    net.spec.classes.push_back(std::string(1, static_cast<char>('a' + c)));
  }
  return net;
}

/// Labels and classes by those names.
Dataset named_dataset(const std::vector<std::string>& labels,
                      const std::vector<std::string>& classes) {
  Dataset data;
  for (Label l = 0; l < kEdgeLabels; ++l) data.edge_labels.push_back({l, std::to_string(l)});
  for (const std::string& name : labels) {
    data.node_labels.push_back({static_cast<std::int64_t>(data.node_labels.size()), name});
  }
  for (const std::string& name : classes) {
    data.class_labels.push_back({static_cast<std::int64_t>(data.class_labels.size()), name});
  }
  return data;
}

std::vector<Graph> graphs_with(std::size_t labels, Rng& rng) {
  std::vector<Graph> out{Graph()};
  for (int i = 0; i < 40; ++i) {
    const auto nodes = static_cast<Node>(1 + rng.below(25));
    out.push_back(
        test::random_graph(rng, nodes, rng.below(6), static_cast<Label>(labels), kEdgeLabels));
  }
  return out;
}

std::vector<float> answers(const Classifier& model, std::span<const Graph> graphs) {
  ThreadPool pool(2);
  std::vector<float> out(graphs.size() * model.num_classes());
  model.log_probabilities(graphs, out, pool);
  return out;
}

std::vector<float> neighbour_answers(const Classifier& model, const Graph& graph,
                                     std::size_t labels) {
  std::vector<Edit> edits = neighbours(graph, {.num_labels = labels});
  edits.insert(edits.begin(), Edit{});
  std::vector<Graph> built;
  for (const Edit& edit : edits) built.push_back(apply(graph, edit));
  ThreadPool pool(2);
  std::vector<float> out(built.size() * model.num_classes());
  model.neighbour_log_probabilities(graph, edits, built, out, pool);
  return out;
}

std::vector<std::string> strings(std::span<const std::string> names) {
  return {names.begin(), names.end()};
}

struct Renumbered {
  const char* name;
  Conv conv;
  Aggregation aggregate;
};

class RenumberTest : public testing::TestWithParam<Renumbered> {
 protected:
  [[nodiscard]] Random network(Rng& rng, std::int64_t classes) const {
    return named_network(rng, GetParam().conv, GetParam().aggregate, classes);
  }
};

INSTANTIATE_TEST_SUITE_P(, RenumberTest,
                         testing::Values(Renumbered{"gcn", Conv::kGcn, Aggregation::kMean},
                                         Renumbered{"gin", Conv::kGin, Aggregation::kMean},
                                         Renumbered{"sage", Conv::kSage, Aggregation::kMean},
                                         Renumbered{"sage_sum", Conv::kSage, Aggregation::kSum},
                                         Renumbered{"gat", Conv::kGat, Aggregation::kMean},
                                         Renumbered{"gine", Conv::kGine, Aggregation::kMean}),
                         [](const auto& test) { return std::string(test.param.name); });

TEST_P(RenumberTest, AnswersAreThoseOfTheWrapperToTheLastBit) {
  Rng rng(41);
  const Random net = network(rng, 2);
  // Another order, and fewer labels than the model knows.
  for (const std::vector<std::string>& labels : {std::vector<std::string>{"N", "H", "C", "Cl", "O"},
                                                 std::vector<std::string>{"H", "C", "O"}, kAtoms}) {
    for (const std::vector<std::string>& classes :
         {std::vector<std::string>{"a", "b"}, std::vector<std::string>{"b", "a"}}) {
      const Dataset data = named_dataset(labels, classes);
      const auto graphs = graphs_with(labels.size(), rng);
      for (const Kernels* kernels : available_kernels()) {
        const NativeClassifier plain(net.spec, net.weights, "", *kernels);
        const AlignedClassifier wrapped(data, plain);
        NativeClassifier renumbered(net.spec, net.weights, "", *kernels);
        const Alignment to(data, renumbered);
        ASSERT_TRUE(renumbered.renumber(to.labels, to.classes));
        EXPECT_EQ(renumbered.num_labels(), labels.size());
        EXPECT_EQ(renumbered.num_classes(), 2U);
        EXPECT_EQ(strings(renumbered.label_names()), labels);
        EXPECT_EQ(strings(renumbered.class_names()), classes);
        EXPECT_EQ(strings(wrapped.label_names()), labels);
        EXPECT_EQ(strings(wrapped.class_names()), classes);
        EXPECT_EQ(answers(renumbered, graphs), answers(wrapped, graphs)) << kernels->name;
        for (const std::size_t i : {1U, 2U, 3U}) {
          EXPECT_EQ(neighbour_answers(renumbered, graphs[i], labels.size()),
                    neighbour_answers(wrapped, graphs[i], labels.size()))
              << kernels->name;
        }
        EXPECT_TRUE(Alignment(data, renumbered).is_identity(renumbered));
      }
    }
  }
}

TEST_P(RenumberTest, ThereAndBackIsTheModelItself) {
  Rng rng(42);
  const Random net = network(rng, 3);
  const NativeClassifier plain(net.spec, net.weights, "");
  NativeClassifier turned(net.spec, net.weights, "");
  const auto graphs = graphs_with(kAtoms.size(), rng);
  const std::vector<Label> labels{3, 0, 4, 1, 2};
  const std::vector<Label> labels_back{1, 3, 4, 0, 2};
  const std::vector<std::size_t> classes{2, 0, 1};
  const std::vector<std::size_t> classes_back{1, 2, 0};
  ASSERT_TRUE(turned.renumber(labels, classes));
  EXPECT_NE(answers(turned, graphs), answers(plain, graphs));
  ASSERT_TRUE(turned.renumber(labels_back, classes_back));
  EXPECT_EQ(answers(turned, graphs), answers(plain, graphs));
  EXPECT_EQ(strings(turned.label_names()), kAtoms);
  EXPECT_EQ(strings(turned.class_names()), (std::vector<std::string>{"a", "b", "c"}));
}

/// Sums of three terms depend on their order, by a bit.
TEST_P(RenumberTest, AModelWithRenumberedClassesAnswersAsAWrappedOne) {
  Rng rng(43);
  const Random net = network(rng, 4);
  const Dataset data = named_dataset({"Cl", "N", "O", "H", "C"}, {"c", "a", "d", "b"});
  const NativeClassifier plain(net.spec, net.weights, "");
  const AlignedClassifier wrapped(data, plain);
  const auto renumbered =
      aligned(std::make_unique<NativeClassifier>(net.spec, net.weights, ""), data);
  const auto graphs = graphs_with(kAtoms.size(), rng);
  const auto expected = answers(wrapped, graphs);
  const auto actual = answers(*renumbered, graphs);
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    EXPECT_NEAR(actual[i], expected[i], 1e-5 * (1 + std::abs(expected[i])));
  }
}

TEST(AlignedTest, RenumbersWhatItCanAndWrapsTheRest) {
  Rng rng(44);
  const Random net = named_network(rng, Conv::kSage, Aggregation::kMax, 2);
  const Dataset same = named_dataset(kAtoms, {"a", "b"});
  const Dataset other = named_dataset({"O", "Cl", "N"}, {"b", "a"});
  const auto make = [&] { return std::make_unique<NativeClassifier>(net.spec, net.weights, ""); };
  const NativeClassifier plain(net.spec, net.weights, "");

  auto model = make();
  const Classifier* const as_it_was = model.get();
  const auto unchanged = aligned(std::move(model), same);
  EXPECT_EQ(unchanged.get(), as_it_was);
  const auto turned = aligned(make(), other);
  EXPECT_EQ(dynamic_cast<const AlignedClassifier*>(turned.get()), nullptr);
  EXPECT_EQ(turned->num_labels(), 3U);
  const auto graphs = graphs_with(3, rng);
  const auto expected = answers(AlignedClassifier(other, plain), graphs);
  const auto actual = answers(*turned, graphs);
  for (std::size_t i = 0; i < actual.size(); ++i) {
    EXPECT_NEAR(actual[i], expected[i], 1e-5 * (1 + std::abs(expected[i])));
  }
  // By name and without renumbering: only wrapped is it the dataset's.
  struct Named final : test::FakeClassifier {
    Named()
        : FakeClassifier(2, 2, [](const Graph& g) {
            const double p = g.label(0) == 0 ? 0.9 : 0.2;
            return std::vector<double>{1 - p, p};
          }) {}
    [[nodiscard]] std::span<const std::string> label_names() const override { return labels; }
    [[nodiscard]] std::span<const std::string> class_names() const override { return classes; }
    std::vector<std::string> labels{"x", "y"};
    std::vector<std::string> classes{"no", "yes"};
  };
  const auto wrapped = aligned(std::make_unique<Named>(), named_dataset({"y", "x"}, {"yes", "no"}));
  EXPECT_NE(dynamic_cast<const AlignedClassifier*>(wrapped.get()), nullptr);
  const std::vector<Label> first{0};
  const Graph y(first, {});
  const auto row = answers(*wrapped, {&y, 1});
  EXPECT_NEAR(std::exp(row[0]), 0.2, 1e-6);
  EXPECT_NEAR(std::exp(row[1]), 0.8, 1e-6);
  EXPECT_EQ(strings(wrapped->label_names()), (std::vector<std::string>{"y", "x"}));
  EXPECT_EQ(strings(wrapped->class_names()), (std::vector<std::string>{"yes", "no"}));

  EXPECT_THROW((void)aligned(make(), named_dataset({"C", "Xe"}, {"a", "b"})), Error);
  EXPECT_THROW((void)aligned(make(), named_dataset({"C"}, {"a", "z"})), Error);
  EXPECT_THROW((void)aligned(make(), named_dataset({"C"}, {"a", "b", "c"})), Error);
}

}  // namespace
}  // namespace fewedits
