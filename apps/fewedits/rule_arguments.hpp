// SPDX-License-Identifier: MIT
// What commands share that rewrite the graphs of a dataset and ask its model: the arguments that
// say which graphs, which model and which results, and all that follows from them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands.hpp"
#include "fewedits/chem/graph_view.hpp"
#include "fewedits/rules/measure.hpp"

namespace fewedits::cli {

struct RuleArguments {
  std::string file;  ///< an explanation; empty: none
  DatasetArguments dataset;
  std::string model;
  std::optional<double> theta;
  std::string bonds;
  bool plausible = false;
  std::string second_model;  ///< empty: none
  std::vector<std::string> constraints;
  std::vector<std::string> source_classes;
  bool only_correct = false;
  std::optional<double> min_lead;
  std::optional<double> min_probability;
  int threads = 0;

  void add_to(CLI::App& command);
  [[nodiscard]] std::vector<std::filesystem::path> files() const;
};

/// All that is read from disk, and what follows from it.
struct RuleSources {
  std::optional<Explanation> explanation;
  Dataset data;
  std::unique_ptr<const Classifier> classifier;
  std::unique_ptr<const Classifier> second;  ///< null: none
  GraphView view;
  InputSelection selection;
  RejectedGraphs graphs;
  RuleMaterial material;
  RewriteLimits limits;
  Acceptance acceptance;

  [[nodiscard]] RuleTask task() const;
};

/// What the command line does not say is as the explanation has it, if there is one: the arguments
/// say so afterwards.
RuleSources open_rule_sources(RuleArguments& arguments, ThreadPool& pool);

/// Dataset, model, and the options that all such commands have.
Provenance provenance_of(const RuleArguments& arguments, const RuleSources& sources);

}  // namespace fewedits::cli
