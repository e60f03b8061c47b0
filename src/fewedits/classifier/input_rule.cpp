// SPDX-License-Identifier: MIT
#include "fewedits/classifier/input_rule.hpp"

#include <fmt/format.h>

#include <utility>

#include "fewedits/base/error.hpp"
#include "fewedits/classifier/class_choice.hpp"

namespace fewedits {

InputRule::InputRule(const Dataset& dataset, const Classifier& classifier,
                     const InputSelection& selection)
    : dataset_(dataset),
      desired_(desired_class(dataset, classifier)),
      only_correct_(selection.only_correct) {
  choose_sources(classifier, selection.source_classes);
  choose_graphs(selection);
  if (!only_correct_) return;
  if (dataset.classes.empty()) {
    throw Error(fmt::format("dataset {}: its graphs have no classes, so nobody knows which of them "
                            "are classified correctly",
                            dataset.name),
                "explain all of them");
  }
  if (!classifier.knows_classes()) {
    throw Error(
        "nothing says which of the model's outputs the classes of the dataset are, so "
        "nobody knows which graphs are classified correctly",
        "name the classes in the model file and in the metadata of the dataset");
  }
}

void InputRule::choose_sources(const Classifier& classifier,
                               const std::vector<std::string>& names) {
  is_source_.assign(classifier.num_classes(), names.empty());
  for (const std::string& name : names) {
    const std::size_t source = class_meant(name, dataset_, classifier);
    if (source == desired_) {
      throw Error(fmt::format("the class {} is the desired one: graphs in it need no explanation",
                              in_quotes(name)),
                  "name other classes");
    }
    is_source_[source] = true;
  }
  is_source_[desired_] = false;
}

void InputRule::choose_graphs(const InputSelection& selection) {
  if (!selection.graphs) {
    if (selection.split.empty()) return;
    throw Error(
        fmt::format("which graphs the part {} has was not looked up", in_quotes(selection.split)),
        "take them from the split that is recorded with the model");
  }
  chosen_.emplace(dataset_.size(), false);
  for (const std::uint32_t graph : *selection.graphs) {
    if (graph >= dataset_.size()) {
      throw Error(fmt::format("there is no graph {}", graph),
                  fmt::format("the dataset has {} graphs, counted from 0 after the rare-label "
                              "filter",
                              dataset_.size()));
    }
    (*chosen_)[graph] = true;
  }
}

bool InputRule::admits(std::uint32_t graph, std::size_t predicted) const {
  if (!is_source_[predicted]) return false;
  if (chosen_ && !(*chosen_)[graph]) return false;
  return !only_correct_ || std::cmp_equal(dataset_.classes[graph], predicted);
}

}  // namespace fewedits
