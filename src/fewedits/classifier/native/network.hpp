// SPDX-License-Identifier: MIT
// The weights of a native classifier and what every evaluation of it does with them: layers,
// pooling, head. Internal to classifier/native.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fewedits/classifier/model_spec.hpp"
#include "fewedits/classifier/native/conv_layers.hpp"
#include "fewedits/classifier/native/kernels.hpp"
#include "fewedits/classifier/native/nonlinearity.hpp"
#include "fewedits/classifier/native/packed.hpp"

namespace fewedits {

struct NativeNetwork {
  ModelSpec spec;
  const Kernels& kernels;
  /// Rows that stand before the first layer: an embedding, or one-hot rows for layers that need
  /// them. Empty: the first layer looks labels up by itself.
  LabelTable input;
  std::vector<std::unique_ptr<ConvLayer>> layers;
  std::vector<PackedLinear> head;
  Nonlinearity head_activation;
  /// Of each layer: a batch norm behind its activation; empty: none.
  std::vector<FoldedNorm> last_norms;
  std::size_t edge_labels = 0;  ///< that layers know; 0: none looks at them
  std::size_t widest = 0;       ///< padded outputs of any layer, and of the input
  std::size_t pooled = 0;       ///< features after pooling
  std::size_t widest_head = 0;
  std::vector<std::string> ignored;  ///< tensors that the model file leaves out

  /// Throws Error naming the tensor if weights are missing or do not fit together.
  NativeNetwork(const ModelSpec& model, const WeightReader& weights, const Kernels& k);

  [[nodiscard]] std::size_t num_classes() const { return head.back().columns; }
  /// Is every derivative known?
  [[nodiscard]] bool has_gradient() const;
  /// What comes after layer l, in place.
  void finish_layer(std::size_t l, std::size_t rows, float* x) const;

  [[nodiscard]] bool has_input() const { return input.inner > 0; }
  [[nodiscard]] std::size_t num_labels() const {
    return has_input() ? input.inner : layers.front()->inputs();
  }
  /// Label i becomes what labels[i] was.
  void select_labels(std::span<const std::uint32_t> labels);
  void select_edge_labels(std::span<const std::uint32_t> labels);
  /// Throws Error naming the graph, the `index`-th of a batch, if it has labels that the network
  /// does not know, or none where it needs them.
  void check_labels(const Graph& graph, std::size_t index) const;

  [[nodiscard]] bool pools(std::size_t layer) const {
    return spec.jumping || layer + 1 == layers.size();
  }
  /// What is pooled, way by way, and of each way layer by layer.
  [[nodiscard]] std::size_t num_poolings() const { return 1 + spec.more_poolings.size(); }
  [[nodiscard]] Aggregation pooling(std::size_t way) const {
    return way == 0 ? spec.pooling : spec.more_poolings[way - 1];
  }
  /// Where a way's features begin.
  [[nodiscard]] std::size_t pooling_begin(std::size_t way) const {
    return way * (pooled / num_poolings());
  }
  /// Writes `columns` features of every way, from `at` behind its beginning; `row` is room for
  /// padded(columns).
  void pool(std::size_t nodes, std::size_t columns, const float* x, float* row, std::size_t at,
            float* out) const;
  /// What a way of pooling multiplies by.
  static float pooling_factor(Aggregation way, std::size_t nodes) {
    return way == Aggregation::kMean ? 1.0F / static_cast<float>(nodes) : 1.0F;
  }

  /// The logits of pooled features. Part i of the head writes row i % rows of `hidden`, rows of
  /// widest_head floats; two are enough.
  const float* classify(const float* features, float* hidden, std::size_t rows) const;

 private:
  void read_layers(const WeightReader& weights);
  void read_input(const WeightReader& weights);
  void read_head(const WeightReader& weights);
  void check_names(const WeightReader& weights) const;
};

}  // namespace fewedits
