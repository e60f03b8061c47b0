// SPDX-License-Identifier: MIT
// A model evaluated on graphs whose edges have weights, and differentiated by these weights: what
// explainers need that cut edges.
//
// An edge of weight 1 is an edge; one of weight 0 is none, but for aggregations that count
// neighbours. The weight multiplies the message that goes along the edge, in both directions. GCN's
// degrees are sums of weights (a self loop weighs 1); a mean divides by the number of edges; a
// maximum is taken over weighted messages; attention is multiplied after the softmax.
#pragma once

#include <cstddef>
#include <span>

#include "fewedits/graph/graph.hpp"

namespace fewedits {

/// For one thread. Between two calls of evaluate() the answers are those of the first.
class WeightedModel {
 public:
  WeightedModel() = default;
  virtual ~WeightedModel() = default;
  WeightedModel(const WeightedModel&) = delete;
  WeightedModel& operator=(const WeightedModel&) = delete;

  [[nodiscard]] virtual std::size_t num_classes() const = 0;
  /// Features of a node after the last layer, and of a graph after pooling.
  [[nodiscard]] virtual std::size_t node_size() const = 0;
  [[nodiscard]] virtual std::size_t pooled_size() const = 0;

  /// weights[e] belongs to edge e of graph.edges(). The graph must stay until the next call.
  virtual void evaluate(const Graph& graph, std::span<const float> weights) = 0;

  /// Before the softmax.
  [[nodiscard]] virtual std::span<const float> logits() const = 0;
  [[nodiscard]] virtual std::span<const float> pooled() const = 0;
  [[nodiscard]] virtual std::span<const float> node(Node v) const = 0;

  /// out[e] = Σ_c scale[c] · ∂ logit_c / ∂ weight_e at the point that was evaluated.
  virtual void logit_gradient(std::span<const float> scale, std::span<float> out) = 0;
  /// The same for the pooled features.
  virtual void pooled_gradient(std::span<const float> scale, std::span<float> out) = 0;

  /// The head alone: logits of pooled features, whatever was evaluated, and the derivative of
  /// Σ_c scale[c] · logit_c by these features.
  virtual void head(std::span<const float> pooled, std::span<float> logits) const = 0;
  virtual void head_gradient(std::span<const float> pooled, std::span<const float> scale,
                             std::span<float> out) const = 0;
};

}  // namespace fewedits
