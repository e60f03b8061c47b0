// SPDX-License-Identifier: MIT
// In all of these g is the derivative by the values before the activation, h is x · W, and an edge
// of weight m joins u and v. A row is transformed before it is sent: then what an edge weight
// multiplies is as narrow as the output, and in the first layer the product is a lookup.
#include "fewedits/classifier/native/conv_gradients.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "fewedits/classifier/native/gradient_parts.hpp"

namespace fewedits {
namespace {

/// out_v = n_v² h_v + Σ m n_u n_v h_u + b, n_v = (1 + Σ m)^-1/2
class GcnGradient final : public LayerGradient {
 public:
  GcnGradient(const PackedLinear& linear, const Nonlinearity& activation)
      : linear_(linear), back_(linear.transposed()), activation_(activation) {}

  void forward(const Kernels& kernels, const WeightedGraph& graph, const float* x,
               float* out) override {
    const std::size_t width = linear_.width();
    float* h = with_room(h_, graph.num_nodes * width);
    project(kernels, graph, linear_, x, h);
    mix(kernels, graph, h, out);
    finish(activation_, graph.num_nodes, linear_, out);
  }

  void backward(const Kernels& kernels, const WeightedGraph& graph, const float* /*x*/,
                const float* out, float* g, float* by_x, float* by_weight) override {
    const std::size_t width = linear_.width();
    undo(activation_, graph.num_nodes * width, out, g);
    through_weights(graph, g, by_weight);
    if (by_x == nullptr) return;
    float* by_h = with_room(by_h_, graph.num_nodes * width);
    mix(kernels, graph, g, by_h);  // its own transpose
    project(kernels, graph, back_, by_h, by_x);
  }

 private:
  void mix(const Kernels& kernels, const WeightedGraph& graph, const float* x, float* y) const {
    const std::size_t width = linear_.width();
    for (std::size_t v = 0; v < graph.num_nodes; ++v) {
      const float own = graph.norm[v] * graph.norm[v];
      for (std::size_t c = v * width; c < (v + 1) * width; ++c) y[c] = own * x[c];
    }
    for (std::size_t e = 0; e < graph.edges.size(); ++e) {
      const Edge& edge = graph.edges[e];
      const float factor = graph.weights[e] * graph.norm[edge.u] * graph.norm[edge.v];
      exchange(kernels, width, edge, factor, factor, x, y);
    }
  }

  /// By the message itself, and by n at both ends: ∂n_v/∂m = -½ n_v³.
  void through_weights(const WeightedGraph& graph, const float* g, float* by_weight) {
    const std::size_t width = linear_.width();
    const float* h = h_.data();
    const auto& n = graph.norm;
    by_norm_.resize(std::max(by_norm_.size(), graph.num_nodes));
    for (std::size_t v = 0; v < graph.num_nodes; ++v) {
      by_norm_[v] = 2 * n[v] * dot(width, g + v * width, h + v * width);
    }
    for (std::size_t e = 0; e < graph.edges.size(); ++e) {
      const auto [u, v, label] = graph.edges[e];
      const float both =
          dot(width, g + v * width, h + u * width) + dot(width, g + u * width, h + v * width);
      by_weight[e] += n[u] * n[v] * both;
      by_norm_[u] += graph.weights[e] * n[v] * both;
      by_norm_[v] += graph.weights[e] * n[u] * both;
    }
    for (std::size_t v = 0; v < graph.num_nodes; ++v) by_norm_[v] *= -0.5F * n[v] * n[v] * n[v];
    for (std::size_t e = 0; e < graph.edges.size(); ++e) {
      by_weight[e] += by_norm_[graph.edges[e].u] + by_norm_[graph.edges[e].v];
    }
  }

  const PackedLinear& linear_;
  PackedLinear back_;
  Nonlinearity activation_;
  Floats h_;
  Floats by_h_;
  std::vector<float> by_norm_;
};

/// out_v = MLP(self · x_v + Σ m x_u)
class GinGradient final : public LayerGradient {
 public:
  GinGradient(float self, const std::vector<PackedLinear>& mlp, const Nonlinearity& inside,
              const Nonlinearity& activation)
      : self_(self), mlp_(mlp), inside_(inside), activation_(activation), after_(mlp.size() - 1) {
    for (const PackedLinear& linear : mlp) {
      back_.push_back(linear.transposed());
      widest_ = std::max(widest_, linear.width());
    }
  }

  void forward(const Kernels& kernels, const WeightedGraph& graph, const float* x,
               float* out) override {
    const std::size_t n = graph.num_nodes;
    const PackedLinear& first = mlp_.front();
    float* h = with_room(h_, n * first.width());
    project(kernels, graph, first, x, h);
    float* to = destination(0, n, out);
    mix(kernels, graph, h, to);
    finish(activation_after(0), n, first, to);
    for (std::size_t i = 1; i < mlp_.size(); ++i) {
      const float* from = to;
      to = destination(i, n, out);
      project(kernels, graph, mlp_[i], from, to);
      finish(activation_after(i), n, mlp_[i], to);
    }
  }

  void backward(const Kernels& kernels, const WeightedGraph& graph, const float* /*x*/,
                const float* out, float* g, float* by_x, float* by_weight) override {
    const std::size_t n = graph.num_nodes;
    undo(activation_, n * mlp_.back().width(), out, g);
    Floats* spare = &by_hidden_;
    for (std::size_t i = mlp_.size() - 1; i > 0; --i) {
      float* before = with_room(*spare, n * widest_);
      project(kernels, graph, back_[i], g, before);
      undo(inside_, n * back_[i].width(), after_[i - 1].data(), before);
      g = before;
      spare = spare == &by_hidden_ ? &by_hidden_too_ : &by_hidden_;
    }
    const std::size_t width = mlp_.front().width();
    const float* h = h_.data();
    for (std::size_t e = 0; e < graph.edges.size(); ++e) {
      const auto [u, v, label] = graph.edges[e];
      by_weight[e] +=
          dot(width, g + v * width, h + u * width) + dot(width, g + u * width, h + v * width);
    }
    if (by_x == nullptr) return;
    float* by_h = with_room(*spare, n * widest_);
    mix(kernels, graph, g, by_h);  // its own transpose
    project(kernels, graph, back_.front(), by_h, by_x);
  }

 private:
  void mix(const Kernels& kernels, const WeightedGraph& graph, const float* x, float* y) const {
    const std::size_t width = mlp_.front().width();
    for (std::size_t i = 0; i < graph.num_nodes * width; ++i) y[i] = self_ * x[i];
    for (std::size_t e = 0; e < graph.edges.size(); ++e) {
      exchange(kernels, width, graph.edges[e], graph.weights[e], graph.weights[e], x, y);
    }
  }
  [[nodiscard]] const Nonlinearity& activation_after(std::size_t i) const {
    return i + 1 < mlp_.size() ? inside_ : activation_;
  }
  float* destination(std::size_t i, std::size_t rows, float* out) {
    return i + 1 == mlp_.size() ? out : with_room(after_[i], rows * mlp_[i].width());
  }

  float self_;
  const std::vector<PackedLinear>& mlp_;
  std::vector<PackedLinear> back_;
  Nonlinearity inside_;
  Nonlinearity activation_;
  std::size_t widest_ = 0;
  Floats h_;
  std::vector<Floats> after_;  ///< of each linear map but the last, after ReLU
  Floats by_hidden_;
  Floats by_hidden_too_;
};

/// out_v = MLP(self · x_v + Σ m relu(x_u + edge)). ReLU stands before the first map, so rows are
/// sent as they are.
class GineGradient final : public LayerGradient {
 public:
  GineGradient(float self, const LabelTable& edges, const std::vector<PackedLinear>& mlp,
               const Nonlinearity& inside, const Nonlinearity& activation)
      : self_(self),
        edges_(edges),
        mlp_(mlp),
        inside_(inside),
        activation_(activation),
        after_(mlp.size() - 1) {
    for (const PackedLinear& linear : mlp) {
      back_.push_back(linear.transposed());
      widest_ = std::max({widest_, linear.width(), back_.back().width()});
    }
  }

  void forward(const Kernels& kernels, const WeightedGraph& graph, const float* x,
               float* out) override {
    const std::size_t n = graph.num_nodes;
    const std::size_t width = edges_.width();
    float* mixed = with_room(mixed_, n * width);
    for (std::size_t i = 0; i < n * width; ++i) mixed[i] = self_ * x[i];
    for_arcs(graph, [&](std::size_t e, Node from, Node to) {
      const float* edge = row_of(graph.edges[e].label);
      const float m = graph.weights[e];
      for (std::size_t c = 0; c < width; ++c) {
        const float message = x[from * width + c] + edge[c];
        mixed[to * width + c] += m * (message > 0 ? message : 0);
      }
    });
    const float* in = mixed;
    for (std::size_t i = 0; i < mlp_.size(); ++i) {
      const bool last = i + 1 == mlp_.size();
      float* to = last ? out : with_room(after_[i], n * mlp_[i].width());
      project(kernels, graph, mlp_[i], in, to);
      finish(last ? activation_ : inside_, n, mlp_[i], to);
      in = to;
    }
  }

  void backward(const Kernels& kernels, const WeightedGraph& graph, const float* x,
                const float* out, float* g, float* by_x, float* by_weight) override {
    const std::size_t n = graph.num_nodes;
    undo(activation_, n * mlp_.back().width(), out, g);
    Floats* spare = &by_hidden_;
    for (std::size_t i = mlp_.size(); i-- > 0;) {
      float* before = with_room(*spare, n * widest_);
      project(kernels, graph, back_[i], g, before);
      if (i > 0) undo(inside_, n * back_[i].width(), after_[i - 1].data(), before);
      g = before;
      spare = spare == &by_hidden_ ? &by_hidden_too_ : &by_hidden_;
    }
    // g is the derivative by the sums now.
    const std::size_t width = edges_.width();
    if (by_x != nullptr) {
      for (std::size_t i = 0; i < n * width; ++i) by_x[i] = self_ * g[i];
    }
    for_arcs(graph, [&](std::size_t e, Node from, Node to) {
      const float* edge = row_of(graph.edges[e].label);
      const float* source = x + from * width;
      const float* by_sum = g + to * width;
      const float m = graph.weights[e];
      float total = 0;
      for (std::size_t c = 0; c < width; ++c) {
        const float message = source[c] + edge[c];
        total += message > 0 ? message * by_sum[c] : 0;
        if (by_x != nullptr) by_x[from * width + c] += message > 0 ? m * by_sum[c] : 0;
      }
      by_weight[e] += total;
    });
  }

 private:
  /// Calls body(edge, from, to), in both directions.
  template <class Body>
  static void for_arcs(const WeightedGraph& graph, const Body& body) {
    for (std::size_t e = 0; e < graph.edges.size(); ++e) {
      body(e, graph.edges[e].u, graph.edges[e].v);
      body(e, graph.edges[e].v, graph.edges[e].u);
    }
  }
  [[nodiscard]] const float* row_of(Label label) const {
    return edges_.weight.data() + label * edges_.width();
  }

  float self_;
  const LabelTable& edges_;
  const std::vector<PackedLinear>& mlp_;
  std::vector<PackedLinear> back_;
  Nonlinearity inside_;
  Nonlinearity activation_;
  std::size_t widest_ = 0;
  Floats mixed_;
  std::vector<Floats> after_;  ///< of each linear map but the last, after ReLU
  Floats by_hidden_;
  Floats by_hidden_too_;
};

/// out_v = x_v R + s_v Σ m h_u + b; s_v is 1 or, for the mean, 1/degree.
class SageSumGradient final : public LayerGradient {
 public:
  SageSumGradient(const PackedLinear& neighbours, const PackedLinear& root, bool mean,
                  const Nonlinearity& activation)
      : neighbours_(neighbours),
        root_(root),
        neighbours_back_(neighbours.transposed()),
        root_back_(root.transposed()),
        mean_(mean),
        activation_(activation) {}

  void forward(const Kernels& kernels, const WeightedGraph& graph, const float* x,
               float* out) override {
    const std::size_t width = neighbours_.width();
    float* h = with_room(h_, graph.num_nodes * width);
    project(kernels, graph, neighbours_, x, h);
    project(kernels, graph, root_, x, out);
    for (std::size_t e = 0; e < graph.edges.size(); ++e) {
      const Edge& edge = graph.edges[e];
      exchange(kernels, width, edge, share(graph, edge.u) * graph.weights[e],
               share(graph, edge.v) * graph.weights[e], h, out);
    }
    finish(activation_, graph.num_nodes, neighbours_, out);
  }

  void backward(const Kernels& kernels, const WeightedGraph& graph, const float* /*x*/,
                const float* out, float* g, float* by_x, float* by_weight) override {
    const std::size_t width = neighbours_.width();
    const std::size_t n = graph.num_nodes;
    undo(activation_, n * width, out, g);
    const float* h = h_.data();
    for (std::size_t e = 0; e < graph.edges.size(); ++e) {
      const auto [u, v, label] = graph.edges[e];
      by_weight[e] += share(graph, v) * dot(width, g + v * width, h + u * width) +
                      share(graph, u) * dot(width, g + u * width, h + v * width);
    }
    if (by_x == nullptr) return;
    float* by_h = with_room(by_h_, n * width);
    std::fill_n(by_h, n * width, 0.0F);
    for (std::size_t e = 0; e < graph.edges.size(); ++e) {
      const Edge& edge = graph.edges[e];
      exchange(kernels, width, edge, share(graph, edge.v) * graph.weights[e],
               share(graph, edge.u) * graph.weights[e], g, by_h);
    }
    float* by_own = with_room(by_own_, n * root_back_.width());
    project(kernels, graph, root_back_, g, by_own);
    kernels.multiply(n, neighbours_back_.inner, neighbours_back_.width(), by_h, width,
                     neighbours_back_.weight.data(), {nullptr, by_own, false}, by_x);
  }

 private:
  [[nodiscard]] float share(const WeightedGraph& graph, Node v) const {
    return mean_ ? 1 / graph.degree[v] : 1;
  }

  const PackedLinear& neighbours_;
  const PackedLinear& root_;
  PackedLinear neighbours_back_;
  PackedLinear root_back_;
  bool mean_;
  Nonlinearity activation_;
  Floats h_;
  Floats by_h_;
  Floats by_own_;
};

/// out_v = x_v R + (max m x_u) L + b, 0 in place of the maximum of nothing.
class SageMaxGradient final : public LayerGradient {
 public:
  SageMaxGradient(const PackedLinear& neighbours, const PackedLinear& root,
                  const Nonlinearity& activation)
      : neighbours_(neighbours),
        root_(root),
        neighbours_back_(neighbours.transposed()),
        root_back_(root.transposed()),
        activation_(activation) {}

  void forward(const Kernels& kernels, const WeightedGraph& graph, const float* x,
               float* out) override {
    const std::size_t n = graph.num_nodes;
    const std::size_t width = root_.width();
    find_winners(graph, rows(graph, x));
    float* own = with_room(own_, n * width);
    project(kernels, graph, root_, x, own);
    kernels.multiply(n, neighbours_.inner, width, best_.data(), stride(), neighbours_.weight.data(),
                     {nullptr, own, false}, out);
    finish(activation_, n, neighbours_, out);
  }

  void backward(const Kernels& kernels, const WeightedGraph& graph, const float* x,
                const float* out, float* g, float* by_x, float* by_weight) override {
    const std::size_t n = graph.num_nodes;
    undo(activation_, n * root_.width(), out, g);
    float* by_best = with_room(by_best_, n * stride());
    project(kernels, graph, neighbours_back_, g, by_best);
    if (by_x != nullptr) project(kernels, graph, root_back_, g, by_x);
    if (x == nullptr) x = one_hot_.data();
    for (std::size_t at = 0; at < n * stride(); ++at) {
      const std::uint32_t arc = winner_[at];
      if (arc == kNobody) continue;
      const Edge& edge = graph.edges[arc / 2];
      const std::size_t from = (arc % 2 == 0 ? edge.u : edge.v) * stride() + at % stride();
      by_weight[arc / 2] += by_best[at] * x[from];
      if (by_x != nullptr) by_x[from] += by_best[at] * graph.weights[arc / 2];
    }
  }

 private:
  static constexpr std::uint32_t kNobody = std::numeric_limits<std::uint32_t>::max();

  [[nodiscard]] std::size_t stride() const { return padded(root_.inner); }

  const float* rows(const WeightedGraph& graph, const float* x) {
    if (x != nullptr) return x;
    one_hot_.assign(graph.num_nodes * stride(), 0.0F);
    for (std::size_t v = 0; v < graph.num_nodes; ++v) {
      one_hot_[v * stride() + graph.labels[v]] = 1.0F;
    }
    return one_hot_.data();
  }

  void find_winners(const WeightedGraph& graph, const float* x) {
    best_.assign(graph.num_nodes * stride(), -INFINITY);
    winner_.assign(graph.num_nodes * stride(), kNobody);
    const auto offer = [&](std::uint32_t arc, Node from, Node to) {
      for (std::size_t c = 0; c < stride(); ++c) {
        const float value = graph.weights[arc / 2] * x[from * stride() + c];
        if (value <= best_[to * stride() + c]) continue;
        best_[to * stride() + c] = value;
        winner_[to * stride() + c] = arc;
      }
    };
    for (std::uint32_t e = 0; e < graph.edges.size(); ++e) {
      offer(2 * e, graph.edges[e].u, graph.edges[e].v);
      offer(2 * e + 1, graph.edges[e].v, graph.edges[e].u);
    }
    for (std::size_t at = 0; at < best_.size(); ++at) {
      if (winner_[at] == kNobody) best_[at] = 0;
    }
  }

  const PackedLinear& neighbours_;
  const PackedLinear& root_;
  PackedLinear neighbours_back_;
  PackedLinear root_back_;
  Nonlinearity activation_;
  Floats one_hot_;
  Floats best_;
  std::vector<std::uint32_t> winner_;  ///< 2 · edge, + 1 if it came from the edge's v
  Floats own_;
  Floats by_best_;
};

}  // namespace

void WeightedGraph::assign(const Graph& graph, std::span<const float> of_edges) {
  assert(of_edges.size() == graph.num_edges());
  num_nodes = graph.num_nodes();
  labels = graph.labels().data();
  weights.assign(of_edges.begin(), of_edges.end());
  edges.clear();
  degree.resize(num_nodes);
  norm.assign(num_nodes, 1.0F);
  for (Node u = 0; u < graph.num_nodes(); ++u) {
    degree[u] = static_cast<float>(graph.degree(u));
    const auto row = graph.neighbours(u);
    const auto row_labels = graph.edge_labels(u);
    for (std::size_t i = 0; i < row.size(); ++i) {
      const Node v = row[i];
      if (v < u) continue;
      norm[u] += weights[edges.size()];
      norm[v] += weights[edges.size()];
      edges.push_back({u, v, row_labels.empty() ? 0 : row_labels[i]});
    }
  }
  for (float& n : norm) n = 1 / std::sqrt(n);
}

std::unique_ptr<LayerGradient> gcn_gradient(const PackedLinear& linear,
                                            const Nonlinearity& activation) {
  return std::make_unique<GcnGradient>(linear, activation);
}

std::unique_ptr<LayerGradient> gin_gradient(float self, const std::vector<PackedLinear>& mlp,
                                            const Nonlinearity& inside,
                                            const Nonlinearity& activation) {
  return std::make_unique<GinGradient>(self, mlp, inside, activation);
}

std::unique_ptr<LayerGradient> gine_gradient(float self, const LabelTable& edges,
                                             const std::vector<PackedLinear>& mlp,
                                             const Nonlinearity& inside,
                                             const Nonlinearity& activation) {
  return std::make_unique<GineGradient>(self, edges, mlp, inside, activation);
}

std::unique_ptr<LayerGradient> sage_gradient(const PackedLinear& neighbours,
                                             const PackedLinear& root, Aggregation aggregate,
                                             const Nonlinearity& activation) {
  if (aggregate == Aggregation::kMax) {
    return std::make_unique<SageMaxGradient>(neighbours, root, activation);
  }
  return std::make_unique<SageSumGradient>(neighbours, root, aggregate == Aggregation::kMean,
                                           activation);
}

}  // namespace fewedits
