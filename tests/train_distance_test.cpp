// SPDX-License-Identifier: MIT
#include "fewedits/train/train_distance.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "fewedits/base/error.hpp"
#include "fewedits/classifier/native/gin_embedder.hpp"
#include "fewedits/formats/checkpoint_reader.hpp"
#include "fewedits/formats/checkpoint_writer.hpp"
#include "fewedits/graph/identity.hpp"
#include "fewedits/synthetic/generator.hpp"
#include "fewedits/train/distance_pairs.hpp"
#include "fewedits/train/distance_score.hpp"
#include "fewedits/train/greed_batch.hpp"
#include "fewedits/train/greed_model.hpp"
#include "support/shared.hpp"

namespace fewedits {
namespace {

constexpr Label kLabels = 4;

std::vector<Graph> small_graphs(std::size_t count, std::uint64_t seed, Node most = 8) {
  Rng rng(seed);
  std::vector<Graph> out;
  for (std::size_t i = 0; i < count; ++i) {
    const auto nodes = static_cast<Node>(2 + rng.below(most - 1));
    out.push_back(test::random_graph(rng, nodes, rng.below(3), kLabels));
  }
  return out;
}

std::size_t num_components(const Graph& g) {
  std::vector<Node> root(g.num_nodes());
  for (Node v = 0; v < g.num_nodes(); ++v) root[v] = v;
  const auto find = [&](Node v) {
    while (root[v] != v) v = root[v];
    return v;
  };
  std::size_t components = g.num_nodes();
  for (const Edge& e : g.edges()) {
    if (find(e.u) == find(e.v)) continue;
    root[find(e.u)] = find(e.v);
    --components;
  }
  return components;
}

// ---- pairs ----------------------------------------------------------------------------

TEST(RandomEditTest, StepsAreSmallAndBreakNothing) {
  Rng rng(1);
  std::set<std::pair<int, int>> changes;  // of the numbers of nodes and edges
  Graph g = test::random_graph(rng, 10, 3, kLabels);
  for (int i = 0; i < 500; ++i) {
    const EditStep step = random_edit(g, kLabels, rng);
    EXPECT_GE(step.cost, 1);
    EXPECT_LE(edit_distance(g, step.graph).upper, step.cost);
    EXPECT_EQ(num_components(step.graph), 1U);
    changes.emplace(static_cast<int>(step.graph.num_nodes()) - static_cast<int>(g.num_nodes()),
                    static_cast<int>(step.graph.num_edges()) - static_cast<int>(g.num_edges()));
    // A walk drifts to small or dense graphs; start anew now and then.
    g = i % 20 == 19 ? test::random_graph(rng, 10, 3, kLabels) : step.graph;
  }
  const std::set<std::pair<int, int>> all{{0, 0}, {0, 1}, {0, -1}, {1, 1}, {-1, -1}};
  EXPECT_EQ(changes, all);
}

TEST(RandomEditTest, GraphsWithoutEditsStayAsTheyAre) {
  Rng rng(2);
  const EditStep step = random_edit(Graph(), kLabels, rng);
  EXPECT_EQ(step.cost, 0);
  EXPECT_EQ(step.graph, Graph());
  // One label, one node: only a leaf can be added.
  const Graph one(std::vector<Label>{0}, std::vector<Edge>{});
  EXPECT_EQ(random_edit(one, 1, rng).graph.num_nodes(), 2U);
}

PairOptions pair_options(std::size_t pairs, std::size_t group_size) {
  PairOptions options;
  options.pairs = pairs;
  options.group_size = group_size;
  options.labels = kLabels;
  return options;
}

TEST(PairTest, BoundsHoldTheExactDistanceWhateverTheBudget) {
  ThreadPool pool(1);
  const std::vector<Graph> source = small_graphs(30, 3);
  GedSolver unlimited;
  for (const std::uint64_t work : {std::uint64_t{0}, std::uint64_t{300}, GedBudget::kUnlimited}) {
    PairOptions options = pair_options(120, 4);
    options.budget.work = work;
    const PairSet set = make_pairs(source, options, pool);
    ASSERT_EQ(set.pairs.size(), 120U);
    for (const LabelledPair& pair : set.pairs) {
      const GedBounds truth =
          unlimited.exact(PreparedGraph(set.graphs[pair.a]), PreparedGraph(set.graphs[pair.b]));
      ASSERT_TRUE(truth.exact());
      EXPECT_LE(pair.lower, truth.upper);
      EXPECT_GE(pair.upper, truth.upper);
    }
    if (work == GedBudget::kUnlimited) {
      EXPECT_EQ(set.num_exact(), set.pairs.size());
    }
  }
}

TEST(PairTest, GroupsAreWhatTheyClaim) {
  ThreadPool pool(1);
  const std::vector<Graph> source = small_graphs(40, 4);
  const PairSet set = make_pairs(source, pair_options(301, 3), pool);
  ASSERT_EQ(set.pairs.size(), 303U) << "whole groups";
  ASSERT_EQ(set.num_groups(), 101U);
  const auto is_source = [&](const Graph& g) {
    return std::find(source.begin(), source.end(), g) != source.end();
  };
  std::set<PairKind> kinds;
  for (std::size_t i = 0; i < set.pairs.size(); ++i) {
    const LabelledPair& pair = set.pairs[i];
    const std::size_t first = i / 3 * 3;
    EXPECT_EQ(pair.a - first, i % 3 == 2 ? 1U : 0U);
    EXPECT_EQ(pair.b - first, i % 3 == 0 ? 1U : 2U);
    kinds.insert(pair.kind);
    EXPECT_TRUE(is_source(set.graphs[first]));
    EXPECT_TRUE(pair.kind == PairKind::kEdited || is_source(set.graphs[pair.b]));
  }
  EXPECT_EQ(kinds.size(), 3U);
}

TEST(PairTest, SimilarGraphsAreCloserThanRandomOnes) {
  ThreadPool pool(1);
  const std::vector<Graph> source = small_graphs(100, 5, 14);
  const PairSet set = make_pairs(source, pair_options(300, 2), pool);
  std::map<PairKind, std::vector<double>> sizes;
  for (const LabelledPair& pair : set.pairs) {
    sizes[pair.kind].push_back(
        normalized_distance(pair.upper, set.graphs[pair.a], set.graphs[pair.b]));
  }
  const auto mean = [](const std::vector<double>& x) {
    return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
  };
  EXPECT_LT(mean(sizes[PairKind::kSimilar]), 0.7 * mean(sizes[PairKind::kRandom]));
}

TEST(PairTest, ThreadsChangeNothingAndStoppingKeepsWholeGroups) {
  const std::vector<Graph> source = small_graphs(30, 6);
  PairOptions options = pair_options(1200, 4);
  options.budget.work = 300;
  ThreadPool one(1);
  ThreadPool three(3);
  const PairSet a = make_pairs(source, options, one);
  const PairSet b = make_pairs(source, options, three);
  EXPECT_EQ(a.graphs, b.graphs);
  EXPECT_EQ(a.pairs, b.pairs);
  const PairSet part = make_pairs(source, options, one, [](std::size_t) { return false; });
  ASSERT_GT(part.pairs.size(), 0U);
  ASSERT_LT(part.pairs.size(), a.pairs.size());
  EXPECT_EQ(part.graphs.size() / 4, part.pairs.size() / 6);
  EXPECT_TRUE(std::equal(part.pairs.begin(), part.pairs.end(), a.pairs.begin()));
}

// ---- the network ----------------------------------------------------------------------

/// Random graphs with the odd ones between: empty, one node, isolated nodes.
std::vector<Graph> odd_graphs(std::uint64_t seed) {
  std::vector<Graph> graphs = small_graphs(12, seed, 15);
  graphs.insert(graphs.begin() + 3, Graph());
  graphs.emplace_back(std::vector<Label>{2}, std::vector<Edge>{});
  graphs.emplace_back(std::vector<Label>{0, 1, 2}, std::vector<Edge>{});
  graphs.emplace_back(graphs[0]);
  graphs.emplace_back();
  return graphs;
}

TEST(GreedModelTest, SumRowsAndItsGradient) {
  const auto ints = [](std::vector<int> values) { return torch::tensor(values, torch::kInt32); };
  const RowLists lists{ints({1, 1, 3}), ints({0, 2, 2, 5}), ints({0, 1, 2, 2, 0})};
  const torch::Tensor matrix =
      torch::tensor({{1., 2., 0., 0.}, {0., 1., 0., 0.}, {1., 0., 2., 1.}}, torch::kFloat32);
  const torch::Tensor x = (torch::arange(12).reshape({4, 3}) * 0.5).requires_grad_();
  const torch::Tensor r = torch::arange(9).reshape({3, 3}).to(torch::kFloat32) - 3;
  const torch::Tensor sum = sum_rows(x, lists);
  EXPECT_TRUE(torch::equal(sum, matrix.matmul(x)));
  (sum * r).sum().backward();
  EXPECT_TRUE(torch::equal(x.grad(), matrix.t().matmul(r)));
  EXPECT_TRUE(torch::equal(sum_rows(x, {ints({2, 0}), {}, {}}), x.index({torch::tensor({2, 0})})));
}

/// The plain network, node by node as SPEC §4 has it, without classes, in torch's own operations.
torch::Tensor plain_embedding(const StateDict& weights, std::int64_t layers, const Graph& g) {
  const auto at = [&](const std::string& name) {
    const Tensor& t = weights.at("embed_model." + name);
    const std::vector<float> values = t.to_floats();
    return torch::tensor(values).reshape(t.shape);
  };
  const auto linear = [&](const torch::Tensor& x, const std::string& name) {
    return torch::linear(x, at(name + ".weight"), at(name + ".bias"));
  };
  const std::int64_t nodes = g.num_nodes();
  torch::Tensor a = torch::eye(nodes);
  torch::Tensor x = torch::zeros({nodes, kLabels});
  for (std::int64_t v = 0; v < nodes; ++v) {
    x[v][g.label(static_cast<Node>(v))] = 1.0;
    for (const Node u : g.neighbours(static_cast<Node>(v)))
      a[v][static_cast<std::int64_t>(u)] = 1.0;
  }
  x = linear(x, "pre");
  torch::Tensor residual = x;
  std::vector<torch::Tensor> outputs{x};
  for (std::int64_t l = 0; l < layers; ++l) {
    const std::string conv = "convs." + std::to_string(l);
    torch::Tensor y = linear(torch::relu(linear(a.matmul(x), conv + ".nn.0")), conv + ".nn.2");
    if (l % 2 == 1) residual = y = y + residual;
    x = torch::relu(y);
    outputs.push_back(x);
  }
  const torch::Tensor pooled = torch::cat(outputs, 1).sum(0, true);
  return linear(torch::relu(linear(pooled, "post.0")), "post.2");
}

TEST(GreedModelTest, AgreesWithThePlainNetworkAndTheNativeOne) {
  const torch::NoGradGuard no_grad;
  for (const std::int64_t layers : {1, 2, 3, 8}) {
    Rng rng(7, static_cast<std::uint64_t>(layers));
    const GreedModel model({kLabels, layers, 12}, rng);
    const StateDict weights = model.state_dict();
    const std::vector<Graph> graphs = odd_graphs(8);
    const torch::Tensor rows =
        model.embed(make_greed_batch(graphs, static_cast<std::size_t>(layers)));
    const GinEmbedder native(weights, "");
    ThreadPool pool(1);
    std::vector<float> native_rows(graphs.size() * 12);
    native.embed(graphs, native_rows, pool);
    for (std::size_t i = 0; i < graphs.size(); ++i) {
      const torch::Tensor row = rows[static_cast<std::int64_t>(i)];
      const torch::Tensor plain = plain_embedding(weights, layers, graphs[i])[0];
      EXPECT_LT((row - plain).norm().item<double>(), 1e-5 * (1 + plain.norm().item<double>()));
      for (std::size_t c = 0; c < 12; ++c) {
        EXPECT_NEAR(native_rows[i * 12 + c], row.data_ptr<float>()[c], 1e-5);
      }
    }
  }
}

TEST(GreedModelTest, GradientIsTheSlope) {
  Rng rng(9);
  GreedModel model({kLabels, 3, 6}, rng);
  const GreedBatch batch = make_greed_batch(small_graphs(10, 9, 12), 3);
  const auto loss = [&] { return model.embed(batch).square().sum(); };
  loss().backward();
  const torch::NoGradGuard no_grad;
  std::size_t compared = 0;
  for (const torch::Tensor& p : model.parameters()) {
    // Along the gradient the slope is its norm; rounding limits how short a step may be.
    const double norm = p.grad().norm().item<double>();
    if (norm == 0) continue;
    const torch::Tensor step = p.grad() * (2e-3 / norm);
    p.add_(step);
    const double above = loss().item<double>();
    p.sub_(2 * step);
    const double below = loss().item<double>();
    p.add_(step);
    EXPECT_NEAR((above - below) / 4e-3, norm, 0.03 * norm + 0.05);
    ++compared;
  }
  EXPECT_GT(2 * compared, model.parameters().size());
}

// ---- scores ---------------------------------------------------------------------------

TEST(DistanceScoreTest, CountsErrorsAndSidesOnExactPairs) {
  // Paths of five nodes: sizes 9 + 9, so θ = 0.1 allows one edit.
  const std::vector<Edge> edges{{0, 1}, {1, 2}, {2, 3}, {3, 4}};
  const Graph path(std::vector<Label>(5, 0), edges);
  PairSet set{2, std::vector<Graph>(8, path), {}};
  set.pairs = {{0, 1, 1, 1, PairKind::kEdited},
               {2, 3, 4, 4, PairKind::kEdited},
               {4, 5, 3, 3, PairKind::kSimilar},
               {6, 7, 2, 9, PairKind::kRandom}};
  const PredictorScore score = score_estimates("x", set, std::vector<double>{2, 1, 3.5, 100}, 0.1);
  EXPECT_EQ(score.edited.pairs, 2U);
  EXPECT_DOUBLE_EQ(score.edited.rmse, std::sqrt((1.0 + 9.0) / 2));
  EXPECT_DOUBLE_EQ(score.edited.mean_error, 2.0);
  EXPECT_DOUBLE_EQ(score.edited.right_side, 0.0);
  EXPECT_EQ(score.real.pairs, 1U) << "the random pair is not exact";
  EXPECT_DOUBLE_EQ(score.real.rmse, 0.5);
  EXPECT_DOUBLE_EQ(score.real.right_side, 1.0);
  EXPECT_EQ(score_estimates("x", {}, {}, 0.1).edited.pairs, 0U);
}

TEST(DistanceScoreTest, BoundsNeverExceedTheDistance) {
  ThreadPool pool(1);
  const PairSet set = make_pairs(small_graphs(20, 10), pair_options(60, 2), pool);
  const Estimates labels = bound_estimates(set, LowerStrength::kLabels);
  const Estimates branches = bound_estimates(set, LowerStrength::kBranches);
  for (std::size_t i = 0; i < set.pairs.size(); ++i) {
    EXPECT_LE(labels[i], branches[i]);
    EXPECT_LE(branches[i], static_cast<double>(set.pairs[i].upper));
  }
}

// ---- training -------------------------------------------------------------------------

const Dataset& molecules() {
  static const Dataset data = [] {
    GeneratorOptions options;
    options.graphs = 120;
    options.threads = 1;
    return prepare(generate(options), generated_metadata());
  }();
  return data;
}

DistanceTrainOptions quick() {
  DistanceTrainOptions options;
  options.layers = 3;
  options.width = 16;
  options.pairs = 480;
  options.budget_work = 1000;
  options.max_edits = 8;
  options.epochs = 12;
  options.batch_size = 96;
  options.learning_rate = 4e-3;
  options.threads = 1;
  return options;
}

TEST(TrainDistanceTest, LearnsAndTheNativeEngineReadsTheFile) {
  std::vector<double> losses;
  DistanceProgress progress;
  std::size_t labelled = 0;
  progress.labelled = [&](const LabelReport& report) {
    EXPECT_GT(report.done, labelled);
    labelled = report.done;
    EXPECT_EQ(report.total, 480U + 2 * 48U);
    return true;
  };
  std::size_t steps = 0;
  progress.trained = [&](const DistanceStep& at) {
    EXPECT_EQ(at.step, ++steps);
    EXPECT_EQ(at.steps, 12U * 5U);
    if (at.epoch_ended) losses.push_back(at.train_loss);
    return true;
  };
  const DistanceTrainResult result = train_distance(molecules(), quick(), progress);
  EXPECT_EQ(labelled, 480U + 2 * 48U);
  EXPECT_EQ(steps, 60U);
  ASSERT_EQ(losses.size(), 12U);
  EXPECT_LT(losses.back(), 0.5 * losses.front());
  EXPECT_EQ(result.epochs_run, 12);
  EXPECT_GT(result.best_epoch, 1);
  EXPECT_LT(result.validation_loss, 0.3 * result.constant_loss);

  const test::TemporaryFolder folder;
  for (const std::string name : {"greed.safetensors", "greed.pt"}) {
    write_checkpoint(folder.path() / name, result.weights);
    const GinEmbedder native = load_embedder(folder.path() / name);
    EXPECT_EQ(native.num_labels(), molecules().node_labels.size());
    EXPECT_EQ(native.dimension(), 16U);
    Rng rng(0);
    GreedModel model({static_cast<std::int64_t>(native.num_labels()), 3, 16}, rng);
    model.load(result.weights);
    const torch::NoGradGuard no_grad;
    const auto& graphs = result.held_out.graphs;
    const torch::Tensor rows = model.embed(make_greed_batch(graphs, 3));
    std::vector<float> ours(graphs.size() * 16);
    ThreadPool pool(1);
    native.embed(graphs, ours, pool);
    const double scale = rows.abs().max().item<double>();
    for (std::size_t i = 0; i < ours.size(); ++i) {
      EXPECT_NEAR(ours[i], rows.data_ptr<float>()[i], 1e-4 * scale);
    }
  }
}

TEST(TrainDistanceTest, TensorsHaveThePublishedNamesAndShapes) {
  FEWEDITS_REQUIRE_SHARED("models/aids/greed.pt");
  const StateDict published = read_checkpoint(test::shared_root() / "models/aids/greed.pt");
  Rng rng(1);
  const StateDict ours = GreedModel({9, 8, 64}, rng).state_dict();
  for (const auto& [name, tensor] : ours) {
    ASSERT_TRUE(published.contains(name)) << name;
    EXPECT_EQ(published.at(name).shape, tensor.shape) << name;
  }
  for (const auto& [name, tensor] : published) EXPECT_TRUE(ours.contains(name)) << name;
}

TEST(TrainDistanceTest, SplitsAreDisjointAlsoUpToIsomorphism) {
  Dataset data = molecules();
  Rng rng(11);
  for (std::size_t i = 0; i < 60; ++i) {
    const Graph& g = data.graphs[i];
    data.graphs.push_back(g.permuted(test::random_permutation(rng, g.num_nodes())));
    data.classes.push_back(data.classes[i]);
    data.source_index.push_back(static_cast<std::int64_t>(data.source_index.size()));
  }
  DistanceTrainOptions options = quick();
  options.epochs = 1;
  const DistanceTrainResult result = train_distance(data, options);
  std::unordered_set<Identity> seen;
  std::size_t graphs = 0;
  for (const auto& part : {result.split.train, result.split.validation, result.split.test}) {
    graphs += part.size();
    for (const std::size_t i : part) seen.emplace(data.graphs[i].without_edge_labels());
  }
  EXPECT_EQ(seen.size(), graphs);
  EXPECT_LE(graphs, molecules().size());
  // Real held-out pairs consist of test graphs alone.
  std::unordered_set<Identity> test_graphs;
  for (const std::size_t i : result.split.test) {
    test_graphs.emplace(data.graphs[i].without_edge_labels());
  }
  EXPECT_FALSE(result.held_out.pairs.empty());
  for (const LabelledPair& pair : result.held_out.pairs) {
    EXPECT_TRUE(test_graphs.contains(Identity(result.held_out.graphs[pair.a])));
    if (pair.kind == PairKind::kEdited) continue;
    EXPECT_TRUE(test_graphs.contains(Identity(result.held_out.graphs[pair.b])));
  }
}

bool same(const StateDict& a, const StateDict& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.first == y.first && x.second.bytes == y.second.bytes;
  });
}

TEST(TrainDistanceTest, ASeedMeansOneResultForAnyNumberOfThreads) {
  DistanceTrainOptions options = quick();
  options.epochs = 2;
  const DistanceTrainResult one = train_distance(molecules(), options);
  options.threads = 3;
  const DistanceTrainResult three = train_distance(molecules(), options);
  EXPECT_TRUE(same(one.weights, three.weights));
  EXPECT_EQ(one.held_out.pairs, three.held_out.pairs);
  EXPECT_EQ(one.validation_loss, three.validation_loss);
  options.seed = 2;
  EXPECT_FALSE(same(one.weights, train_distance(molecules(), options).weights));
}

TEST(TrainDistanceTest, StoppingKeepsTheBestSoFar) {
  DistanceProgress progress;
  progress.labelled = [](const LabelReport&) { return false; };
  EXPECT_TRUE(train_distance(molecules(), quick(), progress).weights.empty());

  // The flag stops work on a pair that would take for ever.
  StopSign stop;
  stop.set();
  progress = {};
  progress.stop = &stop;
  DistanceTrainOptions patient = quick();
  patient.budget_work = GedBudget::kUnlimited;
  EXPECT_TRUE(train_distance(molecules(), patient, progress).weights.empty());

  // In the middle of the first epoch: there is a model nevertheless.
  progress = {};
  progress.trained = [](const DistanceStep&) { return false; };
  const DistanceTrainResult first = train_distance(molecules(), quick(), progress);
  EXPECT_EQ(first.epochs_run, 1);
  EXPECT_NO_THROW(GinEmbedder(first.weights, ""));

  double best = 0;
  progress.trained = [&](const DistanceStep& at) {
    best = at.best_loss;
    return at.epoch < 4 || !at.epoch_ended;
  };
  const DistanceTrainResult fourth = train_distance(molecules(), quick(), progress);
  EXPECT_EQ(fourth.epochs_run, 4);
  EXPECT_EQ(fourth.validation_loss, best);
}

TEST(TrainDistanceTest, DivergenceIsToldApart) {
  DistanceTrainOptions options = quick();
  options.learning_rate = 1e25;
  EXPECT_THROW(train_distance(molecules(), options), Error);
}

void expect_refused(const Dataset& data, const DistanceTrainOptions& options,
                    const std::string& part) {
  try {
    (void)train_distance(data, options);
    FAIL() << "accepted, expected a message with " << part;
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr(part));
    EXPECT_FALSE(error.remedy().empty());
  }
}

TEST(TrainDistanceTest, BadOptionsAreRefused) {
  const auto refuse = [](auto DistanceTrainOptions::*field, auto value, const std::string& part) {
    DistanceTrainOptions options = quick();
    options.*field = value;
    expect_refused(molecules(), options, part);
  };
  refuse(&DistanceTrainOptions::layers, 0, "layers");
  refuse(&DistanceTrainOptions::width, -1, "width");
  refuse(&DistanceTrainOptions::pairs, 0, "pairs");
  refuse(&DistanceTrainOptions::max_edits, 0, "edits");
  refuse(&DistanceTrainOptions::epochs, 0, "epochs");
  refuse(&DistanceTrainOptions::batch_size, 0, "batch size");
  refuse(&DistanceTrainOptions::learning_rate, 0.0, "learning rate");
  refuse(&DistanceTrainOptions::learning_rate, std::nan(""), "learning rate");
  Dataset few = molecules();
  few.graphs.resize(10);
  expect_refused(few, quick(), "10 different graphs");
  few.graphs.assign(100, few.graphs[0]);
  expect_refused(few, quick(), "1 different graph");
}

}  // namespace
}  // namespace fewedits
