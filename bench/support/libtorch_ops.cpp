// SPDX-License-Identifier: MIT
#include "support/libtorch_ops.hpp"

#include <cstring>

namespace fewedits::bench {

torch::Tensor to_torch(const Tensor& tensor) {
  return torch::tensor(tensor.to_floats()).reshape(tensor.shape);
}

std::vector<float> to_floats(const torch::Tensor& tensor) {
  const auto flat = tensor.to(torch::kFloat).contiguous();
  std::vector<float> values(static_cast<std::size_t>(flat.numel()));
  std::memcpy(values.data(), flat.data_ptr<float>(), values.size() * sizeof(float));
  return values;
}

RowSum::RowSum(std::int64_t sources, const std::vector<std::int64_t>& from,
               const std::vector<std::int64_t>& begin, const std::vector<float>& weights)
    : rows_(static_cast<std::int64_t>(begin.size()) - 1), source_(torch::tensor(from)) {
  const auto bounds = torch::tensor(begin);
  offsets_ = bounds.slice(0, 0, rows_).contiguous();
  target_ = torch::repeat_interleave(torch::arange(rows_), bounds.diff());
  if (!weights.empty()) weight_ = torch::tensor(weights);
  matrix_ =
      torch::sparse_coo_tensor(torch::stack({target_, source_}),
                               weight_.value_or(torch::ones(source_.sizes())), {rows_, sources})
          .coalesce();
}

torch::Tensor RowSum::operator()(const torch::Tensor& x, Aggregator aggregator) const {
  switch (aggregator) {
    case Aggregator::kSparseMatrix: return torch::mm(matrix_, x);
    case Aggregator::kEmbeddingBag:
      return std::get<0>(torch::embedding_bag(x, source_, offsets_, /*scale_grad_by_freq=*/false,
                                              /*mode: sum*/ 0, /*sparse=*/false, weight_));
    case Aggregator::kScatter: break;
  }
  auto messages = x.index_select(0, source_);
  if (weight_) messages.mul_(weight_->unsqueeze(1));
  return torch::zeros({rows_, x.size(1)})
      .scatter_add_(0, target_.unsqueeze(1).expand({target_.size(0), x.size(1)}), messages);
}

}  // namespace fewedits::bench
