// SPDX-License-Identifier: MIT
// What evaluators have in common: they hold the inputs, build neighbours a slice at a time, and ask
// the classifier about them.
#pragma once

#include <vector>

#include "fewedits/classifier/classifier.hpp"
#include "fewedits/search/neighbourhood.hpp"

namespace fewedits {

class ClassifyingEvaluator : public Evaluator {
 public:
  [[nodiscard]] std::span<const Graph> inputs() const override { return inputs_; }
  Neighbourhood evaluate(const Graph& graph, std::span<const Edit> edits, double theta,
                         ThreadPool& pool) final;
  std::vector<float> probabilities(std::span<const Graph> graphs, ThreadPool& pool) final;

 protected:
  /// Keeps a reference to the classifier.
  ClassifyingEvaluator(std::vector<Graph> inputs, const Classifier& classifier,
                       std::size_t desired_class);

  [[nodiscard]] std::size_t num_labels() const { return classifier_.num_labels(); }

  /// Called for each slice of entries, first … first + graphs.size(), in order.
  virtual void look_at(const Neighbourhood& of, std::size_t first, std::span<const Graph> graphs,
                       double theta, ThreadPool& pool);
  /// Called last: fills active, words and bits.
  virtual void find_covers(double theta, Neighbourhood& out, ThreadPool& pool) = 0;

 private:
  std::vector<Graph> inputs_;
  const Classifier& classifier_;
  std::size_t desired_;
};

}  // namespace fewedits
