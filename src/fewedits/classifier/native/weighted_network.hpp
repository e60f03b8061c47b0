// SPDX-License-Identifier: MIT
// A native network on graphs with weighted edges, forwards and backwards. Internal to
// classifier/native.
#pragma once

#include <memory>
#include <vector>

#include "fewedits/classifier/native/conv_gradients.hpp"
#include "fewedits/classifier/native/network.hpp"
#include "fewedits/classifier/weighted_model.hpp"

namespace fewedits {

/// PERF NOTE: nothing is allocated once the largest graph was seen. The published GCN on a graph of
/// 30 nodes and 32 edges takes 1.5 µs forwards and 3.6 µs with the gradient (bench/gradient, AVX2
/// or AVX-512, one thread); half of that is `multiply`, and less than a tenth the calls of
/// add_scaled, so that a kernel for weighted edges would gain little.
class WeightedNetwork final : public WeightedModel {
 public:
  /// Keeps a reference; the network must stay as it is.
  explicit WeightedNetwork(const NativeNetwork& network);

  [[nodiscard]] std::size_t num_classes() const override { return network_.num_classes(); }
  [[nodiscard]] std::size_t node_size() const override { return network_.layers.back()->outputs(); }
  [[nodiscard]] std::size_t pooled_size() const override { return network_.pooled; }

  /// Throws Error for a label that the model does not know.
  void evaluate(const Graph& graph, std::span<const float> weights) override;
  [[nodiscard]] std::span<const float> logits() const override {
    return {logits_.data(), num_classes()};
  }
  [[nodiscard]] std::span<const float> pooled() const override {
    return {pooled_.data(), pooled_size()};
  }
  [[nodiscard]] std::span<const float> node(Node v) const override {
    return {outputs_.back().data() + v * padded(node_size()), node_size()};
  }
  void logit_gradient(std::span<const float> scale, std::span<float> out) override;
  void pooled_gradient(std::span<const float> scale, std::span<float> out) override;
  void head(std::span<const float> pooled, std::span<float> logits) const override;
  void head_gradient(std::span<const float> pooled, std::span<const float> scale,
                     std::span<float> out) const override;

 private:
  /// Null: the first layer looks labels up.
  [[nodiscard]] const float* first_rows() const {
    return network_.has_input() ? input_.data() : nullptr;
  }
  /// Adds the derivative by the outputs of a layer, of which scale is that by what they pool to.
  void unpool(std::size_t layer, Aggregation way, const float* pooled, const float* scale,
              float* gradient) const;
  [[nodiscard]] bool has_last_norm(std::size_t layer) const {
    return !network_.last_norms[layer].scale.empty();
  }
  void through_last_norm(std::size_t layer, float* gradient) const;

  const NativeNetwork& network_;
  std::vector<std::unique_ptr<LayerGradient>> layers_;
  std::vector<PackedLinear> head_back_;
  WeightedGraph graph_;
  Floats input_;                     ///< rows before the first layer, if there are any
  std::vector<Floats> outputs_;      ///< of each layer
  std::vector<Floats> before_norm_;  ///< of each layer with a batch norm that comes last
  Floats pooled_;
  Floats by_pooled_;
  Floats logits_;
  Floats row_;
  Floats gradients_[2];
  mutable Floats hidden_;     ///< what each part of the head gives
  mutable Floats by_hidden_;  ///< two rows
};

}  // namespace fewedits
