// SPDX-License-Identifier: MIT
// GAT on weighted edges: the softmax is over logits without weights and includes the self loop, the
// message is multiplied afterwards. Arc 2e goes from u to v of edge e, arc 2e + 1 back, and arc
// 2·edges + v is the self loop of v.
#include <algorithm>
#include <cmath>

#include "fewedits/classifier/native/conv_gradients.hpp"
#include "fewedits/classifier/native/gradient_parts.hpp"

namespace fewedits {
namespace {

/// Calls body(arc, from, to, weight).
template <class Body>
void for_arcs(const WeightedGraph& graph, const Body& body) {
  std::size_t arc = 0;
  for (std::size_t e = 0; e < graph.edges.size(); ++e) {
    const auto [u, v, label] = graph.edges[e];
    body(arc++, u, v, graph.weights[e]);
    body(arc++, v, u, graph.weights[e]);
  }
  for (Node v = 0; v < graph.num_nodes; ++v) body(arc++, v, v, 1.0F);
}

/// Per head: out_v = Σ α_vu m h_u with α_v = softmax over u of leaky(source · h_u + target · h_v).
class GatGradient final : public LayerGradient {
 public:
  explicit GatGradient(const GatWeights& weights) : w_(weights), back_(w_.linear.transposed()) {}

  void forward(const Kernels& kernels, const WeightedGraph& graph, const float* x,
               float* out) override {
    const std::size_t n = graph.num_nodes;
    float* h = with_room(h_, n * wide());
    project(kernels, graph, w_.linear, x, h);
    terms_.resize(2 * n * w_.heads);
    w_.score(n, h, terms_.data());
    add_loops(graph);
    attend(graph);
    float* sums = with_room(sums_, n * wide());
    std::fill_n(sums, n * wide(), 0.0F);
    for_arcs(graph, [&](std::size_t arc, Node from, Node to, float weight) {
      for (std::size_t head = 0; head < w_.heads; ++head) {
        kernels.add_scaled(w_.lanes(), alpha_[arc * w_.heads + head] * weight,
                           h + place(from, head), sums + place(to, head));
      }
    });
    w_.close(n, sums, out);
  }

  void backward(const Kernels& kernels, const WeightedGraph& graph, const float* /*x*/,
                const float* out, float* gradient, float* by_x, float* by_weight) override {
    undo(w_.activation, graph.num_nodes * padded(w_.outputs()), out, gradient);
    const float* g = by_sums(graph.num_nodes, gradient);
    by_alpha_.resize(alpha_.size());
    for_arcs(graph, [&](std::size_t arc, Node from, Node to, float weight) {
      for (std::size_t head = 0; head < w_.heads; ++head) {
        const float by_message =
            dot(w_.lanes(), g + place(to, head), h_.data() + place(from, head));
        if (from != to) by_weight[arc / 2] += alpha_[arc * w_.heads + head] * by_message;
        by_alpha_[arc * w_.heads + head] = weight * by_message;
      }
    });
    if (by_x == nullptr) return;
    float* by_h = with_room(by_h_, graph.num_nodes * wide());
    std::fill_n(by_h, graph.num_nodes * wide(), 0.0F);
    for_arcs(graph, [&](std::size_t arc, Node from, Node to, float weight) {
      for (std::size_t head = 0; head < w_.heads; ++head) {
        kernels.add_scaled(w_.lanes(), alpha_[arc * w_.heads + head] * weight, g + place(to, head),
                           by_h + place(from, head));
      }
    });
    through_attention(graph, by_h);
    project(kernels, graph, back_, by_h, by_x);
  }

 private:
  [[nodiscard]] std::size_t wide() const { return w_.linear.width(); }
  [[nodiscard]] std::size_t place(Node v, std::size_t head) const {
    return (v * w_.heads + head) * w_.lanes();
  }
  [[nodiscard]] float logit(const WeightedGraph& graph, std::size_t arc, Node from, Node to,
                            std::size_t head) const {
    const float ends =
        terms_[from * w_.heads + head] + terms_[(graph.num_nodes + to) * w_.heads + head];
    if (!w_.reads_edges()) return ends;
    return ends + (from == to ? loops_[to * w_.heads + head]
                              : w_.of_edge(graph.edges[arc / 2].label, head));
  }

  /// The mean of a node's edges, whatever they weigh.
  void add_loops(const WeightedGraph& graph) {
    if (!w_.reads_edges()) return;
    loops_.assign(graph.num_nodes * w_.heads, 0.0F);
    for (const auto& [u, v, label] : graph.edges) {
      for (std::size_t head = 0; head < w_.heads; ++head) {
        loops_[u * w_.heads + head] += w_.of_edge(label, head) / graph.degree[u];
        loops_[v * w_.heads + head] += w_.of_edge(label, head) / graph.degree[v];
      }
    }
  }

  /// alpha[arc, head]
  void attend(const WeightedGraph& graph) {
    const std::size_t heads = w_.heads;
    alpha_.resize((2 * graph.edges.size() + graph.num_nodes) * heads);
    top_.assign(graph.num_nodes * heads, -INFINITY);
    total_.assign(graph.num_nodes * heads, 0.0F);
    for_arcs(graph, [&](std::size_t arc, Node from, Node to, float) {
      for (std::size_t head = 0; head < heads; ++head) {
        const float score = w_.leaky(logit(graph, arc, from, to, head));
        alpha_[arc * heads + head] = score;
        top_[to * heads + head] = std::max(top_[to * heads + head], score);
      }
    });
    for_arcs(graph, [&](std::size_t arc, Node, Node to, float) {
      for (std::size_t head = 0; head < heads; ++head) {
        float& alpha = alpha_[arc * heads + head];
        alpha = std::exp(alpha - top_[to * heads + head]);
        total_[to * heads + head] += alpha;
      }
    });
    for_arcs(graph, [&](std::size_t arc, Node, Node to, float) {
      for (std::size_t head = 0; head < heads; ++head) {
        alpha_[arc * heads + head] /= total_[to * heads + head];
      }
    });
  }

  /// Back through GatWeights::close.
  const float* by_sums(std::size_t n, const float* gradient) {
    float* g = with_room(by_sums_, n * wide());
    std::fill_n(g, n * wide(), 0.0F);
    const std::size_t width = padded(w_.outputs());
    for (Node v = 0; v < n; ++v) {
      for (std::size_t head = 0; head < w_.heads; ++head) {
        for (std::size_t c = 0; c < w_.features; ++c) {
          const std::size_t column = w_.output_of(head, c);
          g[place(v, head) + c] = gradient[v * width + column] * w_.scale[column];
        }
      }
    }
    return g;
  }

  /// Adds to by_h what comes through the softmax.
  void through_attention(const WeightedGraph& graph, float* by_h) {
    const std::size_t heads = w_.heads;
    mean_.assign(graph.num_nodes * heads, 0.0F);
    for_arcs(graph, [&](std::size_t arc, Node, Node to, float) {
      for (std::size_t head = 0; head < heads; ++head) {
        mean_[to * heads + head] += alpha_[arc * heads + head] * by_alpha_[arc * heads + head];
      }
    });
    by_terms_.assign(terms_.size(), 0.0F);
    for_arcs(graph, [&](std::size_t arc, Node from, Node to, float) {
      for (std::size_t head = 0; head < heads; ++head) {
        const float slope = logit(graph, arc, from, to, head) > 0 ? 1 : w_.slope;
        const float by_logit = slope * alpha_[arc * heads + head] *
                               (by_alpha_[arc * heads + head] - mean_[to * heads + head]);
        by_terms_[from * heads + head] += by_logit;
        by_terms_[(graph.num_nodes + to) * heads + head] += by_logit;
      }
    });
    for (Node v = 0; v < graph.num_nodes; ++v) {
      for (std::size_t head = 0; head < heads; ++head) {
        const float by_source = by_terms_[v * heads + head];
        const float by_target = by_terms_[(graph.num_nodes + v) * heads + head];
        float* row = by_h + place(v, head);
        const std::size_t at = head * w_.features;
        for (std::size_t c = 0; c < w_.features; ++c) {
          row[c] += by_source * w_.source[at + c] + by_target * w_.target[at + c];
        }
      }
    }
  }

  const GatWeights& w_;
  PackedLinear back_;
  Floats h_;
  Floats sums_;
  std::vector<float> terms_;  ///< as GatWeights::score gives them
  std::vector<float> loops_;  ///< [node, head]: what edges are to a self loop
  std::vector<float> alpha_;  ///< [arc, head]
  std::vector<float> top_;
  std::vector<float> total_;
  Floats by_sums_;
  Floats by_h_;
  std::vector<float> by_alpha_;
  std::vector<float> by_terms_;
  std::vector<float> mean_;  ///< [node, head]: of by_alpha, weighted by alpha
};

}  // namespace

std::unique_ptr<LayerGradient> gat_gradient(const GatWeights& weights) {
  return std::make_unique<GatGradient>(weights);
}

}  // namespace fewedits
