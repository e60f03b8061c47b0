// SPDX-License-Identifier: MIT
#include "fewedits/search/baselines/cff.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>

#include "fewedits/search/baselines/edge_explainer.hpp"

namespace fewedits {
namespace {

float sigmoid(float x) { return 1 / (1 + std::exp(-x)); }

/// Standard normal (Box & Muller 1958).
double normal(Rng& rng) {
  const double radius = std::sqrt(-2 * std::log(1 - rng.uniform()));
  return radius * std::cos(2 * std::numbers::pi * rng.uniform());
}

/// Softmax in place; returns the probability of all classes but the desired one.
double probability_of_rest(std::span<double> logits, std::size_t desired) {
  const double largest = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (double& x : logits) sum += x = std::exp(x - largest);
  for (double& x : logits) x /= sum;
  double rest = 0;
  for (std::size_t c = 0; c < logits.size(); ++c) rest += c == desired ? 0 : logits[c];
  return rest;
}

/// Probability of not being desired under edge weights; where the loss falls with it, `slope` times
/// its derivative by the weights is added to `out` with that sign.
class RestOfClasses {
 public:
  RestOfClasses(WeightedModel& model, const Graph& graph, std::size_t desired)
      : model_(model),
        graph_(graph),
        desired_(desired),
        probabilities_(model.num_classes()),
        scale_(model.num_classes()),
        gradient_(graph.num_edges()) {}

  double at(std::span<const float> weights) {
    model_.evaluate(graph_, weights);
    const auto logits = model_.logits();
    std::copy(logits.begin(), logits.end(), probabilities_.begin());
    return rest_ = probability_of_rest(probabilities_, desired_);
  }

  void add_gradient(double slope, std::span<float> out) {
    const double wanted = probabilities_[desired_];
    for (std::size_t c = 0; c < scale_.size(); ++c) {
      const double by_logit = c == desired_ ? -wanted * rest_ : probabilities_[c] * wanted;
      scale_[c] = static_cast<float>(slope * by_logit);
    }
    model_.logit_gradient(scale_, gradient_);
    for (std::size_t e = 0; e < out.size(); ++e) out[e] += gradient_[e];
  }

 private:
  WeightedModel& model_;
  const Graph& graph_;
  std::size_t desired_;
  std::vector<double> probabilities_;
  std::vector<float> scale_;
  std::vector<float> gradient_;
  double rest_ = 0;
};

/// One graph's loss, step after step, without new memory.
class CffLoss {
 public:
  CffLoss(WeightedModel& model, const Graph& graph, std::size_t desired, const CffOptions& options)
      : rest_(model, graph, desired), options_(options), left_(graph.num_edges()) {}

  double at(std::span<const float> mask, std::span<float> by_mask) {
    const auto& [lambda, alpha, gamma, rate, steps] = options_;
    std::fill(by_mask.begin(), by_mask.end(), 1.0F);
    double loss = 0;
    for (const float m : mask) loss += m;
    if (const double weight = lambda * alpha; weight > 0) {
      const double short_of = gamma + 0.5 - rest_.at(mask);
      if (short_of > 0) {
        loss += weight * short_of;
        rest_.add_gradient(-weight, by_mask);
      }
    }
    if (const double weight = lambda * (1 - alpha); weight > 0) {
      for (std::size_t e = 0; e < left_.size(); ++e) left_[e] = 1 - mask[e];
      const double beyond = gamma + rest_.at(left_) - 0.5;
      if (beyond > 0) {
        loss += weight * beyond;
        rest_.add_gradient(-weight, by_mask);  // weights are 1 − m
      }
    }
    return loss;
  }

 private:
  RestOfClasses rest_;
  const CffOptions& options_;
  std::vector<float> left_;
};

}  // namespace

double cff_loss(WeightedModel& model, const Graph& graph, std::size_t desired,
                const CffOptions& options, std::span<const float> mask, std::span<float> by_mask) {
  return CffLoss(model, graph, desired, options).at(mask, by_mask);
}

std::vector<float> cff_mask(WeightedModel& model, const Graph& graph, std::size_t desired,
                            const CffOptions& options, Rng rng, const StopSign* stop) {
  const std::size_t edges = graph.num_edges();
  // The mean of the two directions of the public code, each N(1, √(2/|V|)).
  const double spread = std::sqrt(1.0 / std::max<double>(1, graph.num_nodes()));
  std::vector<float> free(edges);
  for (float& s : free) s = static_cast<float>(1 + spread * normal(rng));
  std::vector<float> mask(edges);
  std::vector<float> gradient(edges);
  Adam adam(edges);
  CffLoss loss(model, graph, desired, options);
  for (std::uint64_t step = 0; step < options.steps; ++step) {
    if (stop != nullptr) stop->check();
    for (std::size_t e = 0; e < edges; ++e) mask[e] = sigmoid(free[e]);
    (void)loss.at(mask, gradient);
    for (std::size_t e = 0; e < edges; ++e) gradient[e] *= mask[e] * (1 - mask[e]);
    adam.update(free, gradient, options.rate);
  }
  for (std::size_t e = 0; e < edges; ++e) mask[e] = sigmoid(free[e]);
  return mask;
}

namespace {

class Cff final : public EdgeExplainer {
 public:
  Cff(const EdgeTask& task, const CffOptions& options, const ThreadPool& pool)
      : task_(task), options_(options), models_(task.classifier, pool) {}

  std::vector<std::optional<EdgeCut>> explain(std::span<const Graph> graphs,
                                              std::span<const std::uint32_t> numbers,
                                              ThreadPool& pool) override {
    std::vector<CutGraph> cuts(graphs.size());
    const StopSign* stop = pool.stop_sign();
    pool.for_chunks(graphs.size(), 1, [&](std::size_t i, std::size_t, int worker) {
      const Rng rng(task_.seed, numbers[i]);
      const auto mask =
          cff_mask(models_[worker], graphs[i], task_.rules.goal.desired_class, options_, rng, stop);
      std::vector<std::uint32_t> removed;
      for (std::uint32_t e = 0; e < mask.size(); ++e) {
        if (mask[e] > 0.5F) removed.push_back(e);
      }
      cuts[i] = cut_graph(graphs[i], removed, task_.rules.keep_isolated);
    });
    return judged_cuts(std::move(cuts), task_.rules, task_.classifier, pool);
  }

 private:
  EdgeTask task_;
  CffOptions options_;
  WeightedModels models_;
};

}  // namespace

EdgeExplainerKind cff_explainer() {
  return {.about = "CFF: a mask over the edges of each graph alone",
          .make = [](const EdgeTask& task, const LocalSettings& settings,
                     ThreadPool& pool) { return std::make_unique<Cff>(task, settings.cff, pool); },
          .needs_gradients = true};
}

}  // namespace fewedits
