// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "fewedits/base/error.hpp"
#include "fewedits/base/file.hpp"
#include "fewedits/base/parallel.hpp"
#include "fewedits/classifier/model_file.hpp"
#include "fewedits/classifier/native/native_classifier.hpp"
#include "fewedits/formats/checkpoint_writer.hpp"
#include "fewedits/train/torch_model.hpp"
#include "fewedits/train/torch_ops.hpp"
#include "fewedits/train/train_classifier.hpp"
#include "support/shared.hpp"

namespace fewedits {
namespace {

// ---- gradients of the operations ------------------------------------------------------

using Tensors = std::vector<torch::Tensor>;
using Operation = std::function<torch::Tensor(const Tensors&)>;

/// Random numbers from our generator, so that the test does not depend on torch's.
torch::Tensor random_tensor(Rng& rng, const std::vector<std::int64_t>& shape) {
  torch::Tensor out = torch::empty(shape, torch::kFloat64);
  for (std::int64_t i = 0; i < out.numel(); ++i) out.data_ptr<double>()[i] = 2 * rng.uniform() - 1;
  return out;
}

Tensors leaves(const Tensors& values, torch::Dtype type) {
  Tensors out;
  for (const auto& v : values) out.push_back(v.to(type).clone().requires_grad_());
  return out;
}

/// Σ r·operation(x) and its gradients.
Tensors gradients(const Operation& operation, const Tensors& inputs, const torch::Tensor& r) {
  const torch::Tensor out = operation(inputs);
  return torch::autograd::grad({(out * r.to(out.scalar_type())).sum()}, inputs);
}

void expect_close(const torch::Tensor& a, const torch::Tensor& b, const char* what) {
  ASSERT_EQ(a.sizes(), b.sizes()) << what;
  EXPECT_LT((a.to(torch::kFloat64) - b).abs().max().item<double>(), 2e-5) << what;
}

/// The float operation and its gradient against the dense one in double, and the dense
/// gradient against finite differences of the dense values.
void check_operation(const Operation& ours, const Operation& dense, const Tensors& values,
                     std::uint64_t seed) {
  Rng rng(seed, 77);
  const Tensors x = leaves(values, torch::kFloat32);
  const Tensors y = leaves(values, torch::kFloat64);
  const torch::Tensor expected = dense(y);
  expect_close(ours(x), expected, "value");
  const torch::Tensor r = random_tensor(rng, expected.sizes().vec());
  const Tensors got = gradients(ours, x, r);
  const Tensors wanted = gradients(dense, y, r);
  for (std::size_t i = 0; i < x.size(); ++i) expect_close(got[i], wanted[i], "gradient");

  const double h = 1e-6;
  double slope = 0;
  Tensors up;
  Tensors down;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const torch::Tensor direction = random_tensor(rng, y[i].sizes().vec());
    slope += (wanted[i] * direction).sum().item<double>();
    up.push_back(y[i].detach() + h * direction);
    down.push_back(y[i].detach() - h * direction);
  }
  const double difference = ((dense(up) - dense(down)) * r).sum().item<double>() / (2 * h);
  EXPECT_NEAR(difference, slope, 1e-4 * (1 + std::abs(slope)));
}

constexpr Label kLabels = 4;

std::vector<std::size_t> all_of(std::size_t count) {
  std::vector<std::size_t> out(count);
  std::iota(out.begin(), out.end(), std::size_t{0});
  return out;
}

/// Random graphs with the odd ones between: empty, one node, isolated nodes, two components.
GraphBatch odd_batch(std::uint64_t seed) {
  Rng rng(seed);
  std::vector<Graph> graphs{
      test::random_graph(rng, 7, 3, kLabels),
      Graph(),
      test::random_graph(rng, 1, 0, kLabels),
      Graph(std::vector<Label>{0, 1, 2}, std::vector<Edge>{}),
      Graph(std::vector<Label>{3, 1, 2, 0}, std::vector<Edge>{{0, 2}, {1, 3}}),
      test::random_graph(rng, 12, 5, kLabels),
      Graph()};
  const std::vector<int> classes{0, 1, 0, 1, 1, 0, 0};
  return make_batch(graphs, classes, all_of(graphs.size()), kLabels);
}

torch::Tensor dense_adjacency(const GraphBatch& batch) {
  torch::Tensor a = torch::zeros({batch.num_nodes(), batch.num_nodes()}, torch::kFloat64);
  const auto offsets = batch.offsets.accessor<std::int32_t, 1>();
  const auto targets = batch.targets.accessor<std::int32_t, 1>();
  for (std::int64_t v = 0; v < batch.num_nodes(); ++v) {
    for (std::int64_t e = offsets[v]; e < offsets[v + 1]; ++e) a[v][targets[e]] = 1.0;
  }
  return a;
}

/// [graphs × nodes] membership.
torch::Tensor dense_membership(const GraphBatch& batch) {
  torch::Tensor p = torch::zeros({batch.num_graphs(), batch.num_nodes()}, torch::kFloat64);
  const auto offsets = batch.graph_offsets.accessor<std::int32_t, 1>();
  for (std::int64_t i = 0; i < batch.num_graphs(); ++i) {
    for (std::int64_t v = offsets[i]; v < offsets[i + 1]; ++v) p[i][v] = 1.0;
  }
  return p;
}

/// Row-wise maximum over the columns where mask is set; 0 where there is none.
torch::Tensor masked_max(const torch::Tensor& x, const torch::Tensor& mask) {
  const torch::Tensor all = x.unsqueeze(0).expand({mask.size(0), -1, -1});
  const torch::Tensor top = all.masked_fill((mask == 0).unsqueeze(2), -1e30).amax(1);
  return torch::where(mask.sum(1, true) > 0, top, torch::zeros_like(top));
}

TEST(TorchOpsTest, BatchIsTheDisjointUnion) {
  const GraphBatch batch = odd_batch(1);
  EXPECT_EQ(batch.num_nodes(), 7 + 1 + 3 + 4 + 12);
  EXPECT_EQ(batch.num_graphs(), 7);
  EXPECT_TRUE(torch::equal(batch.features.sum(1), torch::ones({batch.num_nodes()})));
  const torch::Tensor a = dense_adjacency(batch);
  EXPECT_TRUE(torch::equal(a, a.t()));
  // No edge leaves a graph.
  const torch::Tensor p = dense_membership(batch);
  const torch::Tensor together = p.t().matmul(p);
  EXPECT_EQ((a * (1 - together)).sum().item<double>(), 0.0);
}

TEST(TorchOpsTest, NeighbourSumIsTheScaledProduct) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const GraphBatch batch = odd_batch(seed);
    Rng rng(seed, 1);
    const torch::Tensor a = dense_adjacency(batch);
    const torch::Tensor loops = torch::eye(batch.num_nodes(), torch::kFloat64);
    const Tensors x{random_tensor(rng, {batch.num_nodes(), 5})};
    const torch::Tensor d = torch::diag((a.sum(1) + 1).pow(-0.5));
    check_operation(
        [&](const Tensors& t) {
          return neighbour_sum(t[0], batch, 1.0, gcn_scale(batch), gcn_scale(batch));
        },
        [&](const Tensors& t) { return d.matmul(a + loops).matmul(d).matmul(t[0]); }, x, seed);
    const torch::Tensor mean = torch::diag(1.0 / a.sum(1).clamp_min(1));
    check_operation(
        [&](const Tensors& t) { return neighbour_sum(t[0], batch, 0.0, {}, mean_scale(batch)); },
        [&](const Tensors& t) { return mean.matmul(a).matmul(t[0]); }, x, seed);
    check_operation([&](const Tensors& t) { return neighbour_sum(t[0], batch, 1.25); },
                    [&](const Tensors& t) { return (a + 1.25 * loops).matmul(t[0]); }, x, seed);
  }
}

TEST(TorchOpsTest, EdgeMessagesAreSummedAfterRelu) {
  constexpr Label kEdgeLabels = 3;
  Rng rng(8);
  std::vector<Graph> graphs{test::random_graph(rng, 7, 3, kLabels, kEdgeLabels), Graph(),
                            Graph(std::vector<Label>{0, 1, 2}, std::vector<Edge>{}),
                            test::random_graph(rng, 12, 5, kLabels, kEdgeLabels)};
  const std::vector<int> classes{0, 1, 0, 1};
  const GraphBatch batch = make_batch(graphs, classes, all_of(graphs.size()), kLabels);
  const std::int64_t n = batch.num_nodes();
  torch::Tensor labels = torch::zeros({n, n, kEdgeLabels}, torch::kFloat64);
  std::int64_t first = 0;
  for (const Graph& g : graphs) {
    for (const Edge& e : g.edges()) {
      labels[first + e.u][first + e.v][e.label] = labels[first + e.v][first + e.u][e.label] = 1.0;
    }
    first += g.num_nodes();
  }
  const torch::Tensor there = dense_adjacency(batch).unsqueeze(2);
  check_operation([&](const Tensors& t) { return edge_message_sum(t[0], t[1], batch); },
                  [&](const Tensors& t) {
                    return t[0] +
                           (there * torch::relu(t[0].unsqueeze(0) + labels.matmul(t[1]))).sum(1);
                  },
                  {random_tensor(rng, {n, 5}), random_tensor(rng, {kEdgeLabels, 5})}, 5);
}

TEST(TorchOpsTest, MaximaAndPooling) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const GraphBatch batch = odd_batch(seed);
    Rng rng(seed, 2);
    const torch::Tensor a = dense_adjacency(batch);
    const torch::Tensor p = dense_membership(batch);
    const Tensors x{random_tensor(rng, {batch.num_nodes(), 5})};
    check_operation([&](const Tensors& t) { return neighbour_max(t[0], batch); },
                    [&](const Tensors& t) { return masked_max(t[0], a); }, x, seed);
    check_operation([&](const Tensors& t) { return pool_nodes(t[0], batch, Aggregation::kMax); },
                    [&](const Tensors& t) { return masked_max(t[0], p); }, x, seed);
    check_operation([&](const Tensors& t) { return pool_nodes(t[0], batch, Aggregation::kSum); },
                    [&](const Tensors& t) { return p.matmul(t[0]); }, x, seed);
    check_operation([&](const Tensors& t) { return pool_nodes(t[0], batch, Aggregation::kMean); },
                    [&](const Tensors& t) { return p.matmul(t[0]) / p.sum(1, true).clamp_min(1); },
                    x, seed);
  }
}

TEST(TorchOpsTest, TiedMaximumSendsItsGradientToTheFirst) {
  const GraphBatch batch = odd_batch(1);
  const torch::Tensor x = torch::ones({batch.num_nodes(), 2}).requires_grad_();
  pool_nodes(x, batch, Aggregation::kMax).sum().backward();
  const torch::Tensor wanted = torch::zeros_like(x);
  for (const std::int64_t first : {0, 7, 8, 11, 15}) wanted[first] = 1.0;
  EXPECT_TRUE(torch::equal(x.grad(), wanted));
}

TEST(TorchOpsTest, AttentionIsTheMaskedSoftmax) {
  for (const std::int64_t heads : {1, 3}) {
    const GraphBatch batch = odd_batch(static_cast<std::uint64_t>(heads));
    Rng rng(5, static_cast<std::uint64_t>(heads));
    const std::int64_t n = batch.num_nodes();
    const torch::Tensor outside =
        (dense_adjacency(batch) + torch::eye(n, torch::kFloat64) == 0).unsqueeze(2);
    const Tensors inputs{random_tensor(rng, {n, heads * 4}), 3 * random_tensor(rng, {n, heads}),
                         3 * random_tensor(rng, {n, heads})};
    check_operation(
        [&](const Tensors& t) { return attention_sum(t[0], t[1], t[2], batch, 0.2); },
        [&](const Tensors& t) {
          const torch::Tensor score = torch::leaky_relu(t[1].unsqueeze(0) + t[2].unsqueeze(1), 0.2);
          const torch::Tensor alpha = torch::softmax(score.masked_fill(outside, -1e30), 1);
          return torch::einsum("vuh,uhc->vhc", {alpha, t[0].view({n, heads, 4})}).flatten(1);
        },
        inputs, 9);
  }
}

TEST(TorchOpsTest, BatchNormAndItsRunningStatistics) {
  Rng rng(3);
  const Tensors inputs{3 * random_tensor(rng, {50, 5}) + 2, random_tensor(rng, {5}),
                       random_tensor(rng, {5})};
  torch::Tensor mean = torch::full({5}, 0.5);
  torch::Tensor variance = torch::full({5}, 2.0);
  const torch::Tensor dense_mean = mean.to(torch::kFloat64);
  const torch::Tensor dense_variance = variance.to(torch::kFloat64);
  check_operation(
      [&](const Tensors& t) {
        return train_batch_norm(t[0], t[1], t[2], mean, variance, 0.1, 1e-5);
      },
      [&](const Tensors& t) {
        return torch::batch_norm(t[0], t[1], t[2], {}, {}, true, 0.1, 1e-5, false);
      },
      inputs, 4);
  // check_operation ran ours twice.
  for (int i = 0; i < 2; ++i) {
    torch::batch_norm(inputs[0], {}, {}, dense_mean, dense_variance, true, 0.1, 1e-5, false);
  }
  expect_close(mean, dense_mean, "running mean");
  expect_close(variance, dense_variance, "running variance");
}

// ---- training -------------------------------------------------------------------------

/// Class 1 exactly when two neighbours both have label 2: no count of labels tells.
Dataset rule_dataset(std::size_t count, std::uint64_t seed) {
  Dataset out;
  out.name = "rule";
  for (Label l = 0; l < kLabels; ++l) out.node_labels.push_back({l, "L" + std::to_string(l)});
  out.class_labels = {{0, "without"}, {1, "with"}};
  out.desired_class = 1;
  Rng rng(seed);
  for (std::size_t i = 0; i < count; ++i) {
    const auto nodes = static_cast<Node>(6 + rng.below(9));
    const Graph g = test::random_graph(rng, nodes, 2, kLabels);
    const auto edges = g.edges();
    out.classes.push_back(std::any_of(edges.begin(), edges.end(), [&](const Edge& e) {
      return g.label(e.u) == 2 && g.label(e.v) == 2;
    }));
    out.graphs.push_back(g);
    out.source_index.push_back(static_cast<std::int64_t>(i));
  }
  return out;
}

/// Class 1 exactly when an edge has label 2, on graphs that are drawn alike otherwise: nothing but
/// the labels of edges tells.
Dataset bond_dataset(std::size_t count, std::uint64_t seed) {
  Dataset out = rule_dataset(0, seed);
  for (Label l = 0; l < 3; ++l) out.edge_labels.push_back({l, "bond" + std::to_string(l)});
  Rng rng(seed);
  for (std::size_t i = 0; i < count; ++i) {
    const auto nodes = static_cast<Node>(6 + rng.below(9));
    Graph g = test::random_graph(rng, nodes, 2, kLabels, 2);
    const bool in_class = i % 2 == 1;
    if (in_class) {
      const auto edges = g.edges();
      const Edge& e = edges[rng.below(edges.size())];
      g = g.with_edge_label(e.u, e.v, 2);
    }
    out.classes.push_back(in_class ? 1 : 0);
    out.graphs.push_back(g);
    out.source_index.push_back(static_cast<std::int64_t>(i));
  }
  return out;
}

TrainOptions quick(Conv conv = Conv::kGcn) {
  TrainOptions options;
  options.conv = conv;
  options.layers = 2;
  options.width = 16;
  options.heads = conv == Conv::kGat ? 4 : 1;
  options.learning_rate = 0.01;
  options.epochs = 25;
  options.batch_size = 32;
  return options;
}

double native_accuracy(const NativeClassifier& native, const Dataset& data,
                       const std::vector<std::size_t>& part) {
  ThreadPool pool(1);
  std::size_t right = 0;
  for (const std::size_t i : part) {
    std::vector<float> row(native.num_classes());
    native.log_probabilities({&data.graphs[i], 1}, row, pool);
    if (predicted_class(row) == static_cast<std::size_t>(data.classes[i])) ++right;
  }
  return static_cast<double>(right) / static_cast<double>(part.size());
}

std::vector<float> native_rows(const NativeClassifier& native, const Dataset& data) {
  ThreadPool pool(1);
  std::vector<float> out(data.size() * native.num_classes());
  native.log_probabilities(data.graphs, out, pool);
  return out;
}

/// Trains, and expects a falling loss and the native engine to agree with torch.
TrainResult expect_learns(const Dataset& data, const TrainOptions& options) {
  std::vector<double> losses;
  const TrainResult result = train_classifier(data, options, [&](const EpochReport& report) {
    losses.push_back(report.train_loss);
    return true;
  });
  EXPECT_EQ(losses.size(), static_cast<std::size_t>(options.epochs));
  EXPECT_LT(losses.back(), 0.75 * losses.front());
  EXPECT_GT(result.train_accuracy, 0.75);

  const NativeClassifier native(result.spec, result.weights, "trained");
  EXPECT_DOUBLE_EQ(native_accuracy(native, data, result.split.train), result.train_accuracy);
  EXPECT_DOUBLE_EQ(native_accuracy(native, data, result.split.validation),
                   result.validation_accuracy);
  EXPECT_DOUBLE_EQ(native_accuracy(native, data, result.split.test), result.test_accuracy);

  Rng rng(0);
  TorchModel model(result.spec,
                   {.labels = kLabels,
                    .width = options.width,
                    .head_widths = options.head_widths,
                    .classes = 2,
                    .edge_labels = static_cast<std::int64_t>(data.edge_labels.size()),
                    .embedding = options.embedding},
                   rng);
  model.load(result.weights);
  const torch::NoGradGuard no_grad;
  const torch::Tensor rows =
      model.forward(make_batch(data.graphs, data.classes, all_of(data.size()), kLabels), false);
  const std::vector<float> ours = native_rows(native, data);
  for (std::size_t i = 0; i < ours.size(); ++i) {
    EXPECT_NEAR(ours[i], rows.data_ptr<float>()[i], 1e-4) << "graph " << i / 2;
  }
  return result;
}

std::set<std::string> names(const StateDict& weights) {
  std::set<std::string> out;
  for (const auto& [name, tensor] : weights) out.insert(name);
  return out;
}

TEST(TrainTest, EveryConvolutionLearnsAndRunsNatively) {
  const Dataset data = rule_dataset(300, 1);
  const std::vector<std::pair<Conv, std::set<std::string>>> expected{
      {Conv::kGcn, {"lin.weight", "bias"}},
      {Conv::kGin, {"nn.0.weight", "nn.0.bias", "nn.2.weight", "nn.2.bias", "eps"}},
      {Conv::kSage, {"lin_l.weight", "lin_l.bias", "lin_r.weight"}},
      {Conv::kGat, {"lin_src.weight", "att_src", "att_dst", "bias"}}};
  for (const auto& [conv, tensors] : expected) {
    SCOPED_TRACE(static_cast<int>(conv));
    const TrainResult result = expect_learns(data, quick(conv));
    std::set<std::string> wanted{"fc.weight", "fc.bias"};
    for (const std::string layer : {"0", "1"}) {
      for (const std::string& t : tensors) wanted.insert("convs." + layer + "." + t);
      for (const char* t : {"weight", "bias", "running_mean", "running_var", "num_batches_tracked"})
        wanted.insert("bns." + layer + "." + t);
    }
    EXPECT_EQ(names(result.weights), wanted);
    EXPECT_EQ(result.spec.node_labels, (std::vector<std::string>{"L0", "L1", "L2", "L3"}));
    EXPECT_EQ(result.spec.classes, (std::vector<std::string>{"without", "with"}));
  }
}

TEST(TrainTest, OnlyAModelThatSeesEdgesLearnsWhatEdgesAloneTell) {
  const Dataset data = bond_dataset(400, 2);
  const TrainResult gine = expect_learns(data, quick(Conv::kGine));
  EXPECT_GT(gine.test_accuracy, 0.9);
  EXPECT_EQ(gine.spec.edge_labels, (std::vector<std::string>{"bond0", "bond1", "bond2"}));
  EXPECT_TRUE(gine.weights.contains("convs.1.lin.weight"));
  TrainOptions embedded = quick(Conv::kGine);
  embedded.embedding = 8;
  const TrainResult with_embedding = expect_learns(data, embedded);
  EXPECT_GT(with_embedding.test_accuracy, 0.9);
  EXPECT_EQ(with_embedding.spec.node_embedding, "node_emb");
  const TrainResult gcn = train_classifier(data, quick(Conv::kGcn));
  EXPECT_LT(gcn.test_accuracy, 0.7) << "it cannot tell them apart";
  EXPECT_TRUE(gcn.spec.edge_labels.empty());
  Dataset without = data;
  without.edge_labels.clear();
  EXPECT_THROW(train_classifier(without, quick(Conv::kGine)), Error);
}

TEST(TrainTest, OtherShapesOfTheModelLearnAndRunNatively) {
  const Dataset data = rule_dataset(300, 2);
  for (const Conv conv : {Conv::kGcn, Conv::kGin}) {
    TrainOptions options = quick(conv);
    options.jumping = true;
    options.head_widths = {12, 6};
    options.pooling = Aggregation::kSum;
    const TrainResult result = expect_learns(data, options);
    EXPECT_EQ(result.weights.at("fcs.0.weight").shape, (std::vector<std::int64_t>{12, 32}));
    EXPECT_EQ(result.weights.at("fcs.2.weight").shape, (std::vector<std::int64_t>{2, 6}));
  }
  TrainOptions options = quick(Conv::kSage);
  options.batch_norm = false;
  options.pooling = Aggregation::kMax;
  options.weight_decay = 1e-4;
  const TrainResult result = expect_learns(data, options);
  EXPECT_FALSE(result.weights.contains("bns.0.weight"));
}

bool same_bytes(const StateDict& a, const StateDict& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.first == y.first && x.second.shape == y.second.shape &&
           x.second.bytes == y.second.bytes;
  });
}

TEST(TrainTest, SameSeedSameBytesWhateverTheThreads) {
  const Dataset data = rule_dataset(150, 3);
  TrainOptions options = quick(Conv::kGat);
  options.epochs = 5;
  const TrainResult first = train_classifier(data, options);
  const int threads = at::get_num_threads();
  at::set_num_threads(threads == 1 ? 2 : 1);
  const TrainResult again = train_classifier(data, options);
  EXPECT_EQ(at::get_num_threads(), threads == 1 ? 2 : 1) << "the setting is put back";
  at::set_num_threads(threads);
  EXPECT_TRUE(same_bytes(first.weights, again.weights));
  EXPECT_EQ(first.split.test, again.split.test);
  options.seed = 2;
  EXPECT_FALSE(same_bytes(first.weights, train_classifier(data, options).weights));
}

TEST(TrainTest, ProgressStopsAndTheBestComesBack) {
  const Dataset data = rule_dataset(150, 4);
  std::vector<EpochReport> seen;
  const TrainResult result = train_classifier(data, quick(), [&](const EpochReport& report) {
    seen.push_back(report);
    return report.epoch < 7;
  });
  ASSERT_EQ(seen.size(), 7U);
  EXPECT_EQ(result.epochs_run, 7);
  const auto best = std::min_element(seen.begin(), seen.end(), [](const auto& a, const auto& b) {
    return a.validation_loss < b.validation_loss;
  });
  EXPECT_EQ(result.best_epoch, best->epoch);
  EXPECT_EQ(result.validation_loss, best->validation_loss);
  EXPECT_EQ(result.validation_accuracy, best->validation_accuracy);
  EXPECT_TRUE(best->best);
  EXPECT_TRUE(seen.front().best);
  EXPECT_EQ(seen.front().epochs, 25);
}

TEST(TrainTest, WithoutValidationTheTrainingLossChooses) {
  const Dataset data = rule_dataset(100, 5);
  TrainOptions options = quick();
  options.epochs = 6;
  options.train_share = 1.0;
  options.validation_share = 0;
  double lowest = 1e9;
  const TrainResult result = train_classifier(data, options, [&](const EpochReport& report) {
    lowest = std::min(lowest, report.train_loss);
    return true;
  });
  EXPECT_EQ(result.validation_loss, lowest);
  EXPECT_TRUE(result.split.test.empty());
  EXPECT_EQ(result.test_accuracy, 0.0);
}

TEST(TrainTest, BatchesOfOneNodeAreJoined) {
  Dataset data = rule_dataset(0, 1);
  for (int i = 0; i < 31; ++i) {
    data.graphs.emplace_back(std::vector<Label>{static_cast<Label>(i % 2)}, std::vector<Edge>{});
    data.classes.push_back(i % 2);
  }
  for (const int batch_size : {1, 5, 1000}) {
    TrainOptions options = quick();
    options.batch_size = batch_size;
    options.train_share = 26.0 / 31.0;  // 26 = 5·5 + 1
    const TrainResult result = train_classifier(data, options);
    EXPECT_EQ(result.split.train.size(), 26U);
    EXPECT_EQ(result.epochs_run, options.epochs);
  }
}

TEST(TrainTest, BadOptionsSayWhatIsWrong) {
  const Dataset data = rule_dataset(40, 6);
  const auto expect_error = [](const Dataset& d, const TrainOptions& o, const std::string& word) {
    try {
      train_classifier(d, o);
      ADD_FAILURE() << "no error about " << word;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
      EXPECT_FALSE(error.remedy().empty());
    }
  };
  const auto with = [](auto member, auto value) {
    TrainOptions options = quick();
    options.*member = value;
    return options;
  };
  expect_error(data, with(&TrainOptions::layers, 0), "layers");
  expect_error(data, with(&TrainOptions::width, 0), "width");
  expect_error(data, with(&TrainOptions::epochs, 0), "epochs");
  expect_error(data, with(&TrainOptions::batch_size, -3), "batch size");
  expect_error(data, with(&TrainOptions::heads, 0), "heads");
  expect_error(data, with(&TrainOptions::learning_rate, 0.0), "learning rate");
  expect_error(data, with(&TrainOptions::learning_rate, std::nan("")), "learning rate");
  expect_error(data, with(&TrainOptions::learning_rate, 1e38), "learning rate");
  expect_error(data, with(&TrainOptions::weight_decay, -1.0), "weight decay");
  expect_error(data, with(&TrainOptions::head_widths, std::vector<int>{0}), "hidden width");
  expect_error(data, with(&TrainOptions::train_share, 0.0), "empty");
  expect_error(data, with(&TrainOptions::train_share, 1.5), "split");
  TrainOptions heads = quick(Conv::kGat);
  heads.heads = 5;
  expect_error(data, heads, "do not divide");
  Dataset one_class = data;
  std::fill(one_class.classes.begin(), one_class.classes.end(), 1);
  expect_error(one_class, quick(), "class");
  TrainOptions wild = quick();
  wild.batch_norm = false;
  wild.learning_rate = 1e29;
  expect_error(data, wild, "diverged");
}

TEST(TrainTest, CheckpointAndModelFileRoundTrip) {
  const Dataset data = rule_dataset(100, 7);
  const test::TemporaryFolder folder;
  for (const Conv conv : {Conv::kGcn, Conv::kGin, Conv::kSage, Conv::kGat}) {
    TrainOptions options = quick(conv);
    options.epochs = 2;
    const TrainResult result = train_classifier(data, options);
    const auto direct = native_rows(NativeClassifier(result.spec, result.weights, "trained"), data);
    for (const std::string file : {"model.pt", "model.safetensors"}) {
      write_checkpoint(folder.path() / file, result.weights);
      write_file_atomically(folder.path() / "model.json", to_json(ModelFile{result.spec, file}));
      EXPECT_EQ(native_rows(load_classifier(folder.path() / "model.json"), data), direct);
      EXPECT_EQ(native_rows(load_classifier(folder.path() / file), data), direct);
    }
    if (conv != Conv::kGcn) continue;
    // The paper's layout needs no model file.
    write_checkpoint(folder.path() / "bare.pt", result.weights);
    EXPECT_EQ(native_rows(load_classifier(folder.path() / "bare.pt"), data), direct);
  }
}

}  // namespace
}  // namespace fewedits
