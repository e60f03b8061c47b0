// SPDX-License-Identifier: MIT
#include "fewedits/train/greed_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace fewedits {
namespace {

const std::string kPrefix = "embed_model.";

std::string conv_name(std::int64_t layer) { return fmt::format("convs.{}", layer); }

void fill_uniform(torch::Tensor& tensor, double bound, Rng& rng) {
  float* value = tensor.data_ptr<float>();
  for (std::int64_t i = 0; i < tensor.numel(); ++i) {
    value[i] = static_cast<float>((2 * rng.uniform() - 1) * bound);
  }
}

Tensor to_plain(const torch::Tensor& tensor) {
  Tensor out{DType::kFloat32, tensor.sizes().vec(), {}};
  out.bytes.resize(tensor.nbytes());
  std::memcpy(out.bytes.data(), tensor.data_ptr(), out.bytes.size());
  return out;
}

}  // namespace

GreedModel::GreedModel(const GreedShape& shape, Rng& rng) : shape_(shape) {
  const std::int64_t width = shape.width;
  add_linear("pre", width, shape.labels, rng);
  for (std::int64_t l = 0; l < shape.layers; ++l) {
    add_linear(conv_name(l) + ".nn.0", width, width, rng);
    add_linear(conv_name(l) + ".nn.2", width, width, rng);
  }
  add_linear("post.0", width, width * (shape.layers + 1), rng);
  add_linear("post.2", width, width, rng);
}

// torch.nn.Linear: ±1/√in for weight and bias.
void GreedModel::add_linear(const std::string& name, std::int64_t out, std::int64_t in, Rng& rng) {
  const double bound = 1.0 / std::sqrt(static_cast<double>(in));
  torch::Tensor weight = torch::empty({out, in});
  torch::Tensor bias = torch::empty({out});
  fill_uniform(weight, bound, rng);
  fill_uniform(bias, bound, rng);
  tensors_[name + ".weight"] = weight.requires_grad_();
  tensors_[name + ".bias"] = bias.requires_grad_();
}

GreedModel GreedModel::replica() const {
  GreedModel out(shape_);
  for (const auto& [name, tensor] : tensors_) {
    out.tensors_[name] = tensor.detach().requires_grad_();
  }
  return out;
}

torch::Tensor GreedModel::linear(const torch::Tensor& x, const std::string& name) const {
  return torch::linear(x, at(name + ".weight"), at(name + ".bias"));
}

// The first matrix is applied before neighbours are added up, (Σ x)·W = Σ (x·W): there are fewer
// classes then. eps is 0, as in the published weights.
torch::Tensor GreedModel::convolution(const torch::Tensor& x, const RowLists& neighbours,
                                      const std::string& name) const {
  const torch::Tensor projected = torch::linear(x, at(name + ".nn.0.weight"));
  const torch::Tensor sums = sum_rows(projected, neighbours) + at(name + ".nn.0.bias");
  return linear(torch::relu(sums), name + ".nn.2");
}

torch::Tensor GreedModel::embed(const GreedBatch& batch) const {
  // A one-hot row times the matrix is the matrix's row.
  torch::Tensor x = at("pre.weight").t() + at("pre.bias");
  torch::Tensor residual = x;
  std::vector<torch::Tensor> pooled{sum_rows(x, batch.pools[0])};
  for (std::size_t l = 0; l < batch.layers.size(); ++l) {
    torch::Tensor y = convolution(x, batch.layers[l], conv_name(static_cast<std::int64_t>(l)));
    if (l % 2 == 1) residual = y = y + sum_rows(residual, batch.ancestors[l]);
    x = torch::relu(y);
    pooled.push_back(sum_rows(x, batch.pools[l + 1]));
  }
  return linear(torch::relu(linear(torch::cat(pooled, 1), "post.0")), "post.2");
}

void GreedModel::stretch(double factor) {
  const torch::NoGradGuard no_grad;
  tensors_.at("post.2.weight").mul_(factor);
}

std::vector<torch::Tensor> GreedModel::parameters() const {
  std::vector<torch::Tensor> out;
  for (const auto& [name, tensor] : tensors_) out.push_back(tensor);
  return out;
}

StateDict GreedModel::state_dict() const {
  StateDict out;
  for (const auto& [name, tensor] : tensors_) out[kPrefix + name] = to_plain(tensor);
  for (std::int64_t l = 0; l < shape_.layers; ++l) {
    out[kPrefix + conv_name(l) + ".eps"] = Tensor::from_floats({1}, {0.0F});
  }
  return out;
}

void GreedModel::load(const StateDict& state) {
  for (auto& [name, tensor] : tensors_) {
    const Tensor& from = state.at(kPrefix + name);
    TORCH_CHECK(from.bytes.size() == tensor.nbytes(), "another model's weights");
    std::memcpy(tensor.data_ptr(), from.bytes.data(), from.bytes.size());
  }
}

}  // namespace fewedits
