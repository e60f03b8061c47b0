// SPDX-License-Identifier: MIT
// The message-passing layers on graphs whose edges have weights, forwards and backwards; the
// formulas are in docs/adr/0014-gradients.md. Internal to classifier/native.
//
// A layer keeps what its backward pass needs in buffers of its own, which grow to the largest graph
// seen and stay. Matrices are as in native/kernels.hpp.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "fewedits/classifier/model_spec.hpp"
#include "fewedits/classifier/native/gat_weights.hpp"
#include "fewedits/classifier/native/kernels.hpp"
#include "fewedits/classifier/native/nonlinearity.hpp"
#include "fewedits/classifier/native/packed.hpp"
#include "fewedits/graph/graph.hpp"

namespace fewedits {

/// A graph as a list of edges with weights.
struct WeightedGraph {
  std::size_t num_nodes = 0;
  const Label* labels = nullptr;  ///< the graph's own
  std::vector<Edge> edges;        ///< graph.edges(), with their labels
  std::vector<float> weights;     ///< of each edge
  std::vector<float> norm;        ///< 1/√(1 + Σ weights) of each node
  std::vector<float> degree;      ///< edges of each node, not weighted

  void assign(const Graph& graph, std::span<const float> of_edges);
};

class LayerGradient {
 public:
  virtual ~LayerGradient() = default;
  /// Writes num_nodes × padded(outputs) floats. `x` may be null: the one-hot rows of the labels.
  virtual void forward(const Kernels& kernels, const WeightedGraph& graph, const float* x,
                       float* out) = 0;
  /// Of the graph and the x of the last forward(), which wrote `out`. `gradient`, the derivative by
  /// `out`, is used up. Adds the derivative by the weights to `by_weight` and writes that by x to
  /// `by_x`, unless that is null. May be called again.
  virtual void backward(const Kernels& kernels, const WeightedGraph& graph, const float* x,
                        const float* out, float* gradient, float* by_x, float* by_weight) = 0;
};

// Each keeps references to the weights, and transposed copies.
std::unique_ptr<LayerGradient> gcn_gradient(const PackedLinear& linear,
                                            const Nonlinearity& activation);
/// The MLP of self · x + Σ messages.
std::unique_ptr<LayerGradient> gin_gradient(float self, const std::vector<PackedLinear>& mlp,
                                            const Nonlinearity& inside,
                                            const Nonlinearity& activation);
/// The MLP of self · x + Σ m relu(x_u + edge); x is never null.
std::unique_ptr<LayerGradient> gine_gradient(float self, const LabelTable& edges,
                                             const std::vector<PackedLinear>& mlp,
                                             const Nonlinearity& inside,
                                             const Nonlinearity& activation);
/// The bias is that of `neighbours`.
std::unique_ptr<LayerGradient> sage_gradient(const PackedLinear& neighbours,
                                             const PackedLinear& root, Aggregation aggregate,
                                             const Nonlinearity& activation);
std::unique_ptr<LayerGradient> gat_gradient(const GatWeights& weights);

}  // namespace fewedits
