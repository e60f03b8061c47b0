// SPDX-License-Identifier: MIT
// What rules and fragility ask of a dataset and its model, as Python says it.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fewedits/chem/graph_view.hpp"
#include "fewedits/fewedits.hpp"
#include "fewedits/rules/measure.hpp"

namespace fewedits::python {

/// What is asked, unless an explanation says it.
struct Question {
  double theta = 0.1;
  std::optional<bool> bonds;  ///< unset: where they are known
  bool plausible = false;
  std::vector<std::string> constraints;
  std::vector<std::string> source_classes;
  bool only_correct = false;
  std::optional<double> min_lead;
  std::optional<double> min_probability;
  int threads = 0;
  // For the record.
  std::string dataset_path;
  std::string model_path;
  std::string black_box;
  std::vector<std::pair<std::string, std::string>> recorded;
};

/// All that follows from it.
struct Asked {
  GraphView view;
  InputSelection selection;
  Acceptance acceptance;
  std::vector<std::string> constraints;
  RejectedGraphs graphs;
  RuleMaterial material;
  RuleTask task;
};

/// Keeps references to the models. `explanation`, `second`: null, if there is none.
Asked asked(const Dataset& data, const Classifier& classifier, const Classifier* second,
            const Question& question, const Explanation* explanation, ThreadPool& pool);

/// Dataset, model, and the options that all such questions have.
Provenance provenance_of(const Dataset& data, const Question& question, const Asked& asked,
                         const Explanation* explanation);

}  // namespace fewedits::python
