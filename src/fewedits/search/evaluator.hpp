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

  /// Built on the inputs; they have edge labels if bonds are used.
  [[nodiscard]] virtual Distance& distance() = 0;
  /// `edits` are the neighbours' alone.
  virtual Neighbourhood evaluate(const Graph& graph, std::span<const Edit> edits, double theta,
                                 ThreadPool& pool) = 0;
  /// What the classifier says of each graph, and whether that makes it a counterfactual.
  virtual std::vector<Judgement> judge(std::span<const Graph> graphs, ThreadPool& pool) = 0;

  [[nodiscard]] std::span<const Graph> inputs() { return distance().graphs(); }
};

/// Builds neighbours a slice at a time and asks the classifier about them.
class ModelEvaluator final : public Evaluator {
 public:
  /// Keeps references.
  ModelEvaluator(const Classifier& classifier, const Goal& goal, Distance& distance)
      : classifier_(classifier), goal_(goal), distance_(distance) {}

  [[nodiscard]] Distance& distance() override { return distance_; }
  Neighbourhood evaluate(const Graph& graph, std::span<const Edit> edits, double theta,
                         ThreadPool& pool) override;
  std::vector<Judgement> judge(std::span<const Graph> graphs, ThreadPool& pool) override;

 private:
  const Classifier& classifier_;
  Goal goal_;
  Distance& distance_;
};

}  // namespace fewedits
