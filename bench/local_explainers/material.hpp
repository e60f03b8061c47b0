// SPDX-License-Identifier: MIT
// A paper's dataset as explainers that cut edges see it, and what they make of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fewedits/search/baselines/edge_explainer.hpp"
#include "support/published.hpp"

namespace fewedits::bench {

/// Every n-th input of a dataset, and the graphs that the model accepts.
class Material {
 public:
  Material(const std::string& dataset, std::size_t every, bool keep_isolated, ThreadPool& pool);

  [[nodiscard]] std::unique_ptr<EdgeExplainer> explainer(const std::string& method,
                                                         const LocalSettings& settings,
                                                         ThreadPool& pool) const;
  [[nodiscard]] const std::vector<Graph>& inputs() const { return inputs_; }
  [[nodiscard]] const std::vector<std::uint32_t>& numbers() const { return numbers_; }
  [[nodiscard]] const CutRules& rules() const { return rules_; }
  [[nodiscard]] const Classifier& classifier() const { return *published_.classifier; }
  [[nodiscard]] const GinEmbedder& greed() const { return *published_.greed; }

  static constexpr std::uint64_t kSeed = 1;

 private:
  Published published_;
  CutRules rules_;
  std::vector<std::uint32_t> numbers_;
  std::vector<Graph> inputs_;
  std::vector<Graph> accepted_;
};

/// Settings and what comes of them.
struct Trial {
  LocalSettings settings;
  double flipped = 0;   ///< share of the inputs
  double distance = 0;  ///< mean normalised GREED distance of what flipped to its input
  double removed = 0;   ///< mean of removed edges over sizes
  double coverage = 0;  ///< GREED, θ 0.1, by ten
  double seconds = 0;
};
Trial try_out(const std::string& method, const LocalSettings& settings, const Material& material,
              ThreadPool& pool);

}  // namespace fewedits::bench
