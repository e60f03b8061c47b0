// SPDX-License-Identifier: MIT
#include "fewedits/classifier/aligned_classifier.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "fewedits/base/error.hpp"
#include "fewedits/chem/atom_label.hpp"
#include "fewedits/classifier/edge_alignment.hpp"

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
              "use the dataset and the rare-label filter that the model was trained with; what "
              "stands before the first layer must be in the model file (\"node_embedding\", "
              "docs/formats.md)");
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

/// Does the model know the element but not its charge?
bool lacks_only_the_charge(const std::string& name, std::span<const std::string> known) {
  const std::string_view element = element_of(name);
  return element != name && std::ranges::find(known, element) != known.end();
}

[[noreturn]] void refuse_label(const std::string& name, const Classifier& model) {
  if (lacks_only_the_charge(name, model.label_names())) {
    throw Error(
        {model.origin()},
        fmt::format("the model knows no atom {}; its labels are: {}", in_quotes(name),
                    fmt::join(model.label_names(), ", ")),
        "if its labels do not tell charges, read the molecules so, too (option no-charges)");
  }
  throw Error({model.origin()},
              fmt::format("the model does not know the node label {}; its own are: {}",
                          in_quotes(name), fmt::join(model.label_names(), ", ")),
              "use the dataset that it was trained on; if labels have only got other names since, "
              "edit \"node_labels\" in the model file or in the metadata of the dataset, so that "
              "both have the same");
}

/// By name. A model that was trained before the metadata gave names knows the values in the file:
/// if it knows none of the names, but all of the values, those are meant.
Places places_by_name_or_value(const std::vector<std::string>& names,
                               const std::vector<std::string>& values,
                               std::span<const std::string> known, bool& by_value) {
  const auto is_known = [](const std::optional<Label>& place) { return place.has_value(); };
  Places out = places_of(names, known);
  if (std::ranges::any_of(out, is_known)) return out;
  Places valued = places_of(values, known);
  by_value = std::ranges::all_of(valued, is_known);
  return by_value ? valued : out;
}

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
  const Places places = places_by_name_or_value(names, values, known, out.labels_by_value);
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (!places[i]) refuse_label(names[i], model);
    out.labels.push_back(*places[i]);
  }
}

constexpr const char* kSayWhichOutput =
    "or say which output of the model is desired by its number (model:0, model:1, …)";

[[noreturn]] void refuse_to_guess(const Dataset& dataset, const Classifier& model) {
  throw Error({model.origin()},
              fmt::format("the model has {} outputs without names, the dataset the classes {}: "
                          "nothing says which is which",
                          model.num_classes(), in_words(dataset.class_labels)),
              fmt::format("name the outputs, in their order, in the model file (\"classes\": "
                          "[\"{}\", …]) or in the metadata (\"model_columns\": [{}, …]), {}",
                          dataset.class_labels.front().name, dataset.class_labels.front().value,
                          kSayWhichOutput));
}

[[noreturn]] void refuse_class(const std::string& name, const Dataset& dataset,
                               const Classifier& model) {
  throw Error({model.origin()},
              fmt::format("the model does not know the class {}: its classes are {}, the "
                          "dataset's {}",
                          in_quotes(name), fmt::join(model.class_names(), ", "),
                          in_words(dataset.class_labels)),
              fmt::format("give both the same names (\"classes\" in the model file or in the "
                          "metadata), {}",
                          kSayWhichOutput));
}

[[noreturn]] void refuse_columns(const Dataset& dataset, const Classifier& model) {
  throw Error({model.origin()},
              fmt::format("the model has {} outputs, the metadata of the dataset names the classes "
                          "of {}; the dataset has {}",
                          model.num_classes(), dataset.model_columns.size(),
                          in_words(dataset.class_labels)),
              fmt::format("put \"model_columns\" in the metadata right, {}", kSayWhichOutput));
}

/// By name or by value, as labels are.
Places class_places(const Dataset& dataset, const Classifier& model, Alignment& out) {
  std::vector<std::string> names;
  std::vector<std::string> values;
  for (const NamedValue& c : dataset.class_labels) {
    names.push_back(c.name);
    values.push_back(std::to_string(c.value));
  }
  return places_by_name_or_value(names, values, model.class_names(), out.classes_by_value);
}

/// By the metadata's word, for a model without names.
Places column_places(const Dataset& dataset, const Classifier& model) {
  const auto& columns = dataset.model_columns;
  if (columns.size() != model.num_classes()) return Places(dataset.class_labels.size());
  Places out;
  for (int c = 0; std::cmp_less(c, dataset.class_labels.size()); ++c) {
    const auto it = std::ranges::find(columns, c);
    out.push_back(it == columns.end() ? std::nullopt
                                      : std::optional(static_cast<Label>(it - columns.begin())));
  }
  return out;
}

void keep_outputs(const Classifier& model, Alignment& out) {
  out.knows_classes = false;
  out.classes.resize(model.num_classes());
  std::iota(out.classes.begin(), out.classes.end(), std::size_t{0});
}

/// The columns of the dataset's classes, then those of which it has no graph.
void match_classes(const Dataset& dataset, const Classifier& model, ClassMatch match,
                   Alignment& out) {
  if (dataset.desired_column || dataset.class_labels.empty()) return keep_outputs(model, out);
  const bool named = !model.class_names().empty();
  if (!named && dataset.model_columns.empty()) {
    if (match == ClassMatch::kOptional) return keep_outputs(model, out);
    refuse_to_guess(dataset, model);
  }
  const Places places = named ? class_places(dataset, model, out) : column_places(dataset, model);
  for (std::size_t c = 0; c < places.size(); ++c) {
    if (places[c]) continue;
    if (named) refuse_class(dataset.class_labels[c].name, dataset, model);
    if (match == ClassMatch::kOptional) return keep_outputs(model, out);
    refuse_columns(dataset, model);
  }
  for (const auto& place : places) out.classes.push_back(*place);
  for (std::size_t column = 0; column < model.num_classes(); ++column) {
    if (std::ranges::find(out.classes, column) == out.classes.end()) out.classes.push_back(column);
  }
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

Alignment::Alignment(const Dataset& dataset, const Classifier& model, ClassMatch match) {
  match_labels(dataset, model, *this);
  match_classes(dataset, model, match, *this);
}

bool Alignment::is_identity(const Classifier& model) const {
  return labels.size() == model.num_labels() && counts_up(labels) && counts_up(classes);
}

namespace {

std::unique_ptr<Classifier> with_labels_and_classes(std::unique_ptr<Classifier> model,
                                                    const Dataset& dataset, ClassMatch match) {
  const Alignment to(dataset, *model, match);
  if (to.labels_by_value) {
    model->add_note(
        fmt::format("the model names node labels by their values ({}), the dataset has names ({}): "
                    "matched by value",
                    fmt::join(model->label_names(), ", "), joined(dataset.node_labels)));
  }
  if (to.classes_by_value) {
    model->add_note(
        fmt::format("the model names classes by their values ({}), the dataset has names ({}): "
                    "matched by value",
                    fmt::join(model->class_names(), ", "), joined(dataset.class_labels)));
  }
  if (to.is_identity(*model) || model->renumber(to.labels, to.classes)) {
    model->set_classes(to.classes, to.knows_classes);
    return model;
  }
  return std::make_unique<AlignedClassifier>(dataset, std::move(model), match);
}

}  // namespace

std::unique_ptr<Classifier> aligned(std::unique_ptr<Classifier> model, const Dataset& dataset,
                                    ClassMatch match) {
  return with_edge_labels(with_labels_and_classes(std::move(model), dataset, match), dataset);
}

AlignedClassifier::AlignedClassifier(const Dataset& dataset, const Classifier& model,
                                     ClassMatch match)
    : model_(model),
      to_(dataset, model, match),
      same_labels_(counts_up(to_.labels)),
      same_classes_(counts_up(to_.classes)),
      label_names_(picked(model.label_names(), to_.labels)),
      class_names_(picked(model.class_names(), to_.classes)) {
  set_origin(model.origin());
  set_classes(to_.classes, to_.knows_classes);
  for (const std::string& note : model.notes()) add_note(note);
}

AlignedClassifier::AlignedClassifier(const Dataset& dataset,
                                     std::unique_ptr<const Classifier> model, ClassMatch match)
    : AlignedClassifier(dataset, *model, match) {
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
