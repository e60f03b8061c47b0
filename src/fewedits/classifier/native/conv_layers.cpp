// SPDX-License-Identifier: MIT
#include "fewedits/classifier/native/conv_layers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "fewedits/base/error.hpp"
#include "fewedits/classifier/native/conv_gradients.hpp"
#include "fewedits/classifier/native/edge_features.hpp"
#include "fewedits/classifier/native/gat_weights.hpp"
#include "fewedits/classifier/native/nonlinearity.hpp"

namespace fewedits {
namespace {

double product_flops(double rows, const PackedLinear& w) {
  return 2.0 * rows * static_cast<double>(w.inner) * static_cast<double>(w.columns);
}

/// Adds of one aggregation: a row for every neighbour and for the node itself.
double aggregate_flops(const Graph& g, std::size_t columns) {
  return (2.0 * static_cast<double>(g.num_edges()) + g.num_nodes()) * static_cast<double>(columns);
}

/// The epilogue of a linear map that ends a layer; all but ReLU is applied afterwards.
Epilogue closing(const PackedLinear& w, const Nonlinearity& f) {
  return {w.bias.data(), nullptr, f.kind == Activation::kRelu};
}

void finish_rest(const Nonlinearity& f, std::size_t rows, const PackedLinear& w, float* out) {
  if (!f.is_fused()) apply_nonlinearity(f, rows, w.columns, w.width(), out);
}

Nonlinearity nonlinearity(Activation activation, const ModelSpec& model) {
  return {activation, static_cast<float>(model.leaky_slope)};
}

/// The batch norm that stands between a layer and its activation; empty: none.
std::string folded_norm(const LayerSpec& spec) {
  return spec.batch_norm_last ? std::string() : spec.batch_norm;
}

class GcnLayer final : public ConvLayer {
 public:
  GcnLayer(const LayerSpec& spec, const WeightReader& weights, const ModelSpec& model)
      : activation_(nonlinearity(spec.activation, model)) {
    // Older PyTorch Geometric stores the matrix in × out under another name.
    const bool older = !weights.has(spec.weights + ".lin.weight");
    linear_ = weights.matrix(spec.weights + (older ? ".weight" : ".lin.weight"), older,
                             spec.weights + ".bias");
    if (const std::string batch_norm = folded_norm(spec); !batch_norm.empty()) {
      const auto norm = weights.norm(batch_norm, linear_.columns, model.batch_norm_epsilon);
      linear_.fold(norm.scale, norm.shift);
    }
  }

  [[nodiscard]] std::size_t inputs() const override { return linear_.inner; }
  void select_inputs(std::span<const std::uint32_t> from) override { linear_.select_inputs(from); }
  [[nodiscard]] std::size_t outputs() const override { return linear_.columns; }
  [[nodiscard]] bool has_gradient() const override { return activation_.can_be_undone(); }

  void forward(const Kernels& kernels, const LayerInput& in, Scratch& scratch,
               float* out) const override {
    const std::size_t n = in.num_rows;
    // D^-1/2 with self loops, on both sides of the sum.
    const float* norm = in.norm;
    const Epilogue last = closing(linear_, activation_);
    if (in.x == nullptr) {
      kernels.aggregate(in.rows(), linear_.width(), {linear_.weight.data(), in.labels}, norm, 1.0F,
                        norm, last, out);
    } else {
      const std::size_t stride = padded(linear_.inner);
      float* mixed = Scratch::at_least(scratch.a, n * stride);
      kernels.aggregate(in.rows(), stride, {in.x}, norm, 1.0F, norm, {}, mixed);
      kernels.multiply(n, linear_.inner, linear_.width(), mixed, stride, linear_.weight.data(),
                       last, out);
    }
    finish_rest(activation_, n, linear_, out);
  }

  [[nodiscard]] double flops(const Graph& g, bool one_hot) const override {
    if (one_hot) return 2 * aggregate_flops(g, linear_.columns);
    return 2 * aggregate_flops(g, linear_.inner) + product_flops(g.num_nodes(), linear_);
  }

  [[nodiscard]] std::unique_ptr<LayerGradient> gradient() const override {
    return gcn_gradient(linear_, activation_);
  }

 private:
  PackedLinear linear_;
  Nonlinearity activation_;
};

class GinLayer final : public ConvLayer {
 public:
  GinLayer(const LayerSpec& spec, const WeightReader& weights, const ModelSpec& model,
           const std::string& edge_embedding)
      : inside_(nonlinearity(spec.mlp_activation, model)),
        activation_(nonlinearity(spec.activation, model)) {
    if (weights.has(spec.weights + ".eps")) {
      const auto rank = weights.has_rank(spec.weights + ".eps", 0) ? 0U : 1U;
      self_ += weights.tensor(spec.weights + ".eps", rank).to_floats().at(0);
    }
    read_mlp(spec.weights + ".nn", weights, model.batch_norm_epsilon);
    if (const std::string batch_norm = folded_norm(spec); !batch_norm.empty()) {
      const auto norm = weights.norm(batch_norm, mlp_.back().columns, model.batch_norm_epsilon);
      mlp_.back().fold(norm.scale, norm.shift);
    }
    if (spec.conv == Conv::kGine) read_edges(spec.weights, weights, edge_embedding);
  }

  [[nodiscard]] std::size_t edge_labels() const override { return edges_ ? edges_->inner : 0; }
  void select_edge_labels(std::span<const std::uint32_t> from) override {
    if (edges_) edges_->select_inputs(from);
  }
  // What ReLU goes through is no row of a matrix.
  [[nodiscard]] bool needs_rows() const override { return edges_.has_value(); }

  [[nodiscard]] std::size_t inputs() const override { return mlp_.front().inner; }
  void select_inputs(std::span<const std::uint32_t> from) override {
    mlp_.front().select_inputs(from);
  }
  [[nodiscard]] std::size_t outputs() const override { return mlp_.back().columns; }
  [[nodiscard]] bool has_gradient() const override {
    return activation_.can_be_undone() && (mlp_.size() == 1 || inside_.can_be_undone());
  }

  void forward(const Kernels& kernels, const LayerInput& in, Scratch& scratch,
               float* out) const override {
    const std::size_t n = in.num_rows;
    const std::size_t stride = padded(mlp_.front().inner);
    const float* x = nullptr;
    std::size_t next = 0;
    Floats* spare = &scratch.b;
    if (in.x == nullptr) {
      // The sum of one-hot rows times W is the sum of rows of W: the first product is free.
      const PackedLinear& first = mlp_.front();
      float* to = destination(0, scratch.a, n, out);
      kernels.aggregate(in.rows(), first.width(), {first.weight.data(), in.labels}, nullptr, self_,
                        nullptr, epilogue(0), to);
      finish_rest(after(0), n, first, to);
      x = to;
      next = 1;
    } else {
      float* mixed = Scratch::at_least(scratch.a, n * stride);
      if (edges_) {
        kernels.aggregate_edges(in.rows(), stride, in.x, edges_->weight.data(), in.edge_labels,
                                self_, mixed);
      } else {
        kernels.aggregate(in.rows(), stride, {in.x}, nullptr, self_, nullptr, {}, mixed);
      }
      x = mixed;
    }
    for (; next < mlp_.size(); ++next) {
      const PackedLinear& linear = mlp_[next];
      float* to = destination(next, *spare, n, out);
      kernels.multiply(n, linear.inner, linear.width(), x, padded(linear.inner),
                       linear.weight.data(), epilogue(next), to);
      finish_rest(after(next), n, linear, to);
      x = to;
      spare = spare == &scratch.b ? &scratch.a : &scratch.b;
    }
  }

  [[nodiscard]] double flops(const Graph& g, bool one_hot) const override {
    double total = aggregate_flops(g, one_hot ? mlp_.front().columns : mlp_.front().inner);
    // The sum with the edge.
    if (edges_) total += 2.0 * static_cast<double>(g.num_edges() * mlp_.front().inner);
    for (std::size_t i = one_hot ? 1 : 0; i < mlp_.size(); ++i) {
      total += product_flops(g.num_nodes(), mlp_[i]);
    }
    return total;
  }

  [[nodiscard]] std::unique_ptr<LayerGradient> gradient() const override {
    return edges_ ? gine_gradient(self_, *edges_, mlp_, inside_, activation_)
                  : gin_gradient(self_, mlp_, inside_, activation_);
  }

 private:
  void read_edges(const std::string& prefix, const WeightReader& weights,
                  const std::string& embedding) {
    const std::string linear = prefix + ".lin";
    edges_ = weights.has(linear + ".weight") ? mapped_edges(weights, embedding, linear)
                                             : plain_edges(weights, embedding, inputs(), prefix);
    if (edges_->columns != inputs()) {
      weights.fail(fmt::format("{} gives {} features of an edge, the nodes have {}",
                               in_quotes(linear), edges_->columns, inputs()));
    }
  }

  // A torch.nn.Sequential: matrices are linear layers, a vector with running statistics is a batch
  // norm; an activation stands between linear layers. The numbers tell where parts without weights
  // stand: a batch norm right behind a linear is folded into that, one right before a linear,
  // behind the activation, into that one.
  void read_mlp(const std::string& prefix, const WeightReader& weights, double epsilon) {
    std::set<std::size_t> parts;
    for (const std::string& name : weights.names_under(prefix + ".")) {
      const std::string rest = name.substr(prefix.size() + 1);
      if (rest.empty() || rest[0] < '0' || rest[0] > '9' || rest.find('.') > 6) {
        weights.fail(fmt::format("tensor {} is not part of a Sequential MLP", in_quotes(name)));
      }
      parts.insert(std::stoul(rest));
    }
    std::optional<FoldedNorm> waiting;  // for the linear right behind it
    std::size_t free = 0;               // the number after the last part
    for (const std::size_t part : parts) {
      const std::string at = fmt::format("{}.{}", prefix, part);
      const bool follows = part == std::exchange(free, part + 1) && !mlp_.empty();
      if (weights.has(at + ".running_mean")) {
        if (mlp_.empty() || waiting) {
          weights.fail(fmt::format("the batch norm {} follows no linear layer", in_quotes(at)));
        }
        auto norm = weights.norm(at, mlp_.back().columns, epsilon);
        if (follows) {
          mlp_.back().fold(norm.scale, norm.shift);
        } else {
          waiting = std::move(norm);
        }
        continue;
      }
      if (waiting && !follows) {
        weights.fail(fmt::format("an activation stands between {} and the batch norm before it",
                                 in_quotes(at)));
      }
      if (follows && !waiting) {
        weights.fail(
            fmt::format("there is no ReLU between {} and what comes before it", in_quotes(at)));
      }
      mlp_.push_back(weights.linear(at));
      const std::size_t last = mlp_.size() - 1;
      if (last > 0 && mlp_[last].inner != mlp_[last - 1].columns) {
        weights.fail(fmt::format("{} takes {} features, the layer before gives {}", in_quotes(at),
                                 mlp_[last].inner, mlp_[last - 1].columns));
      }
      if (waiting) mlp_.back().fold_inputs(waiting->scale, waiting->shift);
      waiting.reset();
    }
    if (waiting) {
      weights.fail(
          fmt::format("a batch norm comes last under {}, behind an activation", in_quotes(prefix)),
          "rename its tensors, and name it as the layer's \"batch_norm\" with "
          "\"batch_norm_last\": true");
    }
    if (mlp_.empty()) weights.fail(fmt::format("no tensors under {}", in_quotes(prefix)));
  }

  [[nodiscard]] Epilogue epilogue(std::size_t i) const { return closing(mlp_[i], after(i)); }
  [[nodiscard]] const Nonlinearity& after(std::size_t i) const {
    return i + 1 < mlp_.size() ? inside_ : activation_;
  }
  [[nodiscard]] float* destination(std::size_t i, Floats& buffer, std::size_t rows,
                                   float* out) const {
    return i + 1 == mlp_.size() ? out : Scratch::at_least(buffer, rows * mlp_[i].width());
  }

  float self_ = 1.0F;
  std::optional<LabelTable> edges_;  ///< kGine: what is added to a neighbour before ReLU
  std::vector<PackedLinear> mlp_;
  Nonlinearity inside_;
  Nonlinearity activation_;
};

class SageLayer final : public ConvLayer {
 public:
  SageLayer(const LayerSpec& spec, const WeightReader& weights, const ModelSpec& model)
      : neighbours_(weights.linear(spec.weights + ".lin_l")),
        root_(weights.linear(spec.weights + ".lin_r")),
        aggregate_(spec.aggregate),
        activation_(nonlinearity(spec.activation, model)) {
    if (neighbours_.inner != root_.inner || neighbours_.columns != root_.columns) {
      weights.fail(fmt::format("{}: lin_l and lin_r differ in shape", in_quotes(spec.weights)));
    }
    if (const std::string batch_norm = folded_norm(spec); !batch_norm.empty()) {
      const auto norm = weights.norm(batch_norm, root_.columns, model.batch_norm_epsilon);
      neighbours_.fold(norm.scale, norm.shift);
      root_.fold(norm.scale, std::vector<float>(root_.columns, 0.0F));
    }
    for (std::size_t c = 0; c < root_.columns; ++c) neighbours_.bias[c] += root_.bias[c];
  }

  [[nodiscard]] std::size_t inputs() const override { return root_.inner; }
  void select_inputs(std::span<const std::uint32_t> from) override {
    neighbours_.select_inputs(from);
    root_.select_inputs(from);
  }
  [[nodiscard]] std::size_t outputs() const override { return root_.columns; }
  [[nodiscard]] bool has_gradient() const override { return activation_.can_be_undone(); }

  void forward(const Kernels& kernels, const LayerInput& in, Scratch& scratch,
               float* out) const override {
    const std::size_t n = in.num_rows;
    const std::size_t width = root_.width();
    float* own = Scratch::at_least(scratch.b, n * width);
    Epilogue last = closing(neighbours_, activation_);
    last.add = own;
    if (in.x == nullptr) {
      kernels.gather(n, width, {root_.weight.data(), in.labels}, own);
    } else {
      kernels.multiply(n, root_.inner, width, in.x, padded(root_.inner), root_.weight.data(), {},
                       own);
    }
    if (in.x == nullptr && aggregate_ != Aggregation::kMax) {
      kernels.aggregate(in.rows(), width, {neighbours_.weight.data(), in.labels}, nullptr, 0.0F,
                        scale(in, scratch), last, out);
    } else {
      const std::size_t stride = padded(root_.inner);
      float* mixed = Scratch::at_least(scratch.a, n * stride);
      mix(kernels, in, scratch, stride, mixed);
      kernels.multiply(n, neighbours_.inner, width, mixed, stride, neighbours_.weight.data(), last,
                       out);
    }
    finish_rest(activation_, n, neighbours_, out);
  }

  [[nodiscard]] double flops(const Graph& g, bool one_hot) const override {
    if (one_hot) return aggregate_flops(g, root_.columns);
    return aggregate_flops(g, root_.inner) + 2 * product_flops(g.num_nodes(), root_);
  }

  [[nodiscard]] std::unique_ptr<LayerGradient> gradient() const override {
    return sage_gradient(neighbours_, root_, aggregate_, activation_);
  }

 private:
  /// 1/degree for the mean, null for the sum.
  const float* scale(const LayerInput& in, Scratch& scratch) const {
    if (aggregate_ != Aggregation::kMean) return nullptr;
    float* factors = Scratch::at_least(scratch.in_scale, in.num_rows);
    for (std::size_t v = 0; v < in.num_rows; ++v) {
      factors[v] = 1.0F / static_cast<float>(std::max<std::size_t>(1, in.neighbours(v).size()));
    }
    return factors;
  }

  void mix(const Kernels& kernels, const LayerInput& in, Scratch& scratch, std::size_t stride,
           float* mixed) const {
    if (aggregate_ != Aggregation::kMax) {
      kernels.aggregate(in.rows(), stride, {in.x}, nullptr, 0.0F, scale(in, scratch), {}, mixed);
      return;
    }
    if (in.x != nullptr) {
      kernels.aggregate_max(in.rows(), stride, in.x, mixed);
      return;
    }
    // The maximum of one-hot rows: 1 for every label among the neighbours.
    std::fill_n(mixed, in.num_rows * stride, 0.0F);
    for (std::size_t v = 0; v < in.num_rows; ++v) {
      for (const Node u : in.neighbours(v)) mixed[v * stride + in.labels[u]] = 1.0F;
    }
  }

  PackedLinear neighbours_;
  PackedLinear root_;
  Aggregation aggregate_;
  Nonlinearity activation_;
};

// Attention couples rows by data-dependent weights; this layer is written for clarity and
// uses the kernels for its product and its weighted sums (one head's columns are padded).
class GatLayer final : public ConvLayer {
 public:
  GatLayer(const LayerSpec& spec, const WeightReader& weights, const ModelSpec& model,
           const std::string& edge_embedding)
      : w_(spec, weights, model, edge_embedding) {}

  [[nodiscard]] std::size_t edge_labels() const override { return w_.edge_labels(); }
  void select_edge_labels(std::span<const std::uint32_t> from) override {
    w_.select_edge_labels(from);
  }

  [[nodiscard]] std::size_t inputs() const override { return w_.linear.inner; }
  void select_inputs(std::span<const std::uint32_t> from) override {
    w_.linear.select_inputs(from);
  }
  [[nodiscard]] std::size_t outputs() const override { return w_.outputs(); }
  [[nodiscard]] bool has_gradient() const override { return w_.activation.can_be_undone(); }

  void forward(const Kernels& kernels, const LayerInput& in, Scratch& scratch,
               float* out) const override {
    const std::size_t n = in.num_nodes;
    const std::size_t wide = w_.linear.width();
    float* h = Scratch::at_least(scratch.a, n * wide);
    if (in.x == nullptr) {
      kernels.gather(n, wide, {w_.linear.weight.data(), in.labels}, h);
    } else {
      kernels.multiply(n, w_.linear.inner, wide, in.x, padded(w_.linear.inner),
                       w_.linear.weight.data(), {}, h);
    }
    float* terms = Scratch::at_least(scratch.attention, 2 * n * w_.heads + n + 1);
    w_.score(n, h, terms);
    float* sums = Scratch::at_least(scratch.b, in.num_rows * wide);
    std::fill_n(sums, in.num_rows * wide, 0.0F);
    for (std::size_t v = 0; v < in.num_rows; ++v) {
      for (std::size_t head = 0; head < w_.heads; ++head) {
        attend(kernels, in, v, head, h, terms, sums);
      }
    }
    w_.close(in.num_rows, sums, out);
  }

  [[nodiscard]] double flops(const Graph& g, bool one_hot) const override {
    const double dense = one_hot ? 0 : product_flops(g.num_nodes(), w_.linear);
    const std::size_t columns = w_.heads * w_.features;
    return dense + 4.0 * g.num_nodes() * static_cast<double>(columns) +
           2 * aggregate_flops(g, columns);
  }

  [[nodiscard]] std::unique_ptr<LayerGradient> gradient() const override {
    return gat_gradient(w_);
  }

 private:
  /// sums[v, head] = Σ softmax(leaky(source_u + target_v)) h_u over the neighbours and v.
  void attend(const Kernels& kernels, const LayerInput& in, std::size_t v, std::size_t head,
              const float* h, float* terms, float* sums) const {
    const std::size_t n = in.num_nodes;
    float* weights = terms + 2 * n * w_.heads;
    const auto row = in.neighbours(v);
    const auto member = [&](std::size_t i) { return i < row.size() ? row[i] : v; };
    const Label* edges = w_.reads_edges() ? in.edge_labels + in.offsets[v] : nullptr;
    const float loop = edges != nullptr ? w_.mean_of_edges({edges, row.size()}, head) : 0;
    float top = -INFINITY;
    for (std::size_t i = 0; i <= row.size(); ++i) {
      float logit = terms[member(i) * w_.heads + head] + terms[(n + v) * w_.heads + head];
      if (edges != nullptr) logit += i < row.size() ? w_.of_edge(edges[i], head) : loop;
      weights[i] = w_.leaky(logit);
      top = std::max(top, weights[i]);
    }
    float total = 0;
    for (std::size_t i = 0; i <= row.size(); ++i) total += weights[i] = std::exp(weights[i] - top);
    for (std::size_t i = 0; i <= row.size(); ++i) {
      kernels.add_scaled(w_.lanes(), weights[i] / total,
                         h + (member(i) * w_.heads + head) * w_.lanes(),
                         sums + (v * w_.heads + head) * w_.lanes());
    }
  }

  GatWeights w_;
};

// PERF NOTE: a root and a division for every node were a third of the whole evaluation; molecules
// have degrees up to four, so nearly all of them come from a table.
class NormTable {
 public:
  NormTable() {
    for (std::uint32_t d = 0; d < values_.size(); ++d) values_[d] = norm(d);
  }
  float operator[](std::uint32_t degree) const {
    return degree < values_.size() ? values_[degree] : norm(degree);
  }

 private:
  static float norm(std::uint32_t degree) {
    return 1.0F / std::sqrt(static_cast<float>(degree + 1));
  }
  std::array<float, 64> values_{};
};
const NormTable kNorms;

}  // namespace

void fill_norm(const Graph& graph, float* norm) {
  for (Node v = 0; v < graph.num_nodes(); ++v) norm[v] = kNorms[graph.degree(v)];
}

void fill_norm(const Graph& graph, std::span<const Node> nodes, float* norm) {
  for (const Node v : nodes) *norm++ = kNorms[graph.degree(v)];
}

std::unique_ptr<ConvLayer> make_conv_layer(const LayerSpec& spec, const WeightReader& weights,
                                           const ModelSpec& model) {
  const std::string& edges =
      spec.edge_embedding.empty() ? model.edge_embedding : spec.edge_embedding;
  switch (spec.conv) {
    case Conv::kGcn: return std::make_unique<GcnLayer>(spec, weights, model);
    case Conv::kGin:
    case Conv::kGine: return std::make_unique<GinLayer>(spec, weights, model, edges);
    case Conv::kSage: return std::make_unique<SageLayer>(spec, weights, model);
    case Conv::kGat: return std::make_unique<GatLayer>(spec, weights, model, edges);
  }
  weights.fail("unknown layer type");
}

}  // namespace fewedits
