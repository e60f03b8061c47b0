// SPDX-License-Identifier: MIT
// A model seen through a dataset's eyes: node labels and classes are matched by name where the
// model knows names, so that label and class indices are the dataset's.
#pragma once

#include <vector>

#include "fewedits/classifier/native/native_classifier.hpp"
#include "fewedits/graph/dataset.hpp"

namespace fewedits {

class AlignedClassifier final : public Classifier {
 public:
  /// Keeps a reference to the model. Throws Error if labels or classes do not fit.
  AlignedClassifier(const Dataset& dataset, const NativeClassifier& model);

  [[nodiscard]] std::size_t num_classes() const override { return model_.num_classes(); }
  [[nodiscard]] std::size_t num_labels() const override { return to_.size(); }
  void log_probabilities(std::span<const Graph> graphs, std::span<float> out,
                         ThreadPool& pool) const override;
  void neighbour_log_probabilities(const Graph& graph, std::span<const Edit> edits,
                                   std::span<const Graph> neighbours, std::span<float> out,
                                   ThreadPool& pool) const override;

 private:
  [[nodiscard]] std::vector<Graph> renamed(std::span<const Graph> graphs) const;

  const NativeClassifier& model_;
  std::vector<Label> to_;             ///< the model's index of each of the dataset's labels
  std::vector<std::size_t> columns_;  ///< the model's column of each class; empty: as they are
  bool same_labels_ = true;
};

}  // namespace fewedits
