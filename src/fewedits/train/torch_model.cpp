// SPDX-License-Identifier: MIT
#include "fewedits/train/torch_model.hpp"

#include <cmath>
#include <cstring>
#include <utility>

namespace fewedits {
namespace {

constexpr double kBatchNormMomentum = 0.1;  // torch's default

torch::Tensor uniform(const std::vector<std::int64_t>& shape, double bound, Rng& rng) {
  torch::Tensor out = torch::empty(shape, torch::kFloat32);
  float* value = out.data_ptr<float>();
  for (std::int64_t i = 0; i < out.numel(); ++i) {
    value[i] = static_cast<float>((2 * rng.uniform() - 1) * bound);
  }
  return out;
}

/// Glorot & Bengio 2010, over the last two dimensions as PyTorch Geometric takes it.
torch::Tensor glorot(const std::vector<std::int64_t>& shape, Rng& rng) {
  const auto fans = static_cast<double>(shape[shape.size() - 1] + shape[shape.size() - 2]);
  return uniform(shape, std::sqrt(6.0 / fans), rng);
}

torch::Tensor activated(const torch::Tensor& x, Activation activation) {
  switch (activation) {
    case Activation::kRelu: return torch::relu(x);
    case Activation::kElu: return torch::elu(x);
    case Activation::kNone: return x;
    case Activation::kLeakyRelu:
    case Activation::kGelu:
    case Activation::kTanh:
    case Activation::kSigmoid: break;
  }
  TORCH_CHECK(false, "training does not offer this activation");
}

/// The convolutions of a batch share one vector of degree factors; undefined if not needed.
torch::Tensor degree_scale(const LayerSpec& layer, const GraphBatch& batch) {
  if (layer.conv == Conv::kGcn) return gcn_scale(batch);
  if (layer.conv == Conv::kSage && layer.aggregate == Aggregation::kMean) return mean_scale(batch);
  return {};
}

Tensor to_plain(const torch::Tensor& tensor) {
  const torch::Tensor source = tensor.detach().contiguous();
  Tensor out;
  out.dtype = source.scalar_type() == torch::kInt64 ? DType::kInt64 : DType::kFloat32;
  out.shape.assign(source.sizes().begin(), source.sizes().end());
  out.bytes.resize(source.nbytes());
  std::memcpy(out.bytes.data(), source.data_ptr(), out.bytes.size());
  return out;
}

}  // namespace

TorchModel::TorchModel(const ModelSpec& spec, const ModelShape& shape, Rng& rng) : spec_(spec) {
  std::int64_t in = shape.labels;
  if (!spec.node_embedding.empty()) {
    add_embedding(spec.node_embedding, shape.labels, shape.embedding, rng);
    in = shape.embedding;
  }
  for (const LayerSpec& layer : spec.layers) {
    add_convolution(layer, shape.width, in, shape.edge_labels, rng);
    if (!layer.batch_norm.empty()) add_batch_norm(layer.batch_norm, shape.width);
    in = shape.width;
  }
  if (spec.jumping) in *= static_cast<std::int64_t>(spec.layers.size());
  for (std::size_t i = 0; i < spec.head.size(); ++i) {
    const bool last = i + 1 == spec.head.size();
    const std::int64_t out = last ? shape.classes : shape.head_widths[i];
    add_linear(spec.head[i].weights, out, in, /*bias=*/true, rng);
    in = out;
  }
}

void TorchModel::add_parameter(const std::string& name, const torch::Tensor& value) {
  tensors_[name] = value.requires_grad_();
}

// torch.nn.Linear: Kaiming uniform with a = √5, which comes to ±1/√in for weight and bias.
void TorchModel::add_linear(const std::string& prefix, std::int64_t out, std::int64_t in, bool bias,
                            Rng& rng) {
  const double bound = 1.0 / std::sqrt(static_cast<double>(in));
  add_parameter(prefix + ".weight", uniform({out, in}, bound, rng));
  if (bias) add_parameter(prefix + ".bias", uniform({out}, bound, rng));
}

/// Uniform with variance 1; torch.nn.Embedding draws from the normal distribution.
void TorchModel::add_embedding(const std::string& prefix, std::int64_t labels,
                               std::int64_t features, Rng& rng) {
  add_parameter(prefix + ".weight", uniform({labels, features}, std::sqrt(3.0), rng));
}

void TorchModel::add_convolution(const LayerSpec& layer, std::int64_t out, std::int64_t in,
                                 std::int64_t edge_labels, Rng& rng) {
  const std::string& name = layer.weights;
  switch (layer.conv) {
    case Conv::kGcn:
      add_parameter(name + ".lin.weight", glorot({out, in}, rng));
      add_parameter(name + ".bias", torch::zeros({out}));
      break;
    case Conv::kGine:
      add_linear(name + ".lin", in, edge_labels, /*bias=*/true, rng);
      [[fallthrough]];
    case Conv::kGin:
      add_linear(name + ".nn.0", out, in, /*bias=*/true, rng);
      add_linear(name + ".nn.2", out, out, /*bias=*/true, rng);
      tensors_[name + ".eps"] = torch::zeros({1});  // a buffer: not trained
      break;
    case Conv::kSage:
      add_linear(name + ".lin_l", out, in, /*bias=*/true, rng);
      add_linear(name + ".lin_r", out, in, /*bias=*/false, rng);
      break;
    case Conv::kGat:
      add_parameter(name + ".lin_src.weight", glorot({out, in}, rng));
      add_parameter(name + ".att_src", glorot({1, layer.heads, out / layer.heads}, rng));
      add_parameter(name + ".att_dst", glorot({1, layer.heads, out / layer.heads}, rng));
      add_parameter(name + ".bias", torch::zeros({out}));
      break;
  }
}

void TorchModel::add_batch_norm(const std::string& prefix, std::int64_t features) {
  add_parameter(prefix + ".weight", torch::ones({features}));
  add_parameter(prefix + ".bias", torch::zeros({features}));
  tensors_[prefix + ".running_mean"] = torch::zeros({features});
  tensors_[prefix + ".running_var"] = torch::ones({features});
  tensors_[prefix + ".num_batches_tracked"] = torch::zeros({}, torch::kInt64);
}

torch::Tensor TorchModel::linear(const torch::Tensor& x, const std::string& prefix) const {
  return torch::linear(x, at(prefix + ".weight"), at(prefix + ".bias"));
}

torch::Tensor TorchModel::gin(const torch::Tensor& sum, const std::string& name) const {
  return linear(torch::relu(linear(sum, name + ".nn.0")), name + ".nn.2");
}

torch::Tensor TorchModel::gat(const torch::Tensor& x, const LayerSpec& layer,
                              const GraphBatch& batch) const {
  const torch::Tensor h = torch::linear(x, at(layer.weights + ".lin_src.weight"));
  const torch::Tensor by_head = h.view({h.size(0), layer.heads, -1});
  const torch::Tensor source = (by_head * at(layer.weights + ".att_src")).sum(-1);
  const torch::Tensor target = (by_head * at(layer.weights + ".att_dst")).sum(-1);
  return attention_sum(h, source, target, batch, layer.negative_slope) +
         at(layer.weights + ".bias");
}

torch::Tensor TorchModel::convolution(const torch::Tensor& x, const LayerSpec& layer,
                                      const GraphBatch& batch, const torch::Tensor& scale) const {
  const std::string& name = layer.weights;
  switch (layer.conv) {
    // (ÂX)W rather than Â(XW): the first layer's X is constant, so Â then needs no backward.
    case Conv::kGcn:
      return torch::linear(neighbour_sum(x, batch, 1.0, scale, scale), at(name + ".lin.weight"),
                           at(name + ".bias"));
    // ε = 0 in both.
    case Conv::kGin: return gin(neighbour_sum(x, batch, 1.0), name);
    case Conv::kGine: {
      const torch::Tensor edges = at(name + ".lin.weight").t() + at(name + ".lin.bias");
      return gin(edge_message_sum(x, edges, batch), name);
    }
    case Conv::kSage: {
      const torch::Tensor neighbours = layer.aggregate == Aggregation::kMax
                                           ? neighbour_max(x, batch)
                                           : neighbour_sum(x, batch, 0.0, {}, scale);
      return linear(neighbours, name + ".lin_l") + torch::linear(x, at(name + ".lin_r.weight"));
    }
    case Conv::kGat: return gat(x, layer, batch);
  }
  return {};
}

torch::Tensor TorchModel::batch_norm(const torch::Tensor& x, const std::string& prefix,
                                     bool training) {
  torch::Tensor& mean = tensors_.at(prefix + ".running_mean");
  torch::Tensor& variance = tensors_.at(prefix + ".running_var");
  if (!training) {
    return torch::batch_norm(x, at(prefix + ".weight"), at(prefix + ".bias"), mean, variance,
                             /*training=*/false, kBatchNormMomentum, spec_.batch_norm_epsilon,
                             /*cudnn_enabled=*/false);
  }
  tensors_.at(prefix + ".num_batches_tracked").add_(1);
  return train_batch_norm(x, at(prefix + ".weight"), at(prefix + ".bias"), mean, variance,
                          kBatchNormMomentum, spec_.batch_norm_epsilon);
}

torch::Tensor TorchModel::forward(const GraphBatch& batch, bool training) {
  torch::Tensor x = batch.features;
  if (!spec_.node_embedding.empty()) x = x.matmul(at(spec_.node_embedding + ".weight"));
  std::vector<torch::Tensor> outputs;
  const torch::Tensor scale = degree_scale(spec_.layers.front(), batch);
  for (const LayerSpec& layer : spec_.layers) {
    x = convolution(x, layer, batch, scale);
    if (!layer.batch_norm.empty()) x = batch_norm(x, layer.batch_norm, training);
    x = activated(x, layer.activation);
    if (spec_.jumping) outputs.push_back(x);
  }
  if (spec_.jumping) x = torch::cat(outputs, 1);
  x = pool_nodes(x, batch, spec_.pooling);
  for (std::size_t i = 0; i < spec_.head.size(); ++i) {
    x = linear(i == 0 ? x : torch::relu(x), spec_.head[i].weights);
  }
  return torch::log_softmax(x, 1);
}

std::vector<torch::Tensor> TorchModel::parameters() const {
  std::vector<torch::Tensor> out;
  for (const auto& [name, tensor] : tensors_) {
    if (tensor.requires_grad()) out.push_back(tensor);
  }
  return out;
}

StateDict TorchModel::state_dict() const {
  StateDict out;
  for (const auto& [name, tensor] : tensors_) out[name] = to_plain(tensor);
  return out;
}

void TorchModel::load(const StateDict& state) {
  for (auto& [name, tensor] : tensors_) {
    const Tensor& from = state.at(name);
    TORCH_CHECK(from.bytes.size() == tensor.nbytes(), "another model's weights");
    std::memcpy(tensor.data_ptr(), from.bytes.data(), from.bytes.size());
  }
}

}  // namespace fewedits
