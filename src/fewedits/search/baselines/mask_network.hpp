// SPDX-License-Identifier: MIT
// RCExplainer's network (Bajaj et al., NeurIPS'21): for either direction of an edge, two layers
// (2d → 64 → 1, ReLU) on the features of its ends give a logit; the mask is the mean of the two.
//
// The first layer is linear in both ends, so each node is multiplied once with either half of it,
// and an edge adds two rows: n·2d·64 products instead of 2·m·2d·64.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "fewedits/base/rng.hpp"
#include "fewedits/graph/graph.hpp"

namespace fewedits {

class MaskNetwork {
 public:
  static constexpr std::size_t kHidden = 64;

  /// Weights as PyTorch draws them.
  MaskNetwork(std::size_t node_size, Rng rng);

  [[nodiscard]] std::size_t node_size() const { return node_size_; }
  [[nodiscard]] std::span<float> parameters() { return parameters_; }
  [[nodiscard]] std::span<const float> parameters() const { return parameters_; }

  /// What forward() leaves for backward(), and what that needs itself; one for each thread.
  struct Memory {
    std::vector<float> ends;     ///< node × side × hidden
    std::vector<float> by_ends;  ///< derivatives by these
  };

  /// logits[2e] from e.u to e.v, logits[2e + 1] back; `nodes` are rows of node_size().
  void forward(std::span<const float> nodes, std::span<const Edge> edges, Memory& memory,
               std::span<float> logits) const;
  /// Adds the derivative of Σ by_logit·logit by the parameters to `gradient`.
  void backward(std::span<const float> nodes, std::span<const Edge> edges,
                std::span<const float> by_logit, Memory& memory, std::span<float> gradient) const;

 private:
  // first layer of either side (d × hidden each) | its bias | second layer | its bias
  [[nodiscard]] std::size_t bias_at() const { return 2 * node_size_ * kHidden; }
  [[nodiscard]] std::size_t second_at() const { return bias_at() + kHidden; }
  [[nodiscard]] std::size_t last_at() const { return second_at() + kHidden; }

  std::size_t node_size_;
  std::vector<float> parameters_;
};

/// A mask (of an edge: the mean of either direction's) drawn around its logits: the concrete
/// relaxation (Maddison et al.; Jang et al., ICLR'17) of a coin for each direction, the softer the
/// higher the temperature. slopes: derivatives of the edge's mask by its two logits.
void draw_mask(std::span<const float> logits, double temperature, Rng& rng, std::span<float> mask,
               std::span<float> slopes);

}  // namespace fewedits
