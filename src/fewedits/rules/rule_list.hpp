// SPDX-License-Identifier: MIT
// What comes out of a search for rules: an ordered list of them with all that was counted. Written
// and read as "fewedits.rules/1" (rules/rule_json, docs/formats.md); measured by rules/measure,
// which does not search.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fewedits/explanation/explanation.hpp"
#include "fewedits/rules/figures.hpp"
#include "fewedits/rules/rule.hpp"
#include "fewedits/rules/rule_text.hpp"

namespace fewedits {

/// Which figure a list was chosen for.
enum class RuleObjective : std::uint8_t { kOnAverage, kSomewhere, kEverywhere };
/// "average", "somewhere", "everywhere".
std::string_view name_of(RuleObjective objective);
std::optional<RuleObjective> objective_of(std::string_view name);
double figure_of(const RuleFigures& figures, RuleObjective objective);

/// A rule on a set of graphs.
struct RuleUse {
  std::size_t graphs = 0;    ///< that it applies to
  std::size_t places = 0;    ///< in them
  std::size_t accepted = 0;  ///< places whose result the model accepts
  friend bool operator==(const RuleUse&, const RuleUse&) = default;
};

/// How many graphs contain a pattern.
struct PatternCounts {
  std::size_t rejected = 0;
  std::size_t accepted = 0;
  friend bool operator==(const PatternCounts&, const PatternCounts&) = default;
};

/// How many graphs have a node of a label.
struct LabelCounts {
  Label label = 0;
  PatternCounts graphs;
  friend bool operator==(const LabelCounts&, const LabelCounts&) = default;
};

/// What a rule does to one input; only those that it applies to are listed.
struct InputCount {
  std::uint32_t input = 0;  ///< index into the filtered dataset
  RuleCount count;
  /// Of the first place that works, the node of each node of the rule, those that come left out;
  /// empty if none works.
  std::vector<Node> image;
  friend bool operator==(const InputCount&, const InputCount&) = default;
};

struct MeasuredRule {
  explicit MeasuredRule(Rule which) : rule(std::move(which)) {}

  Rule rule;
  RuleFigures alone;
  RuleFigures list;  ///< of the list up to this rule
  std::vector<InputCount> inputs;
  RuleUse on_accepted;  ///< of graphs that the model accepts as they are
  /// Of accepted graphs under the way back; unset: that is no rule.
  std::optional<RuleUse> inverse_on_accepted;
  PatternCounts left;
  /// Unset: R is not connected, or too large to be looked for.
  std::optional<PatternCounts> right;
  /// Of the labels that nodes lose, or get, by the rule; ascending.
  std::vector<LabelCounts> lost;
  std::vector<LabelCounts> won;
  /// Graphs of the dataset that become another one of it (ordered pairs), and how many of them
  /// have another true class; unset: the dataset has no classes.
  std::size_t pairs = 0;
  std::optional<std::size_t> pairs_other_class;
  friend bool operator==(const MeasuredRule&, const MeasuredRule&) = default;
};

/// Lists that were chosen on all parts but one, measured on that one.
struct HeldOut {
  std::vector<std::vector<Rule>> lists;  ///< by part (fold_of_each)
  RuleFigures figures;  ///< over all inputs, each by the list that it had no say in
  friend bool operator==(const HeldOut&, const HeldOut&) = default;
};

/// What chance does.
struct RuleBaselines {
  /// Lists of random rules, each of a support like that of the rule in its place; the mean of
  /// their figures.
  std::vector<std::vector<Rule>> lists;
  RuleFigures random_rules;
  /// As many random steps of the edit map as `calls` says, input by input: the share of inputs for
  /// which one is accepted; the mean of some draws.
  double random_edits = 0;
  friend bool operator==(const RuleBaselines&, const RuleBaselines&) = default;
};

struct RuleList {
  Provenance provenance;
  /// Of another model that had to accept results, too; empty: there was none.
  std::string second_model_path;
  std::string second_model_hash;
  ExplainedClasses classes;
  std::vector<std::string> label_names;
  std::vector<std::string> edge_label_names;  ///< empty: edges have no labels
  RuleObjective objective = RuleObjective::kOnAverage;
  double theta = 0.1;
  bool plausible = false;
  std::vector<std::uint32_t> inputs;  ///< indices into the filtered dataset, ascending
  std::vector<MeasuredRule> rules;
  std::optional<HeldOut> held_out;
  std::optional<RuleBaselines> baselines;
  bool complete = true;  ///< false: it was ended early
  friend bool operator==(const RuleList&, const RuleList&) = default;

  [[nodiscard]] RuleNames names() const { return {label_names, edge_label_names}; }
  [[nodiscard]] RuleFigures figures() const {
    return rules.empty() ? RuleFigures{} : rules.back().list;
  }
};

/// Draws of random edits for each input.
inline constexpr std::size_t kRandomEditDraws = 5;

}  // namespace fewedits
