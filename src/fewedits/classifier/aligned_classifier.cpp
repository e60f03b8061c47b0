// SPDX-License-Identifier: MIT
#include "fewedits/classifier/aligned_classifier.hpp"

#include <fmt/format.h>

#include <algorithm>

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
std::vector<Label> match_labels(const Dataset& dataset, const NativeClassifier& model) {
  const auto& known = model.spec().node_labels;
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
                              fewedits::quoted(dataset.node_labels[i].name)),
                  fmt::format("it was trained on: {}", fmt::join(known, ", ")));
    }
    to[i] = static_cast<Label>(it - known.begin());
  }
  return to;
}

/// Column of the model's output for each of the dataset's classes; empty: as they are.
std::vector<std::size_t> match_classes(const Dataset& dataset, const NativeClassifier& model) {
  const auto& known = model.spec().classes;
  if (dataset.class_labels.size() > model.num_classes()) {
    throw Error(fmt::format("the dataset has {} classes ({}), the model tells {} apart",
                            dataset.class_labels.size(), joined(dataset.class_labels),
                            model.num_classes()));
  }
  if (known.empty() || dataset.class_labels.size() != known.size()) return {};
  std::vector<std::size_t> column;
  for (const NamedValue& c : dataset.class_labels) {
    const auto it = std::find(known.begin(), known.end(), c.name);
    if (it == known.end()) {
      throw Error(fmt::format("the model does not know the class {}", fewedits::quoted(c.name)),
                  fmt::format("it was trained on: {}", fmt::join(known, ", ")));
    }
    column.push_back(static_cast<std::size_t>(it - known.begin()));
  }
  return column;
}

void reorder_columns(const std::vector<std::size_t>& column, std::span<float> values) {
  std::vector<float> row(column.size());
  for (std::size_t at = 0; at < values.size(); at += row.size()) {
    for (std::size_t c = 0; c < row.size(); ++c) row[c] = values[at + column[c]];
    std::copy(row.begin(), row.end(), values.begin() + static_cast<std::ptrdiff_t>(at));
  }
}

}  // namespace

AlignedClassifier::AlignedClassifier(const Dataset& dataset, const NativeClassifier& model)
    : model_(model), to_(match_labels(dataset, model)), columns_(match_classes(dataset, model)) {
  for (std::size_t i = 0; i < to_.size(); ++i) same_labels_ = same_labels_ && to_[i] == i;
}

std::vector<Graph> AlignedClassifier::renamed(std::span<const Graph> graphs) const {
  std::vector<Graph> out;
  out.reserve(graphs.size());
  for (const Graph& g : graphs) out.push_back(g.relabelled(to_));
  return out;
}

void AlignedClassifier::log_probabilities(std::span<const Graph> graphs, std::span<float> out,
                                          ThreadPool& pool) const {
  if (same_labels_) {
    model_.log_probabilities(graphs, out, pool);
  } else {
    model_.log_probabilities(renamed(graphs), out, pool);
  }
  if (!columns_.empty()) reorder_columns(columns_, out);
}

void AlignedClassifier::neighbour_log_probabilities(const Graph& graph, std::span<const Edit> edits,
                                                    std::span<const Graph> neighbours,
                                                    std::span<float> out, ThreadPool& pool) const {
  if (same_labels_) {
    model_.neighbour_log_probabilities(graph, edits, neighbours, out, pool);
  } else {
    // The model reads labels from the graphs, not from the edits.
    model_.neighbour_log_probabilities(graph.relabelled(to_), edits, renamed(neighbours), out,
                                       pool);
  }
  if (!columns_.empty()) reorder_columns(columns_, out);
}

}  // namespace fewedits
