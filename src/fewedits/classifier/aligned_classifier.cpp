// SPDX-License-Identifier: MIT
#include "fewedits/classifier/aligned_classifier.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
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

[[noreturn]] void refuse_number_of_labels(const Dataset& dataset, const Classifier& model) {
  std::string message = fmt::format(
      "the model has {} inputs for each node, one per node label; the dataset has {} node labels "
      "({})",
      model.num_labels(), dataset.node_labels.size(), joined(dataset.node_labels));
  for (const std::string& note : model.notes()) message += "; " + note;
  throw Error({model.origin()}, message,
              "use the dataset and the rare-label filter that the model was trained with; a model "
              "with an embedding before its first layer must have that multiplied into the layer "
              "(docs/formats.md)");
}

/// Where the names are in `known`.
using Places = std::vector<std::optional<Label>>;
Places places_of(const std::vector<std::string>& names, std::span<const std::string> known) {
  Places out;
  for (const std::string& name : names) {
    const auto it = std::find(known.begin(), known.end(), name);
    out.push_back(it == known.end() ? std::nullopt
                                    : std::optional(static_cast<Label>(it - known.begin())));
  }
  return out;
}

[[noreturn]] void refuse_label(const std::string& name, const Classifier& model) {
  throw Error({model.origin()},
              fmt::format("the model does not know the node label {}; its own are: {}",
                          in_quotes(name), fmt::join(model.label_names(), ", ")),
              "use the dataset that it was trained on; if labels have only got other names since, "
              "edit \"node_labels\" in the model file or in the metadata of the dataset, so that "
              "both have the same");
}

/// By name. A model that was trained before the metadata gave labels names knows them by the values
/// in the file: if it knows none of the names, but all of the values, those are meant.
void match_labels(const Dataset& dataset, const Classifier& model, Alignment& out) {
  const auto known = model.label_names();
  if (known.empty()) {
    if (dataset.node_labels.size() != model.num_labels()) refuse_number_of_labels(dataset, model);
    out.labels.resize(model.num_labels());
    std::iota(out.labels.begin(), out.labels.end(), Label{0});
    return;
  }
  std::vector<std::string> names;
  std::vector<std::string> values;
  for (const NamedValue& label : dataset.node_labels) {
    names.push_back(label.name);
    values.push_back(std::to_string(label.value));
  }
  const auto is_known = [](const std::optional<Label>& place) { return place.has_value(); };
  Places places = places_of(names, known);
  if (std::ranges::none_of(places, is_known)) {
    Places by_value = places_of(values, known);
    out.labels_by_value = std::ranges::all_of(by_value, is_known);
    if (out.labels_by_value) places = std::move(by_value);
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (!places[i]) refuse_label(names[i], model);
    out.labels.push_back(*places[i]);
  }
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
    : classes(match_classes(dataset, model)) {
  match_labels(dataset, model, *this);
}

bool Alignment::is_identity(const Classifier& model) const {
  return labels.size() == model.num_labels() && counts_up(labels) && counts_up(classes);
}

std::unique_ptr<Classifier> aligned(std::unique_ptr<Classifier> model, const Dataset& dataset) {
  const Alignment to(dataset, *model);
  if (to.labels_by_value) {
    model->add_note(
        fmt::format("the model names node labels by their values ({}), the dataset has names ({}): "
                    "matched by value",
                    fmt::join(model->label_names(), ", "), joined(dataset.node_labels)));
  }
  if (to.is_identity(*model) || model->renumber(to.labels, to.classes)) return model;
  return std::make_unique<AlignedClassifier>(dataset, std::move(model));
}

AlignedClassifier::AlignedClassifier(const Dataset& dataset, const Classifier& model)
    : model_(model),
      to_(dataset, model),
      same_labels_(counts_up(to_.labels)),
      same_classes_(counts_up(to_.classes)),
      label_names_(picked(model.label_names(), to_.labels)),
      class_names_(picked(model.class_names(), to_.classes)) {
  set_origin(model.origin());
  for (const std::string& note : model.notes()) add_note(note);
}

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
