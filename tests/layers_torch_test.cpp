// SPDX-License-Identifier: MIT
// The native engine against libtorch: every layer type, from the same random weights, in a
// dense double-precision formulation that shares no code with it (adjacency matrices,
// matmul, masked softmax).
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
#include "support/shared.hpp"

namespace fewedits {
namespace {

constexpr std::int64_t kLabels = 7;
constexpr double kTolerance = 1e-4;

// ---- the dense formulation ------------------------------------------------------------

class DenseModel {
 public:
  DenseModel(const ModelSpec& spec, const StateDict& weights) : spec_(spec), weights_(weights) {}

  [[nodiscard]] torch::Tensor log_probabilities(const Graph& g) const {
    torch::Tensor x = one_hot(g);
    const torch::Tensor a = adjacency(g);
    std::vector<torch::Tensor> outputs;
    for (const LayerSpec& layer : spec_.layers) {
      x = convolution(layer, x, a);
      if (!layer.batch_norm.empty()) x = normalised(x, layer.batch_norm);
      if (layer.activation == Activation::kRelu) x = torch::relu(x);
      if (layer.activation == Activation::kElu) x = torch::elu(x);
      outputs.push_back(x);
    }
    x = pooled(spec_.jumping ? torch::cat(outputs, 1) : x);
    for (std::size_t i = 0; i < spec_.head.size(); ++i) {
      if (i > 0) x = torch::relu(x);
      x = linear(x, spec_.head[i].weights);
      if (!spec_.head[i].batch_norm.empty()) x = normalised(x, spec_.head[i].batch_norm);
    }
    return torch::log_softmax(x, 1).flatten();
  }

 private:
  [[nodiscard]] bool has(const std::string& name) const { return weights_.contains(name); }

  [[nodiscard]] torch::Tensor get(const std::string& name) const {
    const Tensor& t = weights_.at(name);
    return torch::tensor(t.to_floats()).to(torch::kFloat64).reshape(t.shape);
  }

  [[nodiscard]] torch::Tensor optional(const std::string& name) const {
    return has(name) ? get(name) : torch::Tensor();
  }

  static torch::Tensor one_hot(const Graph& g) {
    torch::Tensor x = torch::zeros({g.num_nodes(), kLabels}, torch::kFloat64);
    for (Node v = 0; v < g.num_nodes(); ++v) x[v][g.label(v)] = 1.0;
    return x;
  }

  static torch::Tensor adjacency(const Graph& g) {
    torch::Tensor a = torch::zeros({g.num_nodes(), g.num_nodes()}, torch::kFloat64);
    for (const Edge& e : g.edges()) a[e.u][e.v] = a[e.v][e.u] = 1.0;
    return a;
  }

  [[nodiscard]] torch::Tensor linear(const torch::Tensor& x, const std::string& prefix) const {
    const torch::Tensor out = x.matmul(get(prefix + ".weight").t());
    return has(prefix + ".bias") ? out + get(prefix + ".bias") : out;
  }

  [[nodiscard]] torch::Tensor normalised(const torch::Tensor& x, const std::string& prefix) const {
    return torch::batch_norm(x, optional(prefix + ".weight"), optional(prefix + ".bias"),
                             get(prefix + ".running_mean"), get(prefix + ".running_var"),
                             /*training=*/false, 0.1, spec_.batch_norm_epsilon, false);
  }

  [[nodiscard]] torch::Tensor pooled(const torch::Tensor& x) const {
    if (x.size(0) == 0) return torch::zeros({1, x.size(1)}, torch::kFloat64);
    switch (spec_.pooling) {
      case Aggregation::kMean: return x.mean(0, /*keepdim=*/true);
      case Aggregation::kSum: return x.sum(0, /*keepdim=*/true);
      case Aggregation::kMax: return x.amax(0, /*keepdim=*/true);
    }
    return {};
  }

  [[nodiscard]] torch::Tensor convolution(const LayerSpec& layer, const torch::Tensor& x,
                                          const torch::Tensor& a) const {
    if (x.size(0) == 0) return empty_output(layer);
    switch (layer.conv) {
      case Conv::kGcn: return gcn(layer.weights, x, a);
      case Conv::kGin: return gin(layer.weights, x, a);
      case Conv::kSage: return sage(layer, x, a);
      case Conv::kGat: return gat(layer, x, a);
    }
    return {};
  }

  /// 0 × width, where the width is the last known bias's.
  [[nodiscard]] torch::Tensor empty_output(const LayerSpec& layer) const {
    for (const char* name : {".bias", ".lin_l.bias", ".nn.3.bias", ".nn.2.bias"}) {
      if (has(layer.weights + name)) {
        return torch::zeros({0, get(layer.weights + name).size(0)}, torch::kFloat64);
      }
    }
    ADD_FAILURE() << "no bias under " << layer.weights;
    return {};
  }

  [[nodiscard]] torch::Tensor gcn(const std::string& name, const torch::Tensor& x,
                                  const torch::Tensor& a) const {
    const torch::Tensor loops = a + torch::eye(a.size(0), torch::kFloat64);
    const torch::Tensor d = torch::diag(loops.sum(1).pow(-0.5));
    const torch::Tensor w = has(name + ".weight") ? get(name + ".weight")           // in × out
                                                  : get(name + ".lin.weight").t();  // out × in
    return d.matmul(loops).matmul(d).matmul(x).matmul(w) + get(name + ".bias");
  }

  [[nodiscard]] torch::Tensor gin(const std::string& name, const torch::Tensor& x,
                                  const torch::Tensor& a) const {
    const double epsilon = has(name + ".eps") ? get(name + ".eps").item<double>() : 0.0;
    torch::Tensor h = (1 + epsilon) * x + a.matmul(x);
    // The gaps in the numbering of a Sequential are its ReLUs.
    for (int i = 0; i < 4; ++i) {
      const std::string part = name + ".nn." + std::to_string(i);
      if (has(part + ".running_mean")) {
        h = normalised(h, part);
      } else if (has(part + ".weight")) {
        h = linear(h, part);
      } else if (i < 3) {
        h = torch::relu(h);
      }
    }
    return h;
  }

  [[nodiscard]] torch::Tensor sage(const LayerSpec& layer, const torch::Tensor& x,
                                   const torch::Tensor& a) const {
    const torch::Tensor degree = a.sum(1, /*keepdim=*/true);
    torch::Tensor neighbours = a.matmul(x);
    if (layer.aggregate == Aggregation::kMean) neighbours = neighbours / degree.clamp_min(1.0);
    if (layer.aggregate == Aggregation::kMax) {
      const torch::Tensor candidates =
          x.unsqueeze(0).expand({a.size(0), -1, -1}).masked_fill((a == 0).unsqueeze(2), -INFINITY);
      neighbours = torch::where(degree > 0, candidates.amax(1), torch::zeros_like(x));
    }
    return linear(neighbours, layer.weights + ".lin_l") + linear(x, layer.weights + ".lin_r");
  }

  [[nodiscard]] torch::Tensor gat(const LayerSpec& layer, const torch::Tensor& x,
                                  const torch::Tensor& a) const {
    const std::string& name = layer.weights;
    const bool older = has(name + ".lin_src.weight");
    const torch::Tensor h = linear(x, name + (older ? ".lin_src" : ".lin"));
    const torch::Tensor by_head = h.view({h.size(0), layer.heads, -1});
    const torch::Tensor source = (by_head * get(name + ".att_src")).sum(2);
    const torch::Tensor target = (by_head * get(name + ".att_dst")).sum(2);
    const torch::Tensor score =  // [v, u, head]
        torch::leaky_relu(source.unsqueeze(0) + target.unsqueeze(1), layer.negative_slope);
    const torch::Tensor outside = (a + torch::eye(a.size(0), torch::kFloat64)) == 0;
    const torch::Tensor alpha =
        torch::softmax(score.masked_fill(outside.unsqueeze(2), -INFINITY), 1);
    const torch::Tensor mixed = torch::einsum("vuh,uhc->vhc", {alpha, by_head});
    return (layer.concat_heads ? mixed.flatten(1) : mixed.mean(1)) + get(name + ".bias");
  }

  const ModelSpec& spec_;
  const StateDict& weights_;
};

// ---- random models --------------------------------------------------------------------

enum class Norm { kNone, kAffine, kPlain };

/// One architecture; the defaults are the paper's.
struct Variant {
  Conv conv = Conv::kGcn;
  bool older_names = false;  ///< GCN: convs.L.weight in × out; GAT: lin_src
  bool eps = false;          ///< GIN
  bool inner_norm = false;   ///< GIN: batch norm inside the Sequential
  Aggregation aggregate = Aggregation::kMean;
  int heads = 1;
  bool concat = true;
  Norm norm = Norm::kAffine;
  Activation activation = Activation::kRelu;
  Aggregation pooling = Aggregation::kMax;
  bool jumping = false;
  std::vector<std::int64_t> head_widths = {};
  bool head_norm = false;
  std::int64_t classes = 2;
};

class ModelMaker {
 public:
  ModelMaker(const Variant& variant, std::int64_t width, std::uint64_t seed)
      : variant_(variant), rng_(seed) {
    std::int64_t in = kLabels;
    std::int64_t all = 0;
    for (int l = 0; l < 3; ++l) {
      in = add_layer(std::to_string(l), in, width);
      all += in;
    }
    spec.jumping = variant.jumping;
    spec.pooling = variant.pooling;
    add_head(variant.jumping ? all : in);
  }

  ModelSpec spec;
  StateDict weights;

 private:
  void add(const std::string& name, const std::vector<std::int64_t>& shape, double low,
           double high) {
    std::size_t count = 1;
    for (const std::int64_t s : shape) count *= static_cast<std::size_t>(s);
    std::vector<float> values(count);
    for (float& v : values) v = static_cast<float>(low + (high - low) * rng_.uniform());
    weights[name] = Tensor::from_floats(shape, values);
  }

  /// Sums over neighbours and nodes grow the features: smaller weights keep them near 1, so
  /// that an absolute tolerance means something.
  void add_matrix(const std::string& name, std::int64_t rows, std::int64_t columns,
                  std::int64_t in) {
    const bool sums = variant_.conv == Conv::kGin || variant_.aggregate == Aggregation::kSum;
    const double bound = (sums ? 1.0 : 2.0) / std::sqrt(static_cast<double>(in));
    add(name, {rows, columns}, -bound, bound);
  }

  void add_linear(const std::string& prefix, std::int64_t out, std::int64_t in, bool bias = true) {
    add_matrix(prefix + ".weight", out, in, in);
    if (bias) add(prefix + ".bias", {out}, -0.3, 0.3);
  }

  void add_norm(const std::string& prefix, std::int64_t features, bool affine) {
    add(prefix + ".running_mean", {features}, -0.5, 0.5);
    add(prefix + ".running_var", {features}, 0.3, 2.0);
    if (!affine) return;
    add(prefix + ".weight", {features}, -0.6, 1.8);
    add(prefix + ".bias", {features}, -0.5, 0.5);
  }

  std::int64_t add_layer(const std::string& number, std::int64_t in, std::int64_t width) {
    LayerSpec layer;
    layer.conv = variant_.conv;
    layer.weights = "convs." + number;
    layer.activation = variant_.activation;
    layer.aggregate = variant_.aggregate;
    layer.heads = variant_.heads;
    layer.concat_heads = variant_.concat;
    const std::int64_t out = add_convolution(layer.weights, in, width);
    if (variant_.norm != Norm::kNone) {
      layer.batch_norm = "bns." + number;
      add_norm(layer.batch_norm, out, variant_.norm == Norm::kAffine);
    }
    spec.layers.push_back(layer);
    return out;
  }

  std::int64_t add_convolution(const std::string& name, std::int64_t in, std::int64_t width) {
    switch (variant_.conv) {
      case Conv::kGcn:
        if (variant_.older_names) {
          add_matrix(name + ".weight", in, width, in);
        } else {
          add_matrix(name + ".lin.weight", width, in, in);
        }
        add(name + ".bias", {width}, -0.3, 0.3);
        return width;
      case Conv::kGin:
        add_linear(name + ".nn.0", width + 3, in);
        if (variant_.inner_norm) add_norm(name + ".nn.1", width + 3, /*affine=*/true);
        add_linear(name + (variant_.inner_norm ? ".nn.3" : ".nn.2"), width, width + 3);
        if (variant_.eps) add(name + ".eps", {1}, 0.1, 0.5);
        return width;
      case Conv::kSage:
        add_linear(name + ".lin_l", width, in);
        add_linear(name + ".lin_r", width, in, /*bias=*/false);
        return width;
      case Conv::kGat: return add_attention(name, in, width);
    }
    return width;
  }

  /// `width` is one head's.
  std::int64_t add_attention(const std::string& name, std::int64_t in, std::int64_t width) {
    const std::int64_t heads = variant_.heads;
    add_linear(name + (variant_.older_names ? ".lin_src" : ".lin"), heads * width, in, false);
    add(name + ".att_src", {1, heads, width}, -1.0, 1.0);
    add(name + ".att_dst", {1, heads, width}, -1.0, 1.0);
    const std::int64_t out = variant_.concat ? heads * width : width;
    add(name + ".bias", {out}, -0.3, 0.3);
    return out;
  }

  void add_head(std::int64_t in) {
    std::vector<std::int64_t> widths = variant_.head_widths;
    widths.push_back(variant_.classes);
    for (std::size_t i = 0; i < widths.size(); ++i) {
      HeadSpec part{widths.size() == 1 ? "fc" : "fcs." + std::to_string(i), ""};
      // A sum over 60 nodes goes in.
      const double bound = (variant_.pooling == Aggregation::kSum && i == 0 ? 0.2 : 3.0) /
                           std::sqrt(static_cast<double>(in));
      add(part.weights + ".weight", {widths[i], in}, -bound, bound);
      add(part.weights + ".bias", {widths[i]}, -0.3, 0.3);
      if (variant_.head_norm && i + 1 < widths.size()) {
        part.batch_norm = "head_norms." + std::to_string(i);
        add_norm(part.batch_norm, widths[i], /*affine=*/true);
      }
      spec.head.push_back(part);
      in = widths[i];
    }
  }

  Variant variant_;
  Rng rng_;
};

/// Molecule-like graphs and the odd ones: no node, one node, isolated nodes, two components,
/// a star.
std::vector<Graph> test_graphs() {
  Rng rng(11);
  std::vector<Graph> graphs{Graph()};
  for (const Node n : {1U, 2U, 3U, 8U, 17U, 30U, 61U}) {
    graphs.push_back(test::random_graph(rng, n, n / 4, static_cast<Label>(kLabels)));
  }
  graphs.emplace_back(std::vector<Label>{3, 1, 4, 1, 5}, std::vector<Edge>{});
  graphs.emplace_back(std::vector<Label>{0, 1, 2, 3, 4, 5, 6},
                      std::vector<Edge>{{0, 1}, {1, 2}, {0, 2}, {4, 5}});
  std::vector<Edge> star;
  for (Node v = 1; v < 24; ++v) star.push_back({0, v});
  graphs.emplace_back(std::vector<Label>(24, 2), star);
  return graphs;
}

/// To the last bit, though only what an edit reaches is computed.
void expect_neighbours_as_from_scratch(const NativeClassifier& native,
                                       const std::vector<Graph>& graphs) {
  ThreadPool pool(2);
  for (const Graph& g : graphs) {
    const std::vector<Edit> edits =
        neighbours(g, {.num_labels = static_cast<std::size_t>(kLabels)});
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
  static const std::vector<Graph> graphs = test_graphs();
  const DenseModel dense(model.spec, model.weights);
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
    ASSERT_EQ(native.num_labels(), static_cast<std::size_t>(kLabels));
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

constexpr Conv kConvs[] = {Conv::kGcn, Conv::kGin, Conv::kSage, Conv::kGat};

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
