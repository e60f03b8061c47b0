// SPDX-License-Identifier: MIT
// The weights of a GAT layer, and the parts of its formula that look at one node at a time.
// Internal to classifier/native.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "fewedits/classifier/model_spec.hpp"
#include "fewedits/classifier/native/packed.hpp"

namespace fewedits {

/// Each head's columns are padded: feature c of a head is column head · lanes() + c.
struct GatWeights {
  PackedLinear linear;
  std::size_t heads;
  std::size_t features = 0;  ///< of one head
  bool concat;
  float slope;
  std::vector<float> source;  ///< heads × features
  std::vector<float> target;
  std::vector<float> scale;  ///< of the outputs: batch norm, and the mean over heads
  std::vector<float> shift;
  Activation activation;

  GatWeights(const LayerSpec& spec, const WeightReader& weights, double epsilon);

  [[nodiscard]] std::size_t lanes() const { return padded(features); }
  [[nodiscard]] std::size_t outputs() const { return concat ? heads * features : features; }
  /// The output that feature c of a head goes to.
  [[nodiscard]] std::size_t output_of(std::size_t head, std::size_t c) const {
    return concat ? head * features + c : c;
  }
  [[nodiscard]] float leaky(float logit) const { return logit > 0 ? logit : slope * logit; }

  /// terms[v·heads + head] for the source role, then the same for the target role; h has rows of
  /// linear.width().
  void score(std::size_t n, const float* h, float* terms) const;
  /// Joins or averages the heads, then bias, batch norm, activation.
  void close(std::size_t n, const float* sums, float* out) const;

 private:
  void spread_heads(const PackedLinear& plain);
  [[nodiscard]] std::vector<float> attention(const WeightReader& weights,
                                             const std::string& name) const;
};

}  // namespace fewedits
