// SPDX-License-Identifier: MIT
// The classifier of a ModelSpec as a trainable libtorch function. Tensors carry the names
// PyTorch Geometric gives them, so that its users can load the trained weights:
//   GCN  convs.L.lin.weight, .bias          GIN  convs.L.nn.{0,2}.{weight,bias}, .eps
//   SAGE convs.L.lin_l.{weight,bias}, convs.L.lin_r.weight
//   GAT  convs.L.lin_src.weight, .att_src, .att_dst, .bias
//   GINE as GIN, and convs.L.lin.{weight,bias} of one-hot edge labels
//   embedding of node labels  PREFIX.weight
//   batch norm  PREFIX.{weight,bias,running_mean,running_var,num_batches_tracked}
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "fewedits/base/rng.hpp"
#include "fewedits/base/tensor.hpp"
#include "fewedits/classifier/model_spec.hpp"
#include "fewedits/train/torch_ops.hpp"

namespace fewedits {

/// What a ModelSpec leaves to its weights.
struct ModelShape {
  std::int64_t labels = 0;
  std::int64_t width = 0;  ///< of every convolution
  std::vector<int> head_widths;
  std::int64_t classes = 0;
  std::int64_t edge_labels = 0;  ///< for layers that read them
  std::int64_t embedding = 0;    ///< features of the embedding of node labels, if there is one
};

class TorchModel {
 public:
  /// Fresh weights, drawn from `rng` as PyTorch Geometric draws them: Glorot uniform and zero
  /// bias for GCN and GAT, torch.nn.Linear's default elsewhere. Heads without batch norm and
  /// GAT with concatenated heads only: this is what training offers.
  TorchModel(const ModelSpec& spec, const ModelShape& shape, Rng& rng);

  /// [graphs × classes] log-probabilities. In training mode batch norm uses the batch's own
  /// statistics and updates the running ones.
  torch::Tensor forward(const GraphBatch& batch, bool training);

  [[nodiscard]] std::vector<torch::Tensor> parameters() const;
  /// Parameters and buffers, copied.
  [[nodiscard]] StateDict state_dict() const;
  /// Takes over values of a state dict that state_dict() gave.
  void load(const StateDict& state);

 private:
  void add_linear(const std::string& prefix, std::int64_t out, std::int64_t in, bool bias,
                  Rng& rng);
  void add_convolution(const LayerSpec& layer, std::int64_t out, std::int64_t in,
                       std::int64_t edge_labels, Rng& rng);
  void add_embedding(const std::string& prefix, std::int64_t labels, std::int64_t features,
                     Rng& rng);
  void add_batch_norm(const std::string& prefix, std::int64_t features);
  void add_parameter(const std::string& name, const torch::Tensor& value);

  [[nodiscard]] const torch::Tensor& at(const std::string& name) const { return tensors_.at(name); }
  [[nodiscard]] torch::Tensor linear(const torch::Tensor& x, const std::string& prefix) const;
  [[nodiscard]] torch::Tensor convolution(const torch::Tensor& x, const LayerSpec& layer,
                                          const GraphBatch& batch,
                                          const torch::Tensor& scale) const;
  [[nodiscard]] torch::Tensor gin(const torch::Tensor& sum, const std::string& name) const;
  [[nodiscard]] torch::Tensor gat(const torch::Tensor& x, const LayerSpec& layer,
                                  const GraphBatch& batch) const;
  torch::Tensor batch_norm(const torch::Tensor& x, const std::string& prefix, bool training);

  ModelSpec spec_;
  std::map<std::string, torch::Tensor> tensors_;
};

}  // namespace fewedits
