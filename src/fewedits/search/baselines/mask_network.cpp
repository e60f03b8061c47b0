// SPDX-License-Identifier: MIT
#include "fewedits/search/baselines/mask_network.hpp"

#include <algorithm>
#include <cmath>

namespace fewedits {
namespace {

constexpr std::size_t kHidden = MaskNetwork::kHidden;

float sigmoid(float x) { return 1 / (1 + std::exp(-x)); }

/// out += scale · row
void add_scaled(float scale, const float* row, float* out) {
  for (std::size_t h = 0; h < kHidden; ++h) out[h] += scale * row[h];
}

}  // namespace

MaskNetwork::MaskNetwork(std::size_t node_size, Rng rng)
    : node_size_(node_size), parameters_(2 * node_size * kHidden + 2 * kHidden + 1) {
  const auto draw = [&](std::size_t from, std::size_t to, std::size_t inputs) {
    const double limit = 1 / std::sqrt(static_cast<double>(inputs));
    for (std::size_t i = from; i < to; ++i) {
      parameters_[i] = static_cast<float>((2 * rng.uniform() - 1) * limit);
    }
  };
  draw(0, second_at(), 2 * node_size);
  draw(second_at(), parameters_.size(), kHidden);
}

void MaskNetwork::forward(std::span<const float> nodes, std::span<const Edge> edges, Memory& memory,
                          std::span<float> logits) const {
  const std::size_t d = node_size_;
  const std::size_t n = d == 0 ? 0 : nodes.size() / d;
  const float* const p = parameters_.data();
  memory.ends.assign(n * 2 * kHidden, 0);
  for (std::size_t v = 0; v < n; ++v) {
    float* const first = memory.ends.data() + v * 2 * kHidden;
    std::copy_n(p + bias_at(), kHidden, first);
    for (std::size_t i = 0; i < d; ++i) {
      const float x = nodes[v * d + i];
      if (x == 0) continue;  // after a ReLU, many are
      add_scaled(x, p + i * kHidden, first);
      add_scaled(x, p + (d + i) * kHidden, first + kHidden);
    }
  }
  const float* const second = p + second_at();
  const auto logit = [&](Node from, Node to) {
    const float* const a = memory.ends.data() + std::size_t{from} * 2 * kHidden;
    const float* const b = memory.ends.data() + std::size_t{to} * 2 * kHidden + kHidden;
    float lanes[8] = {};  // a fixed order of the sum, which vectors can follow
    for (std::size_t h = 0; h < kHidden; h += 8) {
      for (std::size_t k = 0; k < 8; ++k) {
        const float x = a[h + k] + b[h + k];
        lanes[k] += (x > 0 ? x : 0) * second[h + k];
      }
    }
    float sum = p[last_at()];
    for (const float lane : lanes) sum += lane;
    return sum;
  };
  for (std::size_t e = 0; e < edges.size(); ++e) {
    logits[2 * e] = logit(edges[e].u, edges[e].v);
    logits[2 * e + 1] = logit(edges[e].v, edges[e].u);
  }
}

void MaskNetwork::backward(std::span<const float> nodes, std::span<const Edge> edges,
                           std::span<const float> by_logit, Memory& memory,
                           std::span<float> gradient) const {
  const std::size_t d = node_size_;
  const std::size_t n = d == 0 ? 0 : nodes.size() / d;
  const float* const second = parameters_.data() + second_at();
  float* const by_second = gradient.data() + second_at();
  memory.by_ends.assign(n * 2 * kHidden, 0);
  const auto back = [&](Node from, Node to, float slope) {
    gradient[last_at()] += slope;
    const std::size_t at = std::size_t{from} * 2 * kHidden;
    const std::size_t other = std::size_t{to} * 2 * kHidden + kHidden;
    const float* const a = memory.ends.data() + at;
    const float* const b = memory.ends.data() + other;
    float* const by_a = memory.by_ends.data() + at;
    float* const by_b = memory.by_ends.data() + other;
    for (std::size_t h = 0; h < kHidden; ++h) {
      const float x = a[h] + b[h];
      const float active = x > 0 ? slope : 0;
      by_second[h] += active * x;
      by_a[h] += active * second[h];
      by_b[h] += active * second[h];
    }
  };
  for (std::size_t e = 0; e < edges.size(); ++e) {
    back(edges[e].u, edges[e].v, by_logit[2 * e]);
    back(edges[e].v, edges[e].u, by_logit[2 * e + 1]);
  }
  for (std::size_t v = 0; v < n; ++v) {
    const float* const by_first = memory.by_ends.data() + v * 2 * kHidden;
    // The bias is in the first side's row alone.
    add_scaled(1, by_first, gradient.data() + bias_at());
    for (std::size_t i = 0; i < d; ++i) {
      const float x = nodes[v * d + i];
      if (x == 0) continue;
      add_scaled(x, by_first, gradient.data() + i * kHidden);
      add_scaled(x, by_first + kHidden, gradient.data() + (d + i) * kHidden);
    }
  }
}

void draw_mask(std::span<const float> logits, double temperature, Rng& rng, std::span<float> mask,
               std::span<float> slopes) {
  for (std::size_t e = 0; e < mask.size(); ++e) {
    float sum = 0;
    for (std::size_t at = 2 * e; at < 2 * e + 2; ++at) {
      // Neither 0 nor 1.
      const double u = (rng.uniform() * (1 - 2e-7)) + 1e-7;
      const double x = (std::log(u / (1 - u)) + logits[at]) / temperature;
      const float drawn = sigmoid(static_cast<float>(x));
      slopes[at] = 0.5F * drawn * (1 - drawn) / static_cast<float>(temperature);
      sum += drawn;
    }
    mask[e] = 0.5F * sum;
  }
}

}  // namespace fewedits
