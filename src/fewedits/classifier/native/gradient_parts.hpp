// SPDX-License-Identifier: MIT
// What the backward passes of all layers are made of. Internal to classifier/native.
#pragma once

#include <cmath>
#include <cstddef>

#include "fewedits/classifier/native/conv_gradients.hpp"

namespace fewedits {

inline float* with_room(Floats& buffer, std::size_t floats) {
  if (buffer.size() < floats) buffer.resize(floats);
  return buffer.data();
}

/// PERF NOTE: a sum for each lane, for which the compiler uses vectors; one sum would be a chain of
/// additions that wait for each other.
inline float dot(std::size_t width, const float* a, const float* b) {
  float sums[kLane] = {};
  for (std::size_t i = 0; i < width; i += kLane) {
    for (std::size_t k = 0; k < kLane; ++k) sums[k] += a[i + k] * b[i + k];
  }
  return ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]));
}

/// x · W without the bias; x == null: the rows of W that the labels name.
inline void project(const Kernels& kernels, const WeightedGraph& graph, const PackedLinear& linear,
                    const float* x, float* out) {
  if (x == nullptr) {
    kernels.gather(graph.num_nodes, linear.width(), {linear.weight.data(), graph.labels}, out);
  } else {
    kernels.multiply(graph.num_nodes, linear.inner, linear.width(), x, padded(linear.inner),
                     linear.weight.data(), {}, out);
  }
}

/// y_u += to_u · x_v and y_v += to_v · x_u for the ends u and v of an edge.
inline void exchange(const Kernels& kernels, std::size_t width, const Edge& edge, float to_u,
                     float to_v, const float* x, float* y) {
  kernels.add_scaled(width, to_u, x + edge.v * width, y + edge.u * width);
  kernels.add_scaled(width, to_v, x + edge.u * width, y + edge.v * width);
}

/// Bias and activation of finished rows.
inline void finish(const Nonlinearity& activation, std::size_t rows, const PackedLinear& linear,
                   float* out) {
  const std::size_t width = linear.width();
  const float* bias = linear.bias.data();
  for (std::size_t r = 0; r < rows; ++r, out += width) {
    if (activation.kind == Activation::kRelu) {
      for (std::size_t c = 0; c < width; ++c) {
        const float value = out[c] + bias[c];
        out[c] = value > 0 ? value : 0;
      }
    } else {
      for (std::size_t c = 0; c < width; ++c) out[c] += bias[c];
      if (!activation.is_fused()) apply_nonlinearity(activation, 1, linear.columns, width, out);
    }
  }
}

/// From the derivative by the values `after` an activation to that by the values before it.
inline void undo(const Nonlinearity& activation, std::size_t count, const float* after,
                 float* gradient) {
  if (activation.kind == Activation::kNone) return;
  if (activation.kind == Activation::kRelu) {
    for (std::size_t i = 0; i < count; ++i) gradient[i] = after[i] > 0 ? gradient[i] : 0;
  } else {
    for (std::size_t i = 0; i < count; ++i) gradient[i] *= activation.derivative(after[i]);
  }
}

}  // namespace fewedits
