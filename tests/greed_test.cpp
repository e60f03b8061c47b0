// SPDX-License-Identifier: MIT
// The published GREED models on the published data, the chain of data, classifier, distance and
// greedy summary against the paper's figures, and both parts alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "fewedits/classifier/native/gin_embedder.hpp"
#include "fewedits/cover/greedy.hpp"
#include "fewedits/distance/distances.hpp"
#include "fewedits/distance/ged_distance.hpp"
#include "fewedits/distance/greed_distance.hpp"
#include "fewedits/edit/neighbours.hpp"
#include "fewedits/fewedits.hpp"
#include "support/shared.hpp"

namespace fewedits {
namespace {

std::vector<float> embed(const GinEmbedder& embedder, std::span<const Graph> graphs,
                         int threads = 1) {
  ThreadPool pool(threads);
  std::vector<float> out(graphs.size() * embedder.dimension());
  embedder.embed(graphs, out, pool);
  return out;
}

std::vector<float> embed_neighbours(const GinEmbedder& embedder, const Graph& graph,
                                    std::span<const Edit> edits, int threads = 1) {
  ThreadPool pool(threads);
  std::vector<float> out(edits.size() * embedder.dimension());
  embedder.embed_neighbours(graph, edits, out, pool);
  return out;
}

/// The graph itself and every neighbour, symmetric ones too.
std::vector<Edit> all_edits(const Graph& graph, Label labels) {
  Constraints constraints;
  constraints.connected = false;
  std::vector<Edit> out = neighbours(graph, {labels, {}, false}, constraints);
  out.insert(out.begin(), Edit{});
  return out;
}

std::string rounded(double value, int digits) {
  std::array<char, 64> text{};
  const int length = std::snprintf(text.data(), text.size(), "%.*f", digits, value);
  return {text.data(), static_cast<std::size_t>(length)};
}

struct Published {
  const char* folder;
  const char* dataset;
  // The paper's GROUND-TRUTH row at k = 10, θ = 0.1 (SPEC §4).
  const char* coverage;
  const char* cost;
};

class PublishedGreedTest : public testing::TestWithParam<Published> {
 protected:
  void SetUp() override {
    FEWEDITS_REQUIRE_SHARED(std::filesystem::path("golden") / GetParam().folder /
                            "greed_pairs.csv");
    data_ = open_dataset(test::shared_root() / "datasets" / GetParam().dataset);
  }
  [[nodiscard]] static std::filesystem::path model(const char* file) {
    return test::shared_root() / "models" / GetParam().folder / file;
  }

  Dataset data_;
};

struct GoldenPair {
  std::size_t a = 0;
  std::size_t b = 0;
  double distance = 0;
  std::size_t size_a = 0;
  std::size_t size_b = 0;
};

std::vector<GoldenPair> read_golden(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  EXPECT_EQ(line, "graph_a,graph_b,greed_ged,size_a,size_b");
  std::vector<GoldenPair> pairs;
  while (std::getline(file, line)) {
    GoldenPair p;
    char comma = 0;
    std::istringstream(line) >> p.a >> comma >> p.b >> comma >> p.distance >> comma >> p.size_a >>
        comma >> p.size_b;
    pairs.push_back(p);
  }
  return pairs;
}

TEST_P(PublishedGreedTest, ReproducesTheAuthorsDistances) {
  const auto golden =
      read_golden(test::shared_root() / "golden" / GetParam().folder / "greed_pairs.csv");
  ASSERT_EQ(golden.size(), 500U);
  for (const Kernels* kernels : available_kernels()) {
    const GinEmbedder embedder = load_embedder(model("greed.pt"), *kernels);
    ASSERT_EQ(embedder.num_labels(), data_.node_labels.size());
    ASSERT_EQ(embedder.dimension(), 64U);
    const auto all = embed(embedder, data_.graphs);
    const auto row = [&](std::size_t i) { return std::span<const float>(&all[64 * i], 64); };
    for (const GoldenPair& p : golden) {
      EXPECT_EQ(data_.graphs[p.a].size(), p.size_a);
      EXPECT_EQ(data_.graphs[p.b].size(), p.size_b);
      EXPECT_NEAR(embedding_distance(row(p.a), row(p.b)), p.distance,
                  std::max(1e-3, 1e-4 * p.distance))
          << kernels->name << ", graphs " << p.a << " and " << p.b;
    }
  }
}

/// Real graphs that the classifier puts in the desired class as candidates for the others.
TEST_P(PublishedGreedTest, GroundTruthRowOfThePaper) {
  ThreadPool pool(2);
  const auto predicted = predict(data_, *open_classifier(model("gcn.pth"), data_), pool).predicted;
  std::array<std::vector<Graph>, 2> by_class;
  for (std::size_t i = 0; i < data_.size(); ++i) {
    by_class.at(static_cast<std::size_t>(predicted[i])).push_back(data_.graphs[i]);
  }
  const std::vector<Graph>& inputs = by_class[0];
  const std::vector<Graph>& candidates = by_class[1];
  const GinEmbedder embedder = load_embedder(model("greed.pt"));
  const auto from = embed(embedder, inputs);
  const auto to = embed(embedder, candidates);
  const auto distance = [&](std::size_t candidate, std::size_t input) {
    const double estimate =
        embedding_distance({&to[64 * candidate], 64}, std::span(&from[64 * input], 64));
    return estimate / static_cast<double>(candidates[candidate].size() + inputs[input].size());
  };

  std::vector<std::vector<std::uint32_t>> covers(candidates.size());
  pool.for_chunks(candidates.size(), 16, [&](std::size_t begin, std::size_t end, int) {
    for (std::size_t c = begin; c < end; ++c) {
      for (std::uint32_t i = 0; i < inputs.size(); ++i) {
        if (distance(c, i) <= 0.1) covers[c].push_back(i);
      }
    }
  });
  const auto picks = greedy_summary(covers, inputs.size(), 10);
  ASSERT_EQ(picks.size(), 10U);
  std::size_t covered = 0;
  std::vector<double> nearest(inputs.size(), INFINITY);
  for (const Pick& pick : picks) {
    covered += pick.gain;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      nearest[i] = std::min(nearest[i], distance(pick.candidate, i));
    }
  }
  const double share = static_cast<double>(covered) / static_cast<double>(inputs.size());
  EXPECT_EQ(rounded(100 * share, 2), GetParam().coverage);
  EXPECT_EQ(rounded(lower_median(nearest), 4), GetParam().cost);
}

INSTANTIATE_TEST_SUITE_P(All, PublishedGreedTest,
                         testing::Values(Published{"aids", "AIDS", "0.41", "0.2012"},
                                         Published{"mutagenicity", "Mutagenicity", "28.96",
                                                   "0.1275"},
                                         Published{"nci1", "NCI1", "16.54", "0.1326"},
                                         Published{"proteins", "PROTEINS", "8.47", "0.2155"}),
                         [](const auto& test) { return std::string(test.param.folder); });

// --- The network alone, with random weights of odd shapes. ---

struct Shape {
  std::int64_t labels = 3;
  std::int64_t width = 5;
  std::int64_t hidden = 7;
  std::int64_t layers = 3;
  std::int64_t head = 11;
  std::int64_t dimension = 6;
};

StateDict random_weights(Rng& rng, const Shape& s) {
  StateDict weights;
  const auto fill = [&](const std::string& name, const std::vector<std::int64_t>& shape) {
    std::vector<float> values(static_cast<std::size_t>(Tensor{DType::kFloat32, shape, {}}.numel()));
    for (float& x : values) x = static_cast<float>(rng.uniform() - 0.5);
    weights["embed_model." + name] = Tensor::from_floats(shape, values);
  };
  const auto linear = [&](const std::string& name, std::int64_t in, std::int64_t out) {
    fill(name + ".weight", {out, in});
    fill(name + ".bias", {out});
  };
  linear("pre", s.labels, s.width);
  for (std::int64_t l = 0; l < s.layers; ++l) {
    const std::string conv = "convs." + std::to_string(l);
    fill(conv + ".eps", {1});
    linear(conv + ".nn.0", s.width, s.hidden);
    linear(conv + ".nn.2", s.hidden, s.width);
  }
  linear("post.0", s.width * (s.layers + 1), s.head);
  linear("post.2", s.head, s.dimension);
  return weights;
}

// The plain reading of SPEC §4 in double precision.
using Vector = std::vector<double>;

Vector plus(Vector a, const Vector& b, double factor = 1) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += factor * b[i];
  return a;
}

Vector relu(Vector x) {
  for (double& value : x) value = std::max(value, 0.0);
  return x;
}

Vector apply(const StateDict& weights, const std::string& name, const Vector& x) {
  const auto w = weights.at("embed_model." + name + ".weight").to_floats();
  const auto b = weights.at("embed_model." + name + ".bias").to_floats();
  Vector y(b.begin(), b.end());
  for (std::size_t i = 0; i < y.size(); ++i) {
    for (std::size_t j = 0; j < x.size(); ++j) y[i] += double{w[i * x.size() + j]} * x[j];
  }
  return y;
}

Vector plain_embedding(const StateDict& weights, const Shape& s, const Graph& g) {
  std::vector<Vector> x;
  for (Node v = 0; v < g.num_nodes(); ++v) {
    Vector one_hot(static_cast<std::size_t>(s.labels), 0.0);
    one_hot.at(g.label(v)) = 1;
    x.push_back(apply(weights, "pre", one_hot));
  }
  std::vector<Vector> residual = x;
  Vector pooled;
  const auto pool = [&] {
    Vector sum(static_cast<std::size_t>(s.width), 0.0);
    for (const Vector& row : x) sum = plus(sum, row);
    pooled.insert(pooled.end(), sum.begin(), sum.end());
  };
  pool();
  for (std::int64_t l = 0; l < s.layers; ++l) {
    const std::string conv = "convs." + std::to_string(l);
    const double eps = weights.at("embed_model." + conv + ".eps").to_floats()[0];
    std::vector<Vector> next;
    for (Node v = 0; v < g.num_nodes(); ++v) {
      Vector sum = plus(x[v], x[v], eps);
      for (const Node u : g.neighbours(v)) sum = plus(sum, x[u]);
      next.push_back(apply(weights, conv + ".nn.2", relu(apply(weights, conv + ".nn.0", sum))));
      if (l % 2 == 1) residual[v] = next[v] = plus(next[v], residual[v]);
    }
    std::transform(next.begin(), next.end(), x.begin(), relu);
    pool();
  }
  return apply(weights, "post.2", relu(apply(weights, "post.0", pooled)));
}

std::vector<Graph> random_graphs(Rng& rng, std::size_t count, Label labels) {
  std::vector<Graph> graphs;
  for (std::size_t i = 0; i < count; ++i) {
    // Few edges beyond a tree, some isolated nodes and some graphs without nodes.
    const auto nodes = static_cast<Node>(rng.below(40));
    const Graph g = test::random_graph(rng, nodes, rng.below(8), labels);
    graphs.push_back(nodes > 1 && rng.chance(0.3) ? g.without_edge(g.edges()[0].u, g.edges()[0].v)
                                                  : g);
  }
  return graphs;
}

TEST(GinEmbedderTest, AgreesWithThePlainFormula) {
  Rng rng(51);
  for (const Shape& shape : {Shape{}, Shape{.layers = 1}, Shape{.layers = 2},
                             Shape{.labels = 2, .width = 64, .hidden = 64, .layers = 8},
                             Shape{.width = 16, .hidden = 70, .layers = 5, .dimension = 1}}) {
    const StateDict weights = random_weights(rng, shape);
    const auto graphs = random_graphs(rng, 20, static_cast<Label>(shape.labels));
    for (const Kernels* kernels : available_kernels()) {
      const GinEmbedder embedder(weights, "", *kernels);
      const std::size_t dimension = embedder.dimension();
      ASSERT_EQ(dimension, static_cast<std::size_t>(shape.dimension));
      ASSERT_EQ(embedder.num_labels(), static_cast<std::size_t>(shape.labels));
      const auto actual = embed(embedder, graphs);
      for (std::size_t i = 0; i < graphs.size(); ++i) {
        const Vector expected = plain_embedding(weights, shape, graphs[i]);
        for (std::size_t c = 0; c < dimension; ++c) {
          ASSERT_NEAR(actual[i * dimension + c], expected[c], 1e-4 * (1 + std::abs(expected[c])))
              << kernels->name << ", graph " << i << " with " << graphs[i].num_nodes() << " nodes";
        }
      }
    }
  }
}

TEST(GinEmbedderTest, NumberingBatchAndThreadsDoNotChangeABit) {
  Rng rng(52);
  const Shape shape{.width = 64, .hidden = 64, .layers = 8, .head = 64, .dimension = 64};
  for (const Kernels* kernels : available_kernels()) {
    const GinEmbedder embedder(random_weights(rng, shape), "", *kernels);
    const auto graphs = random_graphs(rng, 300, 3);
    std::vector<Graph> permuted;
    for (const Graph& g : graphs) {
      permuted.push_back(g.permuted(test::random_permutation(rng, g.num_nodes())));
    }
    const auto together = embed(embedder, graphs);
    EXPECT_EQ(together, embed(embedder, graphs, 3));
    EXPECT_EQ(together, embed(embedder, permuted));
    std::vector<float> alone;
    for (const Graph& g : graphs) {
      const auto one = embed(embedder, {&g, 1});
      alone.insert(alone.end(), one.begin(), one.end());
    }
    EXPECT_EQ(together, alone);
  }
}

TEST(GinEmbedderTest, NeighboursAreEmbeddedAsIfEachWereBuilt) {
  Rng rng(55);
  std::array<std::size_t, 6> of_kind{};
  for (const Shape& shape :
       {Shape{}, Shape{.layers = 1}, Shape{.layers = 2}, Shape{.labels = 5, .layers = 3},
        Shape{.labels = 2, .width = 64, .hidden = 64, .layers = 8}}) {
    const auto labels = static_cast<Label>(shape.labels);
    const StateDict weights = random_weights(rng, shape);
    for (const Graph& graph : random_graphs(rng, 12, labels)) {
      const auto edits = all_edits(graph, labels);
      std::vector<Graph> built;
      for (const Edit& edit : edits) {
        built.push_back(apply(graph, edit));
        ++of_kind.at(static_cast<std::size_t>(edit.kind));
      }
      for (const Kernels* kernels : available_kernels()) {
        const GinEmbedder embedder(weights, "", *kernels);
        const auto expected = embed(embedder, built);
        const auto actual = embed_neighbours(embedder, graph, edits);
        const std::size_t d = embedder.dimension();
        for (std::size_t i = 0; i < expected.size(); ++i) {
          // Numbers grow from layer to layer, and differences of large ones are rounded.
          const auto row = std::span(expected).subspan(i / d * d, d);
          const auto [least, most] = std::minmax_element(row.begin(), row.end());
          ASSERT_NEAR(actual[i], expected[i], 1e-5 * (1 + std::max(-*least, *most)))
              << kernels->name << ", " << graph.num_nodes() << " nodes, edit of kind "
              << static_cast<int>(edits[i / d].kind);
        }
      }
    }
  }
  for (const std::size_t count : of_kind) EXPECT_GT(count, 10U);
}

TEST(GinEmbedderTest, ANeighboursEmbeddingDependsNeitherOnTheOthersNorOnThreads) {
  Rng rng(56);
  const Shape shape{.width = 64, .hidden = 64, .layers = 8, .head = 64, .dimension = 64};
  const GinEmbedder embedder(random_weights(rng, shape), "");
  for (const Graph& graph : random_graphs(rng, 10, 3)) {
    std::vector<Edit> edits = all_edits(graph, 3);
    const auto together = embed_neighbours(embedder, graph, edits);
    EXPECT_EQ(together, embed_neighbours(embedder, graph, edits, 3));
    for (int trial = 0; trial < 20; ++trial) {
      const std::size_t first = rng.below(edits.size());
      const std::size_t count = 1 + rng.below(edits.size() - first);
      const auto part = embed_neighbours(embedder, graph, std::span(edits).subspan(first, count));
      const auto begin = together.begin() + static_cast<std::ptrdiff_t>(first * 64);
      EXPECT_TRUE(std::equal(part.begin(), part.end(), begin));
    }
  }
}

TEST(GinEmbedderTest, NeighboursWithLabelsItDoesNotKnowAreRefused) {
  Rng rng(57);
  const GinEmbedder embedder(random_weights(rng, Shape{.labels = 3}), "");
  const Graph graph = test::random_graph(rng, 5, 2, 3);
  const std::vector<Edit> edits{Edit{}, {Edit::Kind::kRelabel, 1, 0, 3}};
  EXPECT_THROW((void)embed_neighbours(embedder, graph, edits), Error);
}

TEST(GinEmbedderTest, EmptyGraphsAreTheHeadsImageOfZero) {
  Rng rng(53);
  const Shape shape;
  const StateDict weights = random_weights(rng, shape);
  const GinEmbedder embedder(weights, "");
  const Vector zero(static_cast<std::size_t>(shape.width * (shape.layers + 1)), 0.0);
  const Vector expected = apply(weights, "post.2", relu(apply(weights, "post.0", zero)));
  const std::vector<Graph> mixed{Graph(), test::random_graph(rng, 9, 3, 3), Graph()};
  const auto among_others = embed(embedder, mixed);
  const auto alone = embed(embedder, {mixed.data(), 1});
  for (std::size_t c = 0; c < expected.size(); ++c) {
    EXPECT_NEAR(alone[c], expected[c], 1e-6);
    EXPECT_EQ(among_others[c], alone[c]);
    EXPECT_EQ(among_others[2 * expected.size() + c], alone[c]);
  }
  EXPECT_TRUE(embed(embedder, {}).empty());
}

TEST(GinEmbedderTest, FlopsCountEveryNodeAndWeight) {
  Rng rng(54);
  const GinEmbedder embedder(random_weights(rng, Shape{}), "");
  const double head = 2 * (20 * 11 + 11 * 6);
  EXPECT_EQ(embedder.flops(Graph()), head);
  const std::vector<Label> labels{0, 1};
  const Graph pair(labels, std::vector<Edge>{{0, 1}});
  const double layer = 2 * (2 * 35 + 2 * 35) + 4 * 5 + 2 * 5;
  EXPECT_EQ(embedder.flops(pair), 2 * 5 + 3 * layer + head);
}

TEST(GinEmbedderTest, RefusesLabelsItDoesNotKnow) {
  Rng rng(55);
  const GinEmbedder embedder(random_weights(rng, Shape{}), "");
  std::vector<Graph> graphs = random_graphs(rng, 5, 3);
  const std::vector<Label> labels{0, 3};
  graphs.emplace_back(labels, std::vector<Edge>{});
  try {
    (void)embed(embedder, graphs);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("graph 5 has node label 3"));
  }
}

void expect_refused(const StateDict& weights, const std::string& part) {
  try {
    const GinEmbedder embedder(weights, "greed.pt");
    FAIL() << "accepted, expected a message with " << part;
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("greed.pt"));
    EXPECT_THAT(error.what(), testing::HasSubstr(part));
  }
}

TEST(GinEmbedderTest, NamesTheTensorThatIsMissing) {
  Rng rng(56);
  const StateDict good = random_weights(rng, Shape{});
  for (const auto& [name, tensor] : good) {
    StateDict bad = good;
    bad.erase(name);
    if (name.ends_with(".eps")) {
      EXPECT_NO_THROW(GinEmbedder(bad, "")) << "no eps means 0";
    } else {
      expect_refused(bad, "'" + name + "' is missing");
    }
  }
  expect_refused({}, "embed_model.pre");
}

TEST(GinEmbedderTest, NamesTheTensorThatDoesNotFit) {
  Rng rng(57);
  const StateDict good = random_weights(rng, Shape{});
  const auto refuse = [&](const std::string& name, const std::vector<std::int64_t>& shape,
                          const std::string& part) {
    StateDict bad = good;
    Tensor& tensor = bad["embed_model." + name];
    tensor = {DType::kFloat32, shape, {}};
    tensor.bytes.resize(static_cast<std::size_t>(tensor.numel()) * sizeof(float));
    expect_refused(bad, part);
  };
  refuse("pre.weight", {5, 3, 1}, "embed_model.pre.weight");
  refuse("pre.bias", {4}, "embed_model.pre.bias");
  refuse("convs.1.eps", {2}, "embed_model.convs.1.eps");
  refuse("convs.1.nn.0.weight", {7, 6}, "embed_model.convs.1.nn.0.weight");
  refuse("convs.1.nn.2.weight", {5, 8}, "embed_model.convs.1.nn.2.weight");
  refuse("post.0.weight", {11, 21}, "embed_model.post.0.weight");
  refuse("post.0.weight", {11, 5}, "embed_model.post.0.weight");
  refuse("post.0.weight", {11, 15}, "embed_model.post.0.weight");
  refuse("post.0.weight", {11, 25}, "embed_model.convs.3.nn.0.bias");
  refuse("post.2.weight", {6, 10}, "embed_model.post.2.weight");
  StateDict bad = good;
  bad["embed_model.convs.2.nn.2.bias"] = {DType::kInt64, {5}, std::vector<std::byte>(40)};
  expect_refused(bad, "embed_model.convs.2.nn.2.bias");
  bad = good;
  bad["embed_model.post.2.bias"] = Tensor::from_floats({6}, std::vector<float>(6, NAN));
  expect_refused(bad, "embed_model.post.2.bias");
  bad = random_weights(rng, Shape{.width = 6});
  bad["embed_model.convs.0.nn.2.weight"] = good.at("embed_model.convs.0.nn.2.weight");
  bad["embed_model.convs.0.nn.2.bias"] = good.at("embed_model.convs.0.nn.2.bias");
  expect_refused(bad, "embed_model.convs.0.nn.2.weight");
}

TEST(GinEmbedderTest, DistanceIsEuclidean) {
  Rng rng(58);
  for (const std::size_t dimension : {0UL, 1UL, 7UL, 8UL, 64UL, 67UL}) {
    std::vector<float> a(dimension);
    std::vector<float> b(dimension);
    double total = 0;
    for (std::size_t i = 0; i < dimension; ++i) {
      a[i] = static_cast<float>(rng.uniform());
      b[i] = static_cast<float>(rng.uniform());
      total += std::pow(double{a[i]} - double{b[i]}, 2);
    }
    EXPECT_NEAR(embedding_distance(a, b), std::sqrt(total), 1e-5);
    EXPECT_EQ(embedding_distance(a, a), 0.0F);
  }
}

// --- The estimate behind the common interface. ---

std::shared_ptr<const GinEmbedder> random_embedder(Rng& rng, const Shape& shape) {
  return std::make_shared<const GinEmbedder>(random_weights(rng, shape), "");
}

TEST(GreedDistanceTest, RowsOfStoredGraphsAreTheirMeasures) {
  Rng rng(71);
  auto graphs = random_graphs(rng, 60, 3);
  graphs.emplace_back();
  graphs.emplace_back();
  ThreadPool pool(2);
  const auto greed = make_greed_distance(graphs, random_embedder(rng, Shape{}), pool);
  ASSERT_EQ(greed->graphs().size(), graphs.size());
  std::vector<GraphPair> pairs;
  for (std::uint32_t a = 0; a < graphs.size(); ++a) {
    for (std::uint32_t b = 0; b < graphs.size(); ++b) pairs.push_back({a, b});
  }
  std::vector<Measure> measured(pairs.size());
  greed->measure(pairs, measured, pool);
  const auto rows = greed->rows(graphs, pool);
  ASSERT_EQ(rows.size(), graphs.size());
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    const auto& [a, b] = pairs[p];
    EXPECT_TRUE(measured[p].done);
    EXPECT_EQ(measured[p].status, PairStatus::kBounds);
    EXPECT_EQ(measured[p].upper, static_cast<double>(graphs[a].size() + graphs[b].size()));
    EXPECT_LE(measured[p].lower, measured[p].upper);
    EXPECT_EQ(rows[a].at(b), measured[p].normalized) << a << " and " << b;
  }
}

TEST(GreedDistanceTest, BoundsHoldForTheEditDistance) {
  Rng rng(72);
  std::vector<Graph> graphs;
  for (Node n = 0; n < 8; ++n) graphs.push_back(test::random_graph(rng, n, rng.below(3), 3));
  ThreadPool pool(1);
  const auto greed = make_greed_distance(graphs, random_embedder(rng, Shape{}), pool);
  for (std::uint32_t a = 0; a < graphs.size(); ++a) {
    for (std::uint32_t b = 0; b < graphs.size(); ++b) {
      const GraphPair pair{a, b};
      Measure m;
      greed->measure({&pair, 1}, {&m, 1}, pool);
      const GedBounds truth = edit_distance(graphs[a], graphs[b]);
      ASSERT_TRUE(truth.exact());
      EXPECT_LE(m.lower, static_cast<double>(truth.upper));
      EXPECT_GE(m.upper, static_cast<double>(truth.upper));
    }
  }
}

TEST(GreedDistanceTest, NeighboursAreNearWhatTheyAreNearOnceBuilt) {
  constexpr Label kLabels = 3;
  Rng rng(73);
  std::size_t near_pairs = 0;
  std::size_t newly_near = 0;
  for (int round = 0; round < 10; ++round) {
    // Embeddings on a line leave the triangle inequality no room.
    const Shape shape{.layers = 1 + round % 3, .dimension = round % 2 == 0 ? 1 : 6};
    std::vector<Graph> stored;
    for (int i = 0; i < 120; ++i) {
      const auto nodes = static_cast<Node>(2 + rng.below(15));
      stored.push_back(test::random_graph(rng, nodes, rng.below(5), kLabels));
    }
    ThreadPool pool(2);
    const auto greed = make_greed_distance(stored, random_embedder(rng, shape), pool);
    const Graph graph =
        test::random_graph(rng, static_cast<Node>(3 + rng.below(10)), rng.below(4), kLabels);
    std::vector<double> sorted = greed->rows({&graph, 1}, pool)[0];
    std::sort(sorted.begin(), sorted.end());
    const double theta = sorted[rng.below(60)];
    std::vector<Edit> edits = all_edits(graph, kLabels);
    // The graph itself need not come first, nor at all.
    if (round % 3 == 1) rng.shuffle(std::span(edits));
    if (round % 3 == 2) edits.erase(edits.begin());
    std::vector<Graph> built;
    for (const Edit& edit : edits) built.push_back(apply(graph, edit));
    const NearRows near = greed->neighbourhood(graph, edits, theta, pool);
    const auto expected = greed->within(built, theta, pool);
    const auto rows = greed->rows(built, pool);
    const auto itself = greed->within({&graph, 1}, theta, pool)[0];
    ASSERT_EQ(near.rows.size(), edits.size());
    EXPECT_TRUE(std::is_sorted(near.active.begin(), near.active.end()));
    for (std::size_t e = 0; e < edits.size(); ++e) {
      std::vector<bool> is_near(stored.size(), false);
      for_each_bit(near.rows[e], [&](std::size_t j) { is_near.at(near.active.at(j)) = true; });
      for (std::uint32_t i = 0; i < stored.size(); ++i) {
        const bool wanted = std::binary_search(expected[e].begin(), expected[e].end(), i);
        // Neighbours are embedded from the graph: rounded otherwise than by themselves.
        if (std::abs(rows[e][i] - theta) < 1e-6) continue;
        ASSERT_EQ(is_near[i], wanted) << "round " << round << ", entry " << e << ", graph " << i;
        near_pairs += wanted ? 1U : 0U;
        newly_near += wanted && !std::binary_search(itself.begin(), itself.end(), i) ? 1U : 0U;
      }
    }
    EXPECT_EQ(greed->neighbourhood(graph, {}, theta, pool).rows.size(), 0U);
  }
  EXPECT_GT(near_pairs, 10'000U);
  EXPECT_GT(newly_near, 500U);
}

TEST(GreedDistanceTest, IsMadeByNameForTheLabelsItKnows) {
  Rng rng(74);
  ThreadPool pool(1);
  const auto graphs = random_graphs(rng, 8, 3);
  DistanceOptions options;
  options.embedder = random_embedder(rng, Shape{.labels = 3});
  const DistanceRegistry distances = builtin_distances();
  const auto greed = distances.at("greed").make(graphs, 3, options, pool);
  EXPECT_EQ(greed->prover(), nullptr);
  EXPECT_TRUE(greed->within_is_quick());
  EXPECT_THROW((void)distances.at("greed").make(graphs, 4, options, pool), Error);
}

TEST(GreedDistanceTest, AsManyPairsAreNearAtTheComparableTheta) {
  Rng rng(75);
  std::vector<Graph> graphs;
  for (int i = 0; i < 20; ++i) {
    const auto nodes = static_cast<Node>(4 + rng.below(4));
    graphs.push_back(test::random_graph(rng, nodes, rng.below(3), 3));
    const auto edits = neighbours(graphs.back(), {3, {}});
    graphs.push_back(apply(graphs.back(), edits[rng.below(edits.size())]));
  }
  ThreadPool pool(2);
  const auto greed = make_greed_distance(graphs, random_embedder(rng, Shape{}), pool);
  std::vector<GraphPair> pairs;
  std::size_t near = 0;
  constexpr double kEdits = 0.15;
  for (std::uint32_t a = 0; a < graphs.size(); ++a) {
    for (std::uint32_t b = a + 1; b < graphs.size(); ++b) {
      pairs.push_back({a, b});
      const std::int64_t limit = distance_limit(kEdits, graphs[a], graphs[b]);
      near += edit_distance(graphs[a], graphs[b]).upper <= limit ? 1U : 0U;
    }
  }
  ASSERT_GT(near, 5U);
  std::vector<Measure> measured(pairs.size());
  greed->measure(pairs, measured, pool);
  const double theta = comparable_thetas(*greed, {kEdits}, 1, pool)[0];
  EXPECT_GT(theta, 0);
  EXPECT_LT(theta, 1);
  const auto num_below = [&](double limit) {
    return static_cast<std::size_t>(std::count_if(
        measured.begin(), measured.end(), [=](const Measure& m) { return m.normalized <= limit; }));
  };
  EXPECT_GE(num_below(theta), near);
  EXPECT_LT(num_below(std::nextafter(theta, 0)), near);
}

// --- The greedy summary. ---

/// Counts every gain anew for every pick.
std::vector<Pick> plain_greedy(const std::vector<std::vector<std::uint32_t>>& covers,
                               std::size_t num_inputs, std::size_t k) {
  std::vector<bool> covered(num_inputs, false);
  std::vector<bool> taken(covers.size(), false);
  std::vector<Pick> picks;
  while (picks.size() < std::min(k, covers.size())) {
    Pick best;
    bool found = false;
    for (std::size_t c = 0; c < covers.size(); ++c) {
      std::size_t gain = 0;
      for (const std::uint32_t input : covers[c]) gain += covered[input] ? 0U : 1U;
      if (taken[c] || (found && gain <= best.gain)) continue;
      best = {c, gain};
      found = true;
    }
    taken[best.candidate] = true;
    for (const std::uint32_t input : covers[best.candidate]) covered[input] = true;
    picks.push_back(best);
  }
  return picks;
}

TEST(SummaryTest, AgreesWithThePlainGreedyAlsoOnTies) {
  Rng rng(61);
  for (int round = 0; round < 300; ++round) {
    const std::size_t inputs = rng.below(40);
    const double density = rng.uniform() * rng.uniform();
    std::vector<std::vector<std::uint32_t>> covers(rng.below(30));
    for (auto& list : covers) {
      for (std::uint32_t i = 0; i < inputs; ++i) {
        if (rng.chance(density)) list.push_back(i);
      }
    }
    const std::size_t k = rng.below(35);
    const auto expected = plain_greedy(covers, inputs, k);
    const auto actual = greedy_summary(covers, inputs, k);
    ASSERT_EQ(actual.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(actual[i].candidate, expected[i].candidate) << "round " << round << ", pick " << i;
      EXPECT_EQ(actual[i].gain, expected[i].gain) << "round " << round << ", pick " << i;
    }
  }
}

TEST(SummaryTest, PicksOnWhenNothingIsGained) {
  const std::vector<std::vector<std::uint32_t>> covers{{}, {0, 1}, {1}, {}};
  const auto picks = greedy_summary(covers, 2, 10);
  ASSERT_EQ(picks.size(), 4U);
  EXPECT_EQ(picks[0].candidate, 1U);
  EXPECT_EQ(picks[0].gain, 2U);
  EXPECT_EQ(picks[1].candidate, 0U);
  EXPECT_EQ(picks[1].gain, 0U);
  EXPECT_TRUE(greedy_summary({}, 3, 2).empty());
  EXPECT_TRUE(greedy_summary(covers, 2, 0).empty());
}

TEST(SummaryTest, MedianIsTheMiddleOrTheLowerOfTwo) {
  EXPECT_EQ(lower_median({4}), 4);
  EXPECT_EQ(lower_median({3, 1}), 1);
  EXPECT_EQ(lower_median({5, 1, 3}), 3);
  EXPECT_EQ(lower_median({8, 1, 2, 100}), 2);
  EXPECT_EQ(lower_median({2, 2, 2, 1}), 2);
}

}  // namespace
}  // namespace fewedits
