// SPDX-License-Identifier: MIT
// The message-passing layers of the native engine, each compiled from a LayerSpec. Internal to
// classifier/native.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "fewedits/classifier/model_spec.hpp"
#include "fewedits/classifier/native/kernels.hpp"
#include "fewedits/classifier/native/packed.hpp"
#include "fewedits/graph/graph.hpp"

namespace fewedits {

/// A worker's buffers; they grow to the largest graph seen and stay.
struct Scratch {
  Floats a;
  Floats b;
  Floats in_scale;   ///< a factor per node
  Floats attention;  ///< kGat: source and target terms, then the weights of one node's row

  static float* at_least(Floats& buffer, std::size_t floats) {
    if (buffer.size() < floats) buffer.resize(floats);
    return buffer.data();
  }
};

/// What a layer reads: rows of features, or (x == null) the one-hot rows of the labels; of a graph
/// or of a part of it, in which the first nodes have all their neighbours.
struct LayerInput {
  std::size_t num_rows;   ///< to compute: the first nodes
  std::size_t num_nodes;  ///< to read
  const std::uint32_t* offsets;
  const std::uint32_t* targets;
  const Label* labels;
  const float* x;
  const float* norm;  ///< 1/√(degree + 1) of each node
  /// Parallel to targets; null for layers that do not look at them.
  const Label* edge_labels = nullptr;

  [[nodiscard]] Rows rows() const { return {num_rows, offsets, targets}; }
  [[nodiscard]] std::span<const std::uint32_t> neighbours(std::size_t v) const {
    return {targets + offsets[v], offsets[v + 1] - offsets[v]};
  }
};

class LayerGradient;  // native/conv_gradients.hpp

class ConvLayer {
 public:
  virtual ~ConvLayer() = default;
  [[nodiscard]] virtual std::size_t inputs() const = 0;
  [[nodiscard]] virtual std::size_t outputs() const = 0;
  /// Input i becomes what input from[i] was. For first layers, when they are compiled.
  virtual void select_inputs(std::span<const std::uint32_t> from) = 0;
  /// How many labels of edges it knows; 0: it does not look at them.
  [[nodiscard]] virtual std::size_t edge_labels() const { return 0; }
  /// Edge label i becomes what from[i] was.
  virtual void select_edge_labels(std::span<const std::uint32_t> /*from*/) {}
  /// Does it need rows of features in place of one-hot labels, also as a first layer?
  [[nodiscard]] virtual bool needs_rows() const { return false; }
  /// Writes num_rows × padded(outputs()) floats, padding zero. `out` is none of the buffers
  /// in `scratch` and not the input.
  virtual void forward(const Kernels& kernels, const LayerInput& in, Scratch& scratch,
                       float* out) const = 0;
  /// Is every derivative known? Else there is no gradient().
  [[nodiscard]] virtual bool has_gradient() const = 0;
  /// Floating-point operations without padding; `one_hot` for a first layer.
  [[nodiscard]] virtual double flops(const Graph& graph, bool one_hot) const = 0;
  /// The layer on graphs with weighted edges, for one thread; it reads this one.
  [[nodiscard]] virtual std::unique_ptr<LayerGradient> gradient() const = 0;
};

/// 1/√(degree + 1) of each node, for LayerInput::norm.
void fill_norm(const Graph& graph, float* norm);
/// The same for some nodes.
void fill_norm(const Graph& graph, std::span<const Node> nodes, float* norm);

/// With its batch norm and activation, but for a batch norm that comes last. A layer that reads
/// edges has the embedding of its own, else that of the model.
std::unique_ptr<ConvLayer> make_conv_layer(const LayerSpec& spec, const WeightReader& weights,
                                           const ModelSpec& model);

}  // namespace fewedits
