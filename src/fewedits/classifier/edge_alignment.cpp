// SPDX-License-Identifier: MIT
#include "fewedits/classifier/edge_alignment.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fewedits/base/error.hpp"
#include "fewedits/chem/bond.hpp"
#include "fewedits/chem/graph_view.hpp"

namespace fewedits {
namespace {

/// The model's label for each of the graphs'; none for aromatic bonds of which it knows nothing.
using Places = std::vector<std::optional<Label>>;

struct EdgeAlignment {
  std::vector<std::string> names;  ///< the graphs'
  std::shared_ptr<const MoleculeRules> rules;
  Places labels;
  bool by_value = false;

  [[nodiscard]] bool knows_all() const {
    return std::ranges::all_of(labels, [](const auto& place) { return place.has_value(); });
  }
};

Places places_of(const std::vector<std::string>& names, std::span<const std::string> known) {
  Places out;
  for (const std::string& name : names) {
    const auto it = std::ranges::find(known, name);
    out.push_back(it == known.end() ? std::nullopt
                                    : std::optional(static_cast<Label>(it - known.begin())));
  }
  return out;
}

/// A model without names: one of the labels in the order of the dataset, with aromatic bonds after
/// them or without.
Places places_by_number(const EdgeAlignment& to, const Dataset& dataset, const Classifier& model) {
  const std::size_t known = model.num_edge_labels();
  if (known != to.names.size() && known != dataset.edge_labels.size()) {
    throw Error({model.origin()},
                fmt::format("the model knows {} labels of edges without names, the dataset has {} "
                            "({})",
                            known, dataset.edge_labels.size(),
                            fmt::join(to.names.begin(),
                                      to.names.begin() +
                                          static_cast<std::ptrdiff_t>(dataset.edge_labels.size()),
                                      ", ")),
                "name them in the model file, in their order (\"edge_labels\")");
  }
  Places out(to.names.size());
  for (Label l = 0; l < known; ++l) out[l] = l;
  return out;
}

[[noreturn]] void refuse_label(const std::string& name, const Classifier& model) {
  throw Error({model.origin()},
              fmt::format("the model does not know the edge label {}; its own are: {}",
                          in_quotes(name), fmt::join(model.edge_label_names(), ", ")),
              "use the dataset that it was trained on; if labels have only got other names since, "
              "edit \"edge_labels\" in the model file or in the metadata of the dataset, so that "
              "both have the same");
}

EdgeAlignment alignment_of(const Dataset& dataset, const Classifier& model) {
  if (dataset.edge_labels.empty()) {
    throw Error({model.origin()},
                "the model looks at labels of edges, of which the dataset has none",
                "use a dataset with labels of edges, or a model that does not look at them");
  }
  const GraphView view(dataset, true);
  EdgeAlignment to{view.edge_label_names(), view.rules(), {}};
  const auto known = model.edge_label_names();
  if (known.empty()) {
    to.labels = places_by_number(to, dataset, model);
    return to;
  }
  to.labels = places_of(to.names, known);
  const auto is_known = [](const auto& place) { return place.has_value(); };
  if (std::ranges::none_of(to.labels, is_known)) {
    std::vector<std::string> values;
    for (const NamedValue& label : dataset.edge_labels) {
      values.push_back(std::to_string(label.value));
    }
    Places valued = places_of(values, known);
    if (std::ranges::all_of(valued, is_known)) {
      to.by_value = true;
      valued.resize(to.names.size());
      to.labels = std::move(valued);
    }
  }
  // Of molecules only: others have no form without it.
  const std::string_view aromatic = name_of(Bond::kAromatic);
  for (std::size_t l = 0; l < to.names.size(); ++l) {
    if (to.labels[l] || (to.rules && to.names[l] == aromatic)) continue;
    refuse_label(to.names[l], model);
  }
  return to;
}

std::vector<Label> numbers(const Places& places) {
  std::vector<Label> out;
  for (const auto& place : places) out.push_back(place.value_or(0));
  return out;
}

bool is_identity(const EdgeAlignment& to, const Classifier& model) {
  if (!to.knows_all() || to.labels.size() != model.num_edge_labels()) return false;
  for (Label l = 0; l < to.labels.size(); ++l) {
    if (*to.labels[l] != l) return false;
  }
  return true;
}

/// Asks about other graphs, whose edges are those of the ones that it was asked about.
class TranslatedWeighted final : public WeightedModel {
 public:
  using Translate = std::function<Graph(const Graph&)>;
  TranslatedWeighted(std::unique_ptr<WeightedModel> model, Translate translate)
      : model_(std::move(model)), translate_(std::move(translate)) {}

  [[nodiscard]] std::size_t num_classes() const override { return model_->num_classes(); }
  [[nodiscard]] std::size_t node_size() const override { return model_->node_size(); }
  [[nodiscard]] std::size_t pooled_size() const override { return model_->pooled_size(); }
  void evaluate(const Graph& graph, std::span<const float> weights) override {
    graph_ = translate_(graph);
    model_->evaluate(graph_, weights);
  }
  [[nodiscard]] std::span<const float> logits() const override { return model_->logits(); }
  [[nodiscard]] std::span<const float> pooled() const override { return model_->pooled(); }
  [[nodiscard]] std::span<const float> node(Node v) const override { return model_->node(v); }
  void logit_gradient(std::span<const float> scale, std::span<float> out) override {
    model_->logit_gradient(scale, out);
  }
  void pooled_gradient(std::span<const float> scale, std::span<float> out) override {
    model_->pooled_gradient(scale, out);
  }
  void head(std::span<const float> pooled, std::span<float> logits) const override {
    model_->head(pooled, logits);
  }
  void head_gradient(std::span<const float> pooled, std::span<const float> scale,
                     std::span<float> out) const override {
    model_->head_gradient(pooled, scale, out);
  }

 private:
  std::unique_ptr<WeightedModel> model_;
  Translate translate_;
  Graph graph_;
};

/// Shows every graph to the model as it knows them.
class EdgeAlignedClassifier final : public Classifier {
 public:
  EdgeAlignedClassifier(std::unique_ptr<const Classifier> model, EdgeAlignment to)
      : model_(std::move(model)),
        to_(std::move(to)),
        numbers_(numbers(to_.labels)),
        same_numbers_(is_identity(to_, *model_)),
        has_aromatic_(to_.knows_all()) {
    set_origin(model_->origin());
    std::vector<std::size_t> columns;
    for (std::size_t c = 0; c < model_->num_classes(); ++c) {
      columns.push_back(model_->column_of(c));
    }
    set_classes(std::move(columns), model_->knows_classes());
    for (const std::string& note : model_->notes()) add_note(note);
  }

  [[nodiscard]] std::size_t num_classes() const override { return model_->num_classes(); }
  [[nodiscard]] std::size_t num_labels() const override { return model_->num_labels(); }
  [[nodiscard]] std::size_t num_edge_labels() const override { return to_.names.size(); }
  [[nodiscard]] std::span<const std::string> label_names() const override {
    return model_->label_names();
  }
  [[nodiscard]] std::span<const std::string> edge_label_names() const override { return to_.names; }
  [[nodiscard]] std::span<const std::string> class_names() const override {
    return model_->class_names();
  }

  void log_probabilities(std::span<const Graph> graphs, std::span<float> out,
                         ThreadPool& pool) const override {
    model_->log_probabilities(translated(graphs, pool), out, pool);
  }
  void neighbour_log_probabilities(const Graph& graph, std::span<const Edit> edits,
                                   std::span<const Graph> neighbours, std::span<float> out,
                                   ThreadPool& pool) const override {
    const std::vector<Graph> built = translated(neighbours, pool);
    if (to_.rules) {
      // An edit may change what is aromatic anywhere in the molecule.
      model_->log_probabilities(built, out, pool);
    } else {
      model_->neighbour_log_probabilities(translated(graph, 0), edits, built, out, pool);
    }
  }
  [[nodiscard]] std::unique_ptr<WeightedModel> weighted() const override {
    auto model = model_->weighted();
    if (!model) return nullptr;
    return std::make_unique<TranslatedWeighted>(
        std::move(model), [this](const Graph& graph) { return translated(graph, 0); });
  }

 private:
  [[nodiscard]] std::vector<Graph> translated(std::span<const Graph> graphs,
                                              ThreadPool& pool) const {
    std::vector<Graph> out(graphs.size());
    pool.for_chunks(graphs.size(), 32, [&](std::size_t begin, std::size_t end, int) {
      for (std::size_t i = begin; i < end; ++i) out[i] = translated(graphs[i], i);
    });
    return out;
  }

  [[nodiscard]] Graph translated(const Graph& graph, std::size_t index) const {
    // Without labels: the model says so.
    if (graph.edge_labels().empty()) return graph;
    check_labels(graph, index);
    const Graph seen = to_.rules ? molecule(graph, index) : graph;
    return same_numbers_ ? seen : seen.with_edges_relabelled(numbers_);
  }

  [[nodiscard]] Graph molecule(const Graph& graph, std::size_t index) const {
    const MoleculeRules& rules = *to_.rules;
    Graph canonical = rules.is_canonical(graph)
                          ? graph
                          : rules.canonical(graph, MoleculeRules::Aromatic::kForeign);
    if (has_aromatic_) return canonical;
    if (auto form = rules.canonical_kekule_form(canonical)) return *std::move(form);
    const auto aromatic = rules.label_of(Bond::kAromatic);
    if (std::ranges::find(canonical.edge_labels(), aromatic) == canonical.edge_labels().end()) {
      return canonical;
    }
    throw Error({origin()},
                fmt::format("graph {} has aromatic bonds, which the model does not know, and no "
                            "Kekulé form",
                            index),
                "leave the graph out, or use a model with \"aromatic\" among its edge labels");
  }

  void check_labels(const Graph& graph, std::size_t index) const {
    for (const Label label : graph.edge_labels()) {
      if (label < numbers_.size()) continue;
      throw Error(fmt::format("graph {} has edge label {}, the dataset knows 0 to {}", index, label,
                              numbers_.size() - 1));
    }
  }

  std::unique_ptr<const Classifier> model_;
  EdgeAlignment to_;
  std::vector<Label> numbers_;
  bool same_numbers_;
  bool has_aromatic_;
};

}  // namespace

std::unique_ptr<Classifier> with_edge_labels(std::unique_ptr<Classifier> model,
                                             const Dataset& dataset) {
  if (model->num_edge_labels() == 0) return model;
  EdgeAlignment to = alignment_of(dataset, *model);
  if (to.by_value) {
    model->add_note(
        fmt::format("the model names edge labels by their values ({}), the dataset has names ({}): "
                    "matched by value",
                    fmt::join(model->edge_label_names(), ", "), fmt::join(to.names, ", ")));
  }
  if (!to.rules && (is_identity(to, *model) || model->renumber_edge_labels(numbers(to.labels)))) {
    return model;
  }
  if (!to.knows_all()) {
    model->add_note(
        "the model knows no aromatic bonds: it sees molecules in a Kekulé form that follows from "
        "the molecule, which need not be the one that the file writes");
  }
  return std::make_unique<EdgeAlignedClassifier>(std::move(model), std::move(to));
}

}  // namespace fewedits
