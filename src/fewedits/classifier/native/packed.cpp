// SPDX-License-Identifier: MIT
#include "fewedits/classifier/native/packed.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "fewedits/base/error.hpp"

namespace fewedits {
namespace {

Floats padded_copy(const std::vector<float>& values, std::size_t width) {
  Floats out(width, 0.0F);
  std::copy(values.begin(), values.end(), out.begin());
  return out;
}

}  // namespace

void PackedLinear::fold(const std::vector<float>& scale, const std::vector<float>& shift) {
  for (std::size_t k = 0; k < inner; ++k) {
    for (std::size_t c = 0; c < columns; ++c) weight[k * width() + c] *= scale[c];
  }
  for (std::size_t c = 0; c < columns; ++c) bias[c] = bias[c] * scale[c] + shift[c];
}

void PackedLinear::fold_inputs(const std::vector<float>& scale, const std::vector<float>& shift) {
  for (std::size_t c = 0; c < columns; ++c) {
    double sum = bias[c];
    for (std::size_t i = 0; i < inner; ++i) {
      sum += double{shift[i]} * double{weight[i * width() + c]};
      weight[i * width() + c] *= scale[i];
    }
    bias[c] = static_cast<float>(sum);
  }
}

void PackedLinear::select_inputs(std::span<const std::uint32_t> from) {
  Floats selected;
  selected.reserve(from.size() * width());
  for (const std::uint32_t k : from) {
    const auto row = weight.begin() + static_cast<std::ptrdiff_t>(k * width());
    selected.insert(selected.end(), row, row + static_cast<std::ptrdiff_t>(width()));
  }
  weight = std::move(selected);
  inner = from.size();
}

void PackedLinear::select_outputs(std::span<const std::size_t> from) {
  PackedLinear old = *this;
  columns = from.size();
  weight.assign(inner * width(), 0.0F);
  bias.assign(width(), 0.0F);
  for (std::size_t c = 0; c < columns; ++c) {
    for (std::size_t k = 0; k < inner; ++k) {
      weight[k * width() + c] = old.weight[k * old.width() + from[c]];
    }
    bias[c] = old.bias[from[c]];
  }
}

PackedLinear PackedLinear::with_zero_before() const {
  PackedLinear out;
  out.inner = inner;
  out.columns = columns + 1;
  out.weight.assign(out.inner * out.width(), 0.0F);
  out.bias.assign(out.width(), 0.0F);
  for (std::size_t c = 0; c < columns; ++c) {
    out.bias[c + 1] = bias[c];
    for (std::size_t i = 0; i < inner; ++i) {
      out.weight[i * out.width() + c + 1] = weight[i * width() + c];
    }
  }
  return out;
}

PackedLinear PackedLinear::transposed() const {
  PackedLinear out;
  out.inner = columns;
  out.columns = inner;
  out.weight.assign(out.inner * out.width(), 0.0F);
  out.bias.assign(out.width(), 0.0F);
  for (std::size_t k = 0; k < inner; ++k) {
    for (std::size_t c = 0; c < columns; ++c) {
      out.weight[c * out.width() + k] = weight[k * width() + c];
    }
  }
  return out;
}

LabelTable one_hot_table(std::size_t labels) {
  LabelTable out;
  out.inner = labels;
  out.columns = labels;
  out.weight.assign(labels * out.width(), 0.0F);
  for (std::size_t l = 0; l < labels; ++l) out.weight[l * out.width() + l] = 1.0F;
  out.bias.assign(out.width(), 0.0F);
  return out;
}

LabelTable mapped(const LabelTable* table, const PackedLinear& linear) {
  LabelTable out;
  out.inner = table != nullptr ? table->inner : linear.inner;
  out.columns = linear.columns;
  out.weight.assign(out.inner * out.width(), 0.0F);
  out.bias.assign(out.width(), 0.0F);
  for (std::size_t l = 0; l < out.inner; ++l) {
    for (std::size_t c = 0; c < out.columns; ++c) {
      double sum = linear.bias[c];
      if (table == nullptr) {
        sum += linear.weight[l * linear.width() + c];
      } else {
        for (std::size_t k = 0; k < linear.inner; ++k) {
          sum += double{table->weight[l * table->width() + k]} *
                 double{linear.weight[k * linear.width() + c]};
        }
      }
      out.weight[l * out.width() + c] = static_cast<float>(sum);
    }
  }
  return out;
}

void WeightReader::fail(const std::string& what) const {
  fail(what, "the model file must describe exactly the model that was saved");
}

void WeightReader::fail(const std::string& what, const std::string& remedy) const {
  throw Error({origin_}, what, remedy);
}

std::vector<std::string> WeightReader::unread() const {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : weights_) {
    const bool counter = name.ends_with(".num_batches_tracked") && !is_floating(tensor.dtype);
    if (!counter && !was_read(name)) names.push_back(name);
  }
  return names;
}

bool WeightReader::has_rank(const std::string& name, std::size_t rank) const {
  const auto it = weights_.find(name);
  return it != weights_.end() && it->second.shape.size() == rank;
}

const Tensor& WeightReader::tensor(const std::string& name, std::size_t rank) const {
  const auto it = weights_.find(name);
  if (it == weights_.end()) fail(fmt::format("tensor {} is missing", in_quotes(name)));
  const Tensor& found = it->second;
  read_.insert(name);
  if (!is_floating(found.dtype)) {
    fail(fmt::format("tensor {} holds {}, floating-point weights were expected", in_quotes(name),
                     name_of(found.dtype)));
  }
  if (found.shape.size() != rank || found.numel() == 0) {
    fail(fmt::format("tensor {} has the shape [{}], {} non-empty dimensions were expected",
                     in_quotes(name), fmt::join(found.shape, ", "), rank));
  }
  const auto values = found.to_floats();
  if (!std::all_of(values.begin(), values.end(), [](float x) { return std::isfinite(x); })) {
    fail(fmt::format("tensor {} holds values that are not finite", in_quotes(name)));
  }
  return found;
}

std::vector<float> WeightReader::vector(const std::string& name, std::size_t features) const {
  const Tensor& found = tensor(name, 1);
  if (found.numel() != static_cast<std::int64_t>(features)) {
    fail(fmt::format("tensor {} has {} values, {} were expected", in_quotes(name), found.numel(),
                     features));
  }
  return found.to_floats();
}

PackedLinear WeightReader::matrix(const std::string& name, bool stored_in_by_out,
                                  const std::string& bias_name) const {
  const Tensor& found = tensor(name, 2);
  const auto values = found.to_floats();
  const auto rows = static_cast<std::size_t>(found.shape[0]);
  const auto columns = static_cast<std::size_t>(found.shape[1]);
  PackedLinear out;
  out.inner = stored_in_by_out ? rows : columns;
  out.columns = stored_in_by_out ? columns : rows;
  out.weight.assign(out.inner * out.width(), 0.0F);
  for (std::size_t k = 0; k < out.inner; ++k) {
    for (std::size_t c = 0; c < out.columns; ++c) {
      out.weight[k * out.width() + c] =
          values[stored_in_by_out ? k * columns + c : c * columns + k];
    }
  }
  out.bias = has(bias_name) ? padded_copy(vector(bias_name, out.columns), out.width())
                            : Floats(out.width(), 0.0F);
  return out;
}

PackedLinear WeightReader::linear(const std::string& prefix) const {
  return matrix(prefix + ".weight", false, prefix + ".bias");
}

LabelTable WeightReader::embedding(const std::string& prefix) const {
  if (has(prefix + ".bias")) {
    fail(fmt::format("{} has a bias, which an embedding has not", in_quotes(prefix)));
  }
  return matrix(prefix + ".weight", /*stored_in_by_out=*/true, prefix + ".bias");
}

FoldedNorm WeightReader::norm(const std::string& prefix, std::size_t features,
                              double epsilon) const {
  // PyTorch Geometric's BatchNorm wraps torch's in a member called module.
  const std::string p = has(prefix + ".module.running_mean") ? prefix + ".module" : prefix;
  const auto mean = vector(p + ".running_mean", features);
  const auto variance = vector(p + ".running_var", features);
  const bool affine = has(p + ".weight");
  const auto gamma = affine ? vector(p + ".weight", features) : std::vector<float>(features, 1.0F);
  const auto beta = affine ? vector(p + ".bias", features) : std::vector<float>(features, 0.0F);
  FoldedNorm out;
  for (std::size_t c = 0; c < features; ++c) {
    if (variance[c] < 0) fail(fmt::format("tensor {} is negative", in_quotes(p + ".running_var")));
    const double scale = gamma[c] / std::sqrt(variance[c] + epsilon);
    if (!std::isfinite(static_cast<float>(scale))) {
      fail(fmt::format("{} divides by a variance of zero", in_quotes(p)));
    }
    out.scale.push_back(static_cast<float>(scale));
    out.shift.push_back(static_cast<float>(beta[c] - mean[c] * scale));
  }
  return out;
}

std::vector<std::string> WeightReader::names_under(const std::string& prefix) const {
  std::vector<std::string> names;
  for (auto it = weights_.lower_bound(prefix);
       it != weights_.end() && it->first.starts_with(prefix); ++it) {
    names.push_back(it->first);
  }
  return names;
}

}  // namespace fewedits
