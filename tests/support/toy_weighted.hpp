// SPDX-License-Identifier: MIT
// A model with weighted edges whose gradients are known by hand: the pooled features are the
// weights of all edges by the labels of their ends, and the head is layers with ReLUs between them.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "fewedits/classifier/classifier.hpp"

namespace fewedits::test {

struct ToyLayer {
  std::vector<std::vector<float>> rows;  ///< by output
  std::vector<float> bias;
};

class ToyModel final : public WeightedModel {
 public:
  ToyModel(std::size_t labels, std::vector<ToyLayer> head)
      : labels_(labels), head_(std::move(head)), pooled_(labels * labels), logits_(num_classes()) {
    for (std::size_t l = 0; l < labels; ++l) {
      one_hot_.emplace_back(labels);
      one_hot_.back()[l] = 1;
    }
  }

  [[nodiscard]] static std::size_t place(std::size_t labels, Label a, Label b) {
    return std::min(a, b) * labels + std::max(a, b);
  }

  [[nodiscard]] std::size_t num_classes() const override { return head_.back().rows.size(); }
  [[nodiscard]] std::size_t node_size() const override { return labels_; }
  [[nodiscard]] std::size_t pooled_size() const override { return labels_ * labels_; }

  void evaluate(const Graph& graph, std::span<const float> weights) override {
    graph_ = graph;
    std::fill(pooled_.begin(), pooled_.end(), 0.0F);
    const auto edges = graph.edges();
    for (std::size_t e = 0; e < edges.size(); ++e) pooled_[place_of(edges[e])] += weights[e];
    head(pooled_, logits_);
  }
  [[nodiscard]] std::span<const float> logits() const override { return logits_; }
  [[nodiscard]] std::span<const float> pooled() const override { return pooled_; }
  [[nodiscard]] std::span<const float> node(Node v) const override {
    return one_hot_[graph_.label(v)];
  }

  void logit_gradient(std::span<const float> scale, std::span<float> out) override {
    std::vector<float> by_pooled(pooled_.size());
    head_gradient(pooled_, scale, by_pooled);
    pooled_gradient(by_pooled, out);
  }
  void pooled_gradient(std::span<const float> scale, std::span<float> out) override {
    const auto edges = graph_.edges();
    for (std::size_t e = 0; e < edges.size(); ++e) out[e] = scale[place_of(edges[e])];
  }

  void head(std::span<const float> pooled, std::span<float> logits) const override {
    const auto all = activations(pooled);
    std::copy(all.back().begin(), all.back().end(), logits.begin());
  }
  void head_gradient(std::span<const float> pooled, std::span<const float> scale,
                     std::span<float> out) const override {
    const auto all = activations(pooled);
    std::vector<float> slope(scale.begin(), scale.end());
    for (std::size_t l = head_.size(); l-- > 0;) {
      std::vector<float> before(all[l].size());
      for (std::size_t r = 0; r < slope.size(); ++r) {
        for (std::size_t i = 0; i < before.size(); ++i) before[i] += slope[r] * head_[l].rows[r][i];
      }
      if (l > 0) {
        for (std::size_t i = 0; i < before.size(); ++i) before[i] *= all[l][i] > 0 ? 1.0F : 0.0F;
      }
      slope = std::move(before);
    }
    std::copy(slope.begin(), slope.end(), out.begin());
  }

 private:
  [[nodiscard]] std::size_t place_of(const Edge& e) const {
    return place(labels_, graph_.label(e.u), graph_.label(e.v));
  }
  /// What goes into each layer, and what comes out of the last.
  [[nodiscard]] std::vector<std::vector<float>> activations(std::span<const float> pooled) const {
    std::vector<std::vector<float>> out{{pooled.begin(), pooled.end()}};
    for (std::size_t l = 0; l < head_.size(); ++l) {
      std::vector<float> next = head_[l].bias;
      for (std::size_t r = 0; r < next.size(); ++r) {
        for (std::size_t i = 0; i < out.back().size(); ++i) {
          next[r] += head_[l].rows[r][i] * out.back()[i];
        }
        if (l + 1 < head_.size()) next[r] = std::max(0.0F, next[r]);
      }
      out.push_back(std::move(next));
    }
    return out;
  }

  std::size_t labels_;
  std::vector<ToyLayer> head_;
  Graph graph_;
  std::vector<float> pooled_;
  std::vector<float> logits_;
  std::vector<std::vector<float>> one_hot_;
};

class ToyClassifier final : public Classifier {
 public:
  ToyClassifier(std::size_t labels, std::vector<ToyLayer> head)
      : labels_(labels), head_(std::move(head)) {}

  [[nodiscard]] std::size_t num_classes() const override { return head_.back().rows.size(); }
  [[nodiscard]] std::size_t num_labels() const override { return labels_; }
  void log_probabilities(std::span<const Graph> graphs, std::span<float> out,
                         ThreadPool& /*pool*/) const override {
    ToyModel model(labels_, head_);
    std::size_t at = 0;
    for (const Graph& graph : graphs) {
      model.evaluate(graph, std::vector<float>(graph.num_edges(), 1));
      double sum = 0;
      for (const float x : model.logits()) sum += std::exp(double{x});
      for (const float x : model.logits()) out[at++] = static_cast<float>(x - std::log(sum));
    }
  }
  [[nodiscard]] std::unique_ptr<WeightedModel> weighted() const override {
    return std::make_unique<ToyModel>(labels_, head_);
  }

 private:
  std::size_t labels_;
  std::vector<ToyLayer> head_;
};

/// Classes against edges of some kinds: logit c is 4 · (edges between labels 0 and kinds[c]) − 2,
/// and 0 for the class whose kind is 0, which is predicted where there is none.
inline std::vector<ToyLayer> no_such_edge(std::size_t labels, const std::vector<Label>& kinds) {
  ToyLayer layer;
  for (const Label kind : kinds) {
    auto& row = layer.rows.emplace_back(labels * labels);
    layer.bias.push_back(kind == 0 ? 0.0F : -2.0F);
    if (kind != 0) row[ToyModel::place(labels, 0, kind)] = 4;
  }
  return {layer};
}

}  // namespace fewedits::test
