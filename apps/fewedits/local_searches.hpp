// SPDX-License-Identifier: MIT
// `recourse --local`: a counterfactual for each graph alone, by a search or by an explainer that
// cuts edges.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "comparison.hpp"
#include "fewedits/search/local/local_finder.hpp"

namespace fewedits::cli {

struct LocalArguments {
  std::string method;          ///< see local_finders(); empty: not asked for
  bool keep_isolated = false;  ///< as in explain; these three are the file's unless given
  std::vector<std::string> constraints;
  std::optional<double> min_probability;
  std::vector<Node> frozen;  ///< nodes of the one graph
  /// Of methods that cut edges, as the table of options spells them; others are the file's if it
  /// was made by the same method, else defaults.
  std::vector<std::pair<std::string, std::string>> settings = {};

  void add_to(CLI::App& command);
  [[nodiscard]] bool given() const { return !method.empty(); }
  /// Throws Error if some do not go together.
  void check() const;
  /// Throws Error unless the frozen nodes are of the one graph.
  void check_frozen(const Dataset& data, std::span<const std::uint32_t> inputs) const;
  /// Who finds no accepted graph, for sentences.
  [[nodiscard]] std::string subject() const;
};

/// What may be found: as the command line says, else as the explanation has it. Throws Error for a
/// constraint that makes no sense.
CutRules local_rules(const LocalArguments& arguments, const ComparisonMaterial& material);

/// What a method that cuts edges is asked with, for people.
std::string local_settings_in_words(const LocalArguments& arguments,
                                    const ComparisonMaterial& material);

/// For each of the graphs, in order; not searched to the end if Ctrl-C comes first. `graphs` are
/// those that the explanation is about.
std::vector<LocalAnswer> find_for_each(const LocalArguments& arguments,
                                       const ComparisonMaterial& material, const CutRules& rules,
                                       const RejectedGraphs& graphs,
                                       std::span<const std::uint32_t> inputs, ThreadPool& pool);

}  // namespace fewedits::cli
