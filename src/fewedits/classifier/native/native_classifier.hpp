// SPDX-License-Identifier: MIT
// Inference for GCN, GIN, GINE, GraphSAGE and GAT classifiers in our own code.
//
// Weights are packed once: batch norm is folded into the neighbouring affine map, matrices
// are padded for the kernels, and the first layer's product with the one-hot features becomes
// a table lookup. A graph is evaluated as a whole in a worker's scratch space, which stays in
// the first-level cache (30 nodes × 24 floats ≈ 3 KiB per layer), so batches need no collation.
// A graph without nodes pools to zeros.
#pragma once

#include <filesystem>
#include <memory>

#include "fewedits/base/tensor.hpp"
#include "fewedits/classifier/classifier.hpp"
#include "fewedits/classifier/model_spec.hpp"
#include "fewedits/classifier/native/kernels.hpp"

namespace fewedits {

class NativeClassifier final : public Classifier {
 public:
  /// Throws Error naming the tensor if weights are missing or do not fit together.
  NativeClassifier(const ModelSpec& spec, const StateDict& weights, const std::string& origin,
                   const Kernels& kernels = best_kernels());
  ~NativeClassifier() override;
  NativeClassifier(NativeClassifier&&) noexcept;

  [[nodiscard]] std::size_t num_classes() const override;
  [[nodiscard]] std::size_t num_labels() const override;
  [[nodiscard]] std::size_t num_edge_labels() const override;
  void log_probabilities(std::span<const Graph> graphs, std::span<float> out,
                         ThreadPool& pool) const override;
  /// An edit changes the rows of layer l within l hops alone; only those are computed. The same
  /// answers to the last bit.
  void neighbour_log_probabilities(const Graph& graph, std::span<const Edit> edits,
                                   std::span<const Graph> neighbours, std::span<float> out,
                                   ThreadPool& pool) const override;

  [[nodiscard]] std::unique_ptr<WeightedModel> weighted() const override;

  /// From the model file.
  [[nodiscard]] std::span<const std::string> label_names() const override;
  [[nodiscard]] std::span<const std::string> edge_label_names() const override;
  [[nodiscard]] std::span<const std::string> class_names() const override;
  /// Rows of the first layer and columns of the last: with two classes no answer changes by a bit,
  /// with more the sum over them is rounded in another order.
  bool renumber(std::span<const Label> labels, std::span<const std::size_t> classes) override;
  bool renumber_edge_labels(std::span<const Label> labels) override;

  [[nodiscard]] const ModelSpec& spec() const;
  /// Multiply-adds ×2 that one graph needs without padding, for flop/s figures.
  [[nodiscard]] double flops(const Graph& graph) const;

 private:
  struct Network;
  std::unique_ptr<Network> network_;
};

/// load_model (classifier/model_file.hpp) and compile.
NativeClassifier load_classifier(const std::filesystem::path& path,
                                 const Kernels& kernels = best_kernels());

}  // namespace fewedits
