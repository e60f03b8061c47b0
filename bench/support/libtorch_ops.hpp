// SPDX-License-Identifier: MIT
// What the networks written with libtorch have in common. Includes torch: for .cpp files only.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <vector>

#include "fewedits/base/tensor.hpp"
#include "support/libtorch_info.hpp"

namespace fewedits::bench {

torch::Tensor to_torch(const Tensor& tensor);
std::vector<float> to_floats(const torch::Tensor& tensor);

/// A sum of rows in the three forms: row t of the result is Σ weight·x[s] over the entries (t, s).
class RowSum {
 public:
  /// The entries of target t are those from begin[t] to begin[t + 1]; no weights: all 1.
  RowSum(std::int64_t sources, const std::vector<std::int64_t>& from,
         const std::vector<std::int64_t>& begin, const std::vector<float>& weights = {});

  [[nodiscard]] torch::Tensor operator()(const torch::Tensor& x, Aggregator aggregator) const;

 private:
  std::int64_t rows_;
  torch::Tensor source_;
  torch::Tensor target_;                 // ascending
  torch::Tensor offsets_;                // where each target's entries begin
  c10::optional<torch::Tensor> weight_;  // unset: all 1
  torch::Tensor matrix_;
};

}  // namespace fewedits::bench
