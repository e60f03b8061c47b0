// SPDX-License-Identifier: MIT
// The native models once more on libtorch, in a dense double-precision formulation that shares no
// code with them: adjacency matrices, matmul, masked softmax. Batches of graphs of one size, with
// weights on the edges, for autograd.
#pragma once

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fewedits/base/tensor.hpp"
#include "fewedits/classifier/model_spec.hpp"
#include "fewedits/graph/graph.hpp"
#include "support/random_model.hpp"

namespace fewedits::test {

/// B graphs of N nodes.
struct DenseBatch {
  torch::Tensor x;        ///< [B, N, labels], one-hot
  torch::Tensor edges;    ///< [B, N, N], symmetric, 0 or 1
  torch::Tensor weights;  ///< [B, N, N], symmetric, 0 where there is no edge
  torch::Tensor labels;   ///< [B, N, N, edge labels], one-hot, 0 where there is no edge

  /// Weight 1 on every edge.
  explicit DenseBatch(std::span<const Graph> graphs) {
    const auto count = static_cast<std::int64_t>(graphs.size());
    const std::int64_t n = graphs.front().num_nodes();
    x = torch::zeros({count, n, kModelLabels}, torch::kFloat64);
    edges = torch::zeros({count, n, n}, torch::kFloat64);
    labels = torch::zeros({count, n, n, kModelEdgeLabels}, torch::kFloat64);
    for (std::int64_t b = 0; b < count; ++b) {
      const Graph& g = graphs[static_cast<std::size_t>(b)];
      for (Node v = 0; v < g.num_nodes(); ++v) x[b][v][g.label(v)] = 1.0;
      for (const Edge& e : g.edges()) {
        edges[b][e.u][e.v] = edges[b][e.v][e.u] = 1.0;
        labels[b][e.u][e.v][e.label] = labels[b][e.v][e.u][e.label] = 1.0;
      }
    }
    weights = edges;
  }
};

class DenseModel {
 public:
  struct Output {
    torch::Tensor pooled;  ///< [B, features]
    torch::Tensor logits;  ///< [B, classes]
    /// [B]: how near the nearest value is to where a derivative jumps: ReLU's and leaky ReLU's 0,
    /// and the second of a maximum to the first. What is exactly 0, but for ReLU's argument, comes
    /// from values that ReLU, or a one-hot row, has made 0: no derivative goes through it.
    torch::Tensor nearest_kink;
  };

  DenseModel(const ModelSpec& spec, const StateDict& weights) : spec_(spec), weights_(weights) {}

  [[nodiscard]] torch::Tensor log_probabilities(const Graph& g) const {
    return torch::log_softmax(evaluate(DenseBatch({&g, 1})).logits, 1).flatten();
  }

  [[nodiscard]] Output evaluate(const DenseBatch& batch) const {
    Output out;
    out.nearest_kink = torch::full({batch.x.size(0)}, INFINITY, torch::kFloat64);
    torch::Tensor x = batch.x;
    if (!spec_.node_embedding.empty()) x = x.matmul(get(spec_.node_embedding + ".weight"));
    std::vector<torch::Tensor> outputs;
    for (const LayerSpec& layer : spec_.layers) {
      x = convolution(layer, x, batch, out);
      const bool normal = !layer.batch_norm.empty();
      if (normal && !layer.batch_norm_last) x = normalised(x, layer.batch_norm);
      x = activated(x, layer.activation, out);
      if (normal && layer.batch_norm_last) x = normalised(x, layer.batch_norm);
      outputs.push_back(x);
    }
    out.pooled = x = pooled(spec_.jumping ? torch::cat(outputs, 2) : x, out);
    for (std::size_t i = 0; i < spec_.head.size(); ++i) {
      if (i > 0) x = activated(x, spec_.head_activation, out);
      x = linear(x, spec_.head[i].weights);
      if (!spec_.head[i].batch_norm.empty()) x = normalised(x, spec_.head[i].batch_norm);
    }
    out.logits =
        spec_.output == fewedits::Output::kSigmoid ? torch::cat({torch::zeros_like(x), x}, 1) : x;
    return out;
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

  /// distance: [B, …]
  static void note_kinks(const torch::Tensor& distance, Output& out) {
    if (distance.numel() == 0) return;
    out.nearest_kink = torch::minimum(out.nearest_kink, distance.detach().flatten(1).amin(1));
  }

  static torch::Tensor relu(const torch::Tensor& x, Output& out) {
    if (x.requires_grad()) note_kinks(x.abs(), out);
    return torch::relu(x);
  }

  [[nodiscard]] torch::Tensor activated(const torch::Tensor& x, Activation activation,
                                        Output& out) const {
    switch (activation) {
      case Activation::kRelu: return relu(x, out);
      case Activation::kLeakyRelu:
        if (x.requires_grad()) note_kinks(x.abs(), out);
        return torch::leaky_relu(x, spec_.leaky_slope);
      case Activation::kElu: return torch::elu(x);
      case Activation::kGelu: return torch::gelu(x);
      case Activation::kTanh: return torch::tanh(x);
      case Activation::kSigmoid: return torch::sigmoid(x);
      case Activation::kNone: break;
    }
    return x;
  }

  /// Of which minus infinity is nobody.
  static torch::Tensor maximum(const torch::Tensor& x, std::int64_t dimension, Output& out) {
    if (x.requires_grad() && x.size(dimension) > 1) {
      const auto top = std::get<0>(x.detach().topk(2, dimension));
      const torch::Tensor first = top.select(dimension, 0);
      const torch::Tensor second = top.select(dimension, 1);
      const torch::Tensor counts = (first != 0) & torch::isfinite(second);
      note_kinks(torch::where(counts, first - second, torch::full_like(first, INFINITY)), out);
    }
    return x.amax(dimension);
  }

  [[nodiscard]] torch::Tensor linear(const torch::Tensor& x, const std::string& prefix) const {
    const torch::Tensor out = x.matmul(get(prefix + ".weight").t());
    return has(prefix + ".bias") ? out + get(prefix + ".bias") : out;
  }

  [[nodiscard]] torch::Tensor normalised(const torch::Tensor& x, const std::string& prefix) const {
    return torch::batch_norm(x.flatten(0, -2), optional(prefix + ".weight"),
                             optional(prefix + ".bias"), get(prefix + ".running_mean"),
                             get(prefix + ".running_var"), /*training=*/false, 0.1,
                             spec_.batch_norm_epsilon, false)
        .view_as(x);
  }

  [[nodiscard]] torch::Tensor pooled(const torch::Tensor& x, Output& out) const {
    std::vector<torch::Tensor> all{pooled(x, spec_.pooling, out)};
    for (const Aggregation more : spec_.more_poolings) all.push_back(pooled(x, more, out));
    return torch::cat(all, 1);
  }
  static torch::Tensor pooled(const torch::Tensor& x, Aggregation how, Output& out) {
    if (x.size(1) == 0) return torch::zeros({x.size(0), x.size(2)}, torch::kFloat64);
    switch (how) {
      case Aggregation::kMean: return x.mean(1);
      case Aggregation::kSum: return x.sum(1);
      case Aggregation::kMax: return maximum(x, 1, out);
    }
    return {};
  }

  [[nodiscard]] torch::Tensor convolution(const LayerSpec& layer, const torch::Tensor& x,
                                          const DenseBatch& batch, Output& out) const {
    if (x.size(1) == 0) return empty_output(layer);
    switch (layer.conv) {
      case Conv::kGcn: return gcn(layer.weights, x, batch.weights);
      case Conv::kGin: return gin(layer, x, batch.weights.matmul(x), out);
      case Conv::kGine: return gin(layer, x, edge_messages(layer, x, batch, out), out);
      case Conv::kSage: return sage(layer, x, batch, out);
      case Conv::kGat: return gat(layer, x, batch, out);
    }
    return {};
  }

  /// 1 × 0 × width, where the width is the last known bias's.
  [[nodiscard]] torch::Tensor empty_output(const LayerSpec& layer) const {
    for (const char* name : {".bias", ".lin_l.bias", ".nn.3.bias", ".nn.2.bias"}) {
      if (has(layer.weights + name)) {
        return torch::zeros({1, 0, get(layer.weights + name).size(0)}, torch::kFloat64);
      }
    }
    ADD_FAILURE() << "no bias under " << layer.weights;
    return {};
  }

  static torch::Tensor loops(const torch::Tensor& a) {
    return torch::eye(a.size(1), torch::kFloat64);
  }

  [[nodiscard]] torch::Tensor gcn(const std::string& name, const torch::Tensor& x,
                                  const torch::Tensor& weights) const {
    const torch::Tensor a = weights + loops(weights);
    const torch::Tensor d = torch::diag_embed(a.sum(2).pow(-0.5));
    const torch::Tensor w = has(name + ".weight") ? get(name + ".weight")           // in × out
                                                  : get(name + ".lin.weight").t();  // out × in
    return d.matmul(a).matmul(d).matmul(x).matmul(w) + get(name + ".bias");
  }

  /// [B, v, u, features]: what the layer is given of the edge, zeros where there is none.
  [[nodiscard]] torch::Tensor edge_features(const LayerSpec& layer, const DenseBatch& batch) const {
    const std::string& embedding =
        layer.edge_embedding.empty() ? spec_.edge_embedding : layer.edge_embedding;
    return embedding.empty() ? batch.labels : batch.labels.matmul(get(embedding + ".weight"));
  }

  /// Σ m relu(x_u + edge)
  [[nodiscard]] torch::Tensor edge_messages(const LayerSpec& layer, const torch::Tensor& x,
                                            const DenseBatch& batch, Output& out) const {
    torch::Tensor edge = edge_features(layer, batch);
    if (has(layer.weights + ".lin.weight")) edge = linear(edge, layer.weights + ".lin");
    const torch::Tensor before = x.unsqueeze(1) + edge;
    const torch::Tensor there = batch.edges.unsqueeze(3);
    if (before.requires_grad()) {
      note_kinks(before.abs().masked_fill((there == 0) | (before == 0), INFINITY), out);
    }
    return (batch.weights.unsqueeze(3) * torch::relu(before)).sum(2);
  }

  [[nodiscard]] torch::Tensor gin(const LayerSpec& layer, const torch::Tensor& x,
                                  const torch::Tensor& messages, Output& out) const {
    const std::string& name = layer.weights;
    const double epsilon = has(name + ".eps") ? get(name + ".eps").item<double>() : 0.0;
    torch::Tensor h = (1 + epsilon) * x + messages;
    // The gaps in the numbering of a Sequential are its ReLUs.
    for (int i = 0; i < 4; ++i) {
      const std::string part = name + ".nn." + std::to_string(i);
      if (has(part + ".running_mean")) {
        h = normalised(h, part);
      } else if (has(part + ".weight")) {
        h = linear(h, part);
      } else if (i < 3) {
        h = activated(h, layer.mlp_activation, out);
      }
    }
    return h;
  }

  [[nodiscard]] torch::Tensor sage(const LayerSpec& layer, const torch::Tensor& x,
                                   const DenseBatch& batch, Output& out) const {
    const torch::Tensor degree = batch.edges.sum(2, /*keepdim=*/true);
    torch::Tensor neighbours;
    if (layer.aggregate == Aggregation::kMax) {
      const torch::Tensor messages = batch.weights.unsqueeze(3) * x.unsqueeze(1);  // [B, v, u, F]
      const torch::Tensor candidates =
          messages.masked_fill((batch.edges == 0).unsqueeze(3), -INFINITY);
      neighbours = torch::where(degree > 0, maximum(candidates, 2, out), torch::zeros_like(x));
    } else {
      neighbours = batch.weights.matmul(x);
      if (layer.aggregate == Aggregation::kMean) neighbours = neighbours / degree.clamp_min(1.0);
    }
    return linear(neighbours, layer.weights + ".lin_l") + linear(x, layer.weights + ".lin_r");
  }

  [[nodiscard]] torch::Tensor gat(const LayerSpec& layer, const torch::Tensor& x,
                                  const DenseBatch& batch, Output& out) const {
    const std::string& name = layer.weights;
    const bool older = has(name + ".lin_src.weight");
    const torch::Tensor h = linear(x, name + (older ? ".lin_src" : ".lin"));
    const torch::Tensor by_head = h.view({h.size(0), h.size(1), layer.heads, -1});
    const torch::Tensor source = (by_head * get(name + ".att_src")).sum(3);
    const torch::Tensor target = (by_head * get(name + ".att_dst")).sum(3);
    torch::Tensor logit = source.unsqueeze(1) + target.unsqueeze(2);  // [B, v, u, head]
    if (layer.edges) logit = logit + edge_attention(layer, batch);
    const torch::Tensor outside = ((batch.edges + loops(batch.edges)) == 0).unsqueeze(3);
    if (logit.requires_grad()) {
      note_kinks(logit.abs().masked_fill(outside | (logit == 0), INFINITY), out);
    }
    const torch::Tensor alpha = torch::softmax(
        torch::leaky_relu(logit, layer.negative_slope).masked_fill(outside, -INFINITY), 2);
    const torch::Tensor messages = alpha * (batch.weights + loops(batch.weights)).unsqueeze(3);
    const torch::Tensor mixed = torch::einsum("bvuh,buhc->bvhc", {messages, by_head});
    return (layer.concat_heads ? mixed.flatten(2) : mixed.mean(2)) + get(name + ".bias");
  }

  /// A self loop has the mean of the node's edges, whatever they weigh.
  [[nodiscard]] torch::Tensor edge_attention(const LayerSpec& layer,
                                             const DenseBatch& batch) const {
    const torch::Tensor features = edge_features(layer, batch);
    const torch::Tensor mean = features.sum(2) / batch.edges.sum(2, true).clamp_min(1.0);
    const torch::Tensor all =
        features + mean.unsqueeze(2) * loops(batch.edges).unsqueeze(0).unsqueeze(3);
    const torch::Tensor h = linear(all, layer.weights + ".lin_edge");
    const torch::Tensor by_head = h.view({h.size(0), h.size(1), h.size(2), layer.heads, -1});
    return (by_head * get(layer.weights + ".att_edge")).sum(4);
  }

  const ModelSpec& spec_;
  const StateDict& weights_;
};

}  // namespace fewedits::test
