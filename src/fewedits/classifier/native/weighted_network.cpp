// SPDX-License-Identifier: MIT
#include "fewedits/classifier/native/weighted_network.hpp"

#include <algorithm>
#include <cassert>

#include "fewedits/classifier/native/gradient_parts.hpp"

namespace fewedits {

WeightedNetwork::WeightedNetwork(const NativeNetwork& network)
    : network_(network),
      outputs_(network.layers.size()),
      before_norm_(network.layers.size()),
      pooled_(padded(network.pooled)),
      by_pooled_(padded(network.pooled)),
      logits_(padded(network.num_classes())),
      row_(network.widest),
      hidden_(network.head.size() * network.widest_head),
      by_hidden_(2 * std::max(network.widest_head, padded(network.pooled))) {
  for (const auto& layer : network.layers) layers_.push_back(layer->gradient());
  for (const PackedLinear& linear : network.head) head_back_.push_back(linear.transposed());
}

void WeightedNetwork::evaluate(const Graph& graph, std::span<const float> weights) {
  network_.check_labels(graph, 0);
  graph_.assign(graph, weights);
  const std::size_t n = graph.num_nodes();
  if (network_.has_input()) {
    const LabelTable& input = network_.input;
    network_.kernels.gather(n, input.width(), {input.weight.data(), graph_.labels},
                            with_room(input_, n * input.width()));
  }
  const float* x = first_rows();
  std::size_t at = 0;
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const std::size_t columns = network_.layers[l]->outputs();
    float* out = with_room(outputs_[l], n * padded(columns));
    layers_[l]->forward(network_.kernels, graph_, x, out);
    if (has_last_norm(l)) {
      std::copy_n(out, n * padded(columns), with_room(before_norm_[l], n * padded(columns)));
      network_.finish_layer(l, n, out);
    }
    x = out;
    if (!network_.pools(l)) continue;
    network_.pool(n, columns, out, row_.data(), at, pooled_.data());
    at += columns;
  }
  head(pooled(), {logits_.data(), num_classes()});
}

void WeightedNetwork::logit_gradient(std::span<const float> scale, std::span<float> out) {
  const std::span by_pooled(by_pooled_.data(), pooled_size());
  head_gradient(pooled(), scale, by_pooled);
  pooled_gradient(by_pooled, out);
}

void WeightedNetwork::pooled_gradient(std::span<const float> scale, std::span<float> out) {
  assert(scale.size() == pooled_size() && out.size() == graph_.edges.size());
  const std::size_t n = graph_.num_nodes;
  std::ranges::fill(out, 0.0F);
  if (out.empty()) return;
  float* gradient = with_room(gradients_[0], n * network_.widest);
  float* before = with_room(gradients_[1], n * network_.widest);
  std::fill_n(gradient, n * padded(node_size()), 0.0F);
  std::size_t at = network_.pooling_begin(1);
  for (std::size_t l = layers_.size(); l-- > 0;) {
    if (network_.pools(l)) {
      at -= network_.layers[l]->outputs();
      for (std::size_t way = 0; way < network_.num_poolings(); ++way) {
        const std::size_t from = network_.pooling_begin(way) + at;
        unpool(l, network_.pooling(way), pooled_.data() + from, scale.data() + from, gradient);
      }
    }
    if (has_last_norm(l)) through_last_norm(l, gradient);
    const bool first = l == 0;
    layers_[l]->backward(network_.kernels, graph_, first ? first_rows() : outputs_[l - 1].data(),
                         (has_last_norm(l) ? before_norm_ : outputs_)[l].data(), gradient,
                         first ? nullptr : before, out.data());
    std::swap(gradient, before);
  }
}

void WeightedNetwork::through_last_norm(std::size_t layer, float* gradient) const {
  const std::vector<float>& scale = network_.last_norms[layer].scale;
  for (std::size_t v = 0; v < graph_.num_nodes; ++v, gradient += padded(scale.size())) {
    for (std::size_t c = 0; c < scale.size(); ++c) gradient[c] *= scale[c];
  }
}

void WeightedNetwork::unpool(std::size_t layer, Aggregation way, const float* pooled,
                             const float* scale, float* gradient) const {
  const std::size_t columns = network_.layers[layer]->outputs();
  const std::size_t width = padded(columns);
  const std::size_t n = graph_.num_nodes;
  if (way != Aggregation::kMax) {
    const float factor = NativeNetwork::pooling_factor(way, n);
    for (std::size_t v = 0; v < n; ++v) {
      for (std::size_t c = 0; c < columns; ++c) gradient[v * width + c] += scale[c] * factor;
    }
    return;
  }
  // The first node that has the maximum.
  const float* x = outputs_[layer].data();
  for (std::size_t c = 0; c < columns; ++c) {
    std::size_t winner = 0;
    while (winner + 1 < n && x[winner * width + c] != pooled[c]) ++winner;
    gradient[winner * width + c] += scale[c];
  }
}

void WeightedNetwork::head(std::span<const float> pooled, std::span<float> logits) const {
  assert(pooled.size() == pooled_size() && logits.size() == num_classes());
  const float* out = network_.classify(pooled.data(), hidden_.data(), network_.head.size());
  std::copy_n(out, logits.size(), logits.data());
}

void WeightedNetwork::head_gradient(std::span<const float> pooled, std::span<const float> scale,
                                    std::span<float> out) const {
  assert(pooled.size() == pooled_size() && scale.size() == num_classes());
  assert(out.size() == pooled_size());
  const std::size_t parts = head_back_.size();
  if (parts > 1) network_.classify(pooled.data(), hidden_.data(), parts);
  const float* gradient = scale.data();
  for (std::size_t i = parts; i-- > 0;) {
    const PackedLinear& back = head_back_[i];
    float* to = by_hidden_.data() + i % 2 * (by_hidden_.size() / 2);
    network_.kernels.multiply(1, back.inner, back.width(), gradient, back.inner, back.weight.data(),
                              {}, to);
    if (i > 0) {
      undo(network_.head_activation, back.columns, hidden_.data() + (i - 1) * network_.widest_head,
           to);
    }
    gradient = to;
  }
  std::copy_n(gradient, out.size(), out.data());
}

}  // namespace fewedits
