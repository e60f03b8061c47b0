// SPDX-License-Identifier: MIT
// Classifier and distance together: how the walk and the refinement see graphs.
#pragma once

#include <span>
#include <vector>

#include "fewedits/base/parallel.hpp"
#include "fewedits/classifier/classifier.hpp"
#include "fewedits/distance/distance.hpp"
#include "fewedits/search/neighbourhood.hpp"

namespace fewedits {

/// Answers depend on the graph and the edits alone, not on what was asked before nor on the number
/// of threads.
class Evaluator {
 public:
  virtual ~Evaluator() = default;

  /// Built on the inputs, without edge labels.
  [[nodiscard]] virtual Distance& distance() = 0;
  /// `edits` are the neighbours' alone.
  virtual Neighbourhood evaluate(const Graph& graph, std::span<const Edit> edits, double theta,
                                 ThreadPool& pool) = 0;
  /// Probability of the desired class for each graph.
  virtual std::vector<float> probabilities(std::span<const Graph> graphs, ThreadPool& pool) = 0;

  [[nodiscard]] std::span<const Graph> inputs() { return distance().graphs(); }
};

/// Builds neighbours a slice at a time and asks the classifier about them.
class ModelEvaluator final : public Evaluator {
 public:
  /// Keeps references.
  ModelEvaluator(const Classifier& classifier, std::size_t desired_class, Distance& distance)
      : classifier_(classifier), desired_(desired_class), distance_(distance) {}

  [[nodiscard]] Distance& distance() override { return distance_; }
  Neighbourhood evaluate(const Graph& graph, std::span<const Edit> edits, double theta,
                         ThreadPool& pool) override;
  std::vector<float> probabilities(std::span<const Graph> graphs, ThreadPool& pool) override;

 private:
  const Classifier& classifier_;
  std::size_t desired_;
  Distance& distance_;
};

}  // namespace fewedits
