// SPDX-License-Identifier: MIT
#include "fewedits/classifier/aligned_classifier.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "fewedits/base/error.hpp"

namespace fewedits {
namespace {

std::string joined(const std::vector<NamedValue>& values) {
  std::vector<std::string> names;
  names.reserve(values.size());
  for (const NamedValue& v : values) names.push_back(v.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

/// Index in the model of each of the dataset's labels.
std::vector<Label> match_labels(const Dataset& dataset, const Classifier& model) {
  const auto known = model.label_names();
  std::vector<Label> to(dataset.node_labels.size());
  if (known.empty()) {
    if (dataset.node_labels.size() != model.num_labels()) {
      throw Error(
          fmt::format("the dataset has {} node labels ({}), the model was trained on {}",
                      dataset.node_labels.size(), joined(dataset.node_labels), model.num_labels()),
          "use the dataset and the rare-label filter the model was trained with");
    }
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = static_cast<Label>(i);
    return to;
  }
  for (std::size_t i = 0; i < to.size(); ++i) {
    const auto it = std::find(known.begin(), known.end(), dataset.node_labels[i].name);
    if (it == known.end()) {
      throw Error(fmt::format("the model does not know the node label {}",
                              in_quotes(dataset.node_labels[i].name)),
                  fmt::format("it was trained on: {}", fmt::join(known, ", ")));
    }
    to[i] = static_cast<Label>(it - known.begin());
  }
  return to;
}

/// Column of the model's output for each class: the dataset's, if both have the same, by name.
std::vector<std::size_t> match_classes(const Dataset& dataset, const Classifier& model) {
  const auto known = model.class_names();
  if (dataset.class_labels.size() > model.num_classes()) {
    throw Error(fmt::format("the dataset has {} classes ({}), the model tells {} apart",
                            dataset.class_labels.size(), joined(dataset.class_labels),
                            model.num_classes()));
  }
  std::vector<std::size_t> column;
  if (known.empty() || dataset.class_labels.size() != known.size()) {
    column.resize(model.num_classes());
    std::iota(column.begin(), column.end(), std::size_t{0});
    return column;
  }
  for (const NamedValue& c : dataset.class_labels) {
    const auto it = std::find(known.begin(), known.end(), c.name);
    if (it == known.end()) {
      throw Error(fmt::format("the model does not know the class {}", in_quotes(c.name)),
                  fmt::format("it was trained on: {}", fmt::join(known, ", ")));
    }
    column.push_back(static_cast<std::size_t>(it - known.begin()));
  }
  return column;
}

template <typename Index>
bool counts_up(const std::vector<Index>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] != i) return false;
  }
  return true;
}

template <typename Index>
std::vector<std::string> picked(std::span<const std::string> names,
                                const std::vector<Index>& from) {
  std::vector<std::string> out;
  if (names.empty()) return out;
  for (const Index i : from) out.push_back(names[i]);
  return out;
}

}  // namespace

Alignment::Alignment(const Dataset& dataset, const Classifier& model)
    : labels(match_labels(dataset, model)), classes(match_classes(dataset, model)) {}

bool Alignment::is_identity(const Classifier& model) const {
  return labels.size() == model.num_labels() && counts_up(labels) && counts_up(classes);
}

std::unique_ptr<Classifier> aligned(std::unique_ptr<Classifier> model, const Dataset& dataset) {
  const Alignment to(dataset, *model);
  if (to.is_identity(*model) || model->renumber(to.labels, to.classes)) return model;
  return std::make_unique<AlignedClassifier>(dataset, std::move(model));
}

AlignedClassifier::AlignedClassifier(const Dataset& dataset, const Classifier& model)
    : model_(model),
      to_(dataset, model),
      same_labels_(counts_up(to_.labels)),
      same_classes_(counts_up(to_.classes)),
      label_names_(picked(model.label_names(), to_.labels)),
      class_names_(picked(model.class_names(), to_.classes)) {}

AlignedClassifier::AlignedClassifier(const Dataset& dataset,
                                     std::unique_ptr<const Classifier> model)
    : AlignedClassifier(dataset, *model) {
  owned_ = std::move(model);
}

std::vector<Graph> AlignedClassifier::renamed(std::span<const Graph> graphs) const {
  std::vector<Graph> out;
  out.reserve(graphs.size());
  for (const Graph& g : graphs) out.push_back(g.relabelled(to_.labels));
  return out;
}

void AlignedClassifier::reorder(std::span<float> values) const {
  if (same_classes_) return;
  std::vector<float> row(to_.classes.size());
  for (std::size_t at = 0; at < values.size(); at += row.size()) {
    for (std::size_t c = 0; c < row.size(); ++c) row[c] = values[at + to_.classes[c]];
    std::copy(row.begin(), row.end(), values.begin() + static_cast<std::ptrdiff_t>(at));
  }
}

void AlignedClassifier::log_probabilities(std::span<const Graph> graphs, std::span<float> out,
                                          ThreadPool& pool) const {
  if (same_labels_) {
    model_.log_probabilities(graphs, out, pool);
  } else {
    model_.log_probabilities(renamed(graphs), out, pool);
  }
  reorder(out);
}

void AlignedClassifier::neighbour_log_probabilities(const Graph& graph, std::span<const Edit> edits,
                                                    std::span<const Graph> neighbours,
                                                    std::span<float> out, ThreadPool& pool) const {
  if (same_labels_) {
    model_.neighbour_log_probabilities(graph, edits, neighbours, out, pool);
  } else {
    // The model reads labels from the graphs, not from the edits.
    model_.neighbour_log_probabilities(graph.relabelled(to_.labels), edits, renamed(neighbours),
                                       out, pool);
  }
  reorder(out);
}

}  // namespace fewedits
