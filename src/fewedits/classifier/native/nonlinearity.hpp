// SPDX-License-Identifier: MIT
// Activations, forwards and backwards. Internal to classifier/native.
#pragma once

#include <cmath>
#include <cstddef>

#include "fewedits/classifier/model_spec.hpp"

namespace fewedits {

struct Nonlinearity {
  Activation kind = Activation::kNone;
  float slope = 0.01F;  ///< kLeakyRelu

  /// ReLU is applied by the kernels, as the rows are finished.
  [[nodiscard]] bool is_fused() const {
    return kind == Activation::kRelu || kind == Activation::kNone;
  }
  /// Does the derivative follow from the value that came out? Not where two values in give the
  /// same.
  [[nodiscard]] bool can_be_undone() const { return kind != Activation::kGelu; }

  [[nodiscard]] float of(float x) const {
    switch (kind) {
      case Activation::kNone: return x;
      case Activation::kRelu: return x > 0 ? x : 0;
      case Activation::kLeakyRelu: return x > 0 ? x : slope * x;
      case Activation::kElu: return x > 0 ? x : std::expm1(x);
      case Activation::kGelu: return 0.5F * x * (1 + std::erf(x * 0.70710678F));
      case Activation::kTanh: return std::tanh(x);
      case Activation::kSigmoid: return 1 / (1 + std::exp(-x));
    }
    return x;
  }
  /// By the value before, from the value after; 0 at the kink of ReLU.
  [[nodiscard]] float derivative(float after) const {
    switch (kind) {
      case Activation::kNone:
      case Activation::kGelu: return 1;  // can_be_undone()
      case Activation::kRelu: return after > 0 ? 1 : 0;
      case Activation::kLeakyRelu: return after > 0 ? 1 : slope;
      case Activation::kElu: return after > 0 ? 1 : after + 1;
      case Activation::kTanh: return 1 - after * after;
      case Activation::kSigmoid: return after * (1 - after);
    }
    return 1;
  }
};

/// In place, on rows of `width` floats of which the first `columns` count: padding stays zero.
inline void apply_nonlinearity(const Nonlinearity& f, std::size_t rows, std::size_t columns,
                               std::size_t width, float* values) {
  for (std::size_t r = 0; r < rows; ++r, values += width) {
    for (std::size_t c = 0; c < columns; ++c) values[c] = f.of(values[c]);
  }
}

}  // namespace fewedits
