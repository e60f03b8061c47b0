// SPDX-License-Identifier: MIT
// The GREED network (SPEC §4) as a trainable libtorch function. Tensors carry the published
// checkpoints' names, embed_model.{pre,convs.L.nn.{0,2},post.{0,2}}.{weight,bias} and
// embed_model.convs.L.eps, so that GinEmbedder and the authors' code read what was trained.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "fewedits/base/rng.hpp"
#include "fewedits/base/tensor.hpp"
#include "fewedits/train/greed_batch.hpp"

namespace fewedits {

struct GreedShape {
  std::int64_t labels = 0;
  std::int64_t layers = 8;
  std::int64_t width = 64;  ///< of every layer, of the head and of the embedding
};

class GreedModel {
 public:
  /// Fresh weights from `rng`, torch.nn.Linear's default.
  GreedModel(const GreedShape& shape, Rng& rng);

  /// The same weights in memory, with gradients of its own: one for each thread at work.
  [[nodiscard]] GreedModel replica() const;

  /// [graphs × width]; the estimated edit distance is the Euclidean distance of two rows.
  [[nodiscard]] torch::Tensor embed(const GreedBatch& batch) const;

  /// Stretches all distances by a factor.
  void stretch(double factor);

  [[nodiscard]] const GreedShape& shape() const { return shape_; }
  [[nodiscard]] std::vector<torch::Tensor> parameters() const;
  /// Parameters and the constant eps = 0 of every layer, copied.
  [[nodiscard]] StateDict state_dict() const;
  /// Takes over values of a state dict that state_dict() gave.
  void load(const StateDict& state);

 private:
  explicit GreedModel(const GreedShape& shape) : shape_(shape) {}
  void add_linear(const std::string& name, std::int64_t out, std::int64_t in, Rng& rng);
  [[nodiscard]] const torch::Tensor& at(const std::string& name) const { return tensors_.at(name); }
  [[nodiscard]] torch::Tensor linear(const torch::Tensor& x, const std::string& name) const;
  [[nodiscard]] torch::Tensor convolution(const torch::Tensor& x, const RowLists& neighbours,
                                          const std::string& name) const;

  GreedShape shape_;
  std::map<std::string, torch::Tensor> tensors_;  ///< trained ones, without "embed_model."
};

}  // namespace fewedits
