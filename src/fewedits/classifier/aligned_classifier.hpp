// SPDX-License-Identifier: MIT
// A model seen through a dataset's eyes: node labels and classes are matched by name where the
// model knows names, so that label and class indices are the dataset's.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fewedits/classifier/classifier.hpp"
#include "fewedits/graph/dataset.hpp"

namespace fewedits {

/// What of a model a dataset's labels and classes are. Classes are matched by name where both sides
/// have names, by value if all the names of the model are values, and for models without names by
/// the columns that the dataset's metadata gives them.
struct Alignment {
  /// Throws Error if labels or classes do not fit.
  Alignment(const Dataset& dataset, const Classifier& model,
            ClassMatch match = ClassMatch::kRequired);

  std::vector<Label> labels;     ///< the model's index of each of the dataset's labels
  bool labels_by_value = false;  ///< the model names them as they were before they had names
  /// The model's class of each of the dataset's, then the rest of the model's.
  std::vector<std::size_t> classes;
  bool classes_by_value = false;
  bool knows_classes = true;  ///< false: they are the model's outputs in their order
  [[nodiscard]] bool is_identity(const Classifier& model) const;
};

/// The model with the dataset's labels and classes: as it is if they agree, renumbered if it can
/// be, else wrapped. Done once, when a model is loaded. Labels of edges are those of the graphs as
/// explanations see them (chem/graph_view).
std::unique_ptr<Classifier> aligned(std::unique_ptr<Classifier> model, const Dataset& dataset,
                                    ClassMatch match = ClassMatch::kRequired);

/// Renames the labels of every graph it is asked about, for models that cannot be renumbered.
/// Labels of edges stay as they are.
class AlignedClassifier final : public Classifier {
 public:
  /// Keeps a reference to the model. Throws Error if labels or classes do not fit.
  AlignedClassifier(const Dataset& dataset, const Classifier& model,
                    ClassMatch match = ClassMatch::kRequired);
  /// Keeps the model.
  AlignedClassifier(const Dataset& dataset, std::unique_ptr<const Classifier> model,
                    ClassMatch match);

  [[nodiscard]] std::size_t num_classes() const override { return to_.classes.size(); }
  [[nodiscard]] std::size_t num_labels() const override { return to_.labels.size(); }
  [[nodiscard]] std::size_t num_edge_labels() const override { return model_.num_edge_labels(); }
  [[nodiscard]] std::span<const std::string> label_names() const override { return label_names_; }
  [[nodiscard]] std::span<const std::string> edge_label_names() const override {
    return model_.edge_label_names();
  }
  [[nodiscard]] std::span<const std::string> class_names() const override { return class_names_; }
  void log_probabilities(std::span<const Graph> graphs, std::span<float> out,
                         ThreadPool& pool) const override;
  void neighbour_log_probabilities(const Graph& graph, std::span<const Edit> edits,
                                   std::span<const Graph> neighbours, std::span<float> out,
                                   ThreadPool& pool) const override;

 private:
  [[nodiscard]] std::vector<Graph> renamed(std::span<const Graph> graphs) const;
  void reorder(std::span<float> values) const;

  std::unique_ptr<const Classifier> owned_;
  const Classifier& model_;
  Alignment to_;
  bool same_labels_ = true;
  bool same_classes_ = true;
  std::vector<std::string> label_names_;
  std::vector<std::string> class_names_;
};

}  // namespace fewedits
