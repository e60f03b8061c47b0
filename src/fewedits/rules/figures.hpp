// SPDX-License-Identifier: MIT
// How well rules do: counted place by place, and what follows for a list of them.
//
// A place counts if it can be carried out: the result has no more parts, satisfies the constraints
// and is within theta. A rule applies to a graph that has such a place. A place works if the model
// accepts the result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fewedits/base/parallel.hpp"
#include "fewedits/classifier/classifier.hpp"
#include "fewedits/rules/occurrences.hpp"
#include "fewedits/rules/rewrite.hpp"

namespace fewedits {

/// Another model that is asked, too.
struct SecondModel {
  const Classifier& classifier;
  Goal goal;
};

/// Who accepts what.
struct RuleTask {
  const Classifier& classifier;
  Goal goal;
  RewriteLimits limits;
  /// If there is one, a place works only where it accepts the result, too.
  std::optional<SecondModel> second = {};
};

/// What the second model, if there is one, thinks of what the first accepts.
void ask_second(std::span<const Graph> graphs, const RuleTask& task, ThreadPool& pool,
                std::vector<Judgement>& judged);

struct JudgedPlace {
  PlaceKey key = {};
  Image image = {};
  bool works = false;
};

/// Of one rule and one graph.
struct RuleCount {
  std::uint32_t places = 0;
  std::uint32_t works = 0;
  /// Places before the first that works, in the order of their keys; all, if none does.
  std::uint32_t before_first = 0;

  [[nodiscard]] bool applies() const { return places > 0; }
  [[nodiscard]] bool somewhere() const { return works > 0; }
  [[nodiscard]] bool everywhere() const { return places > 0 && works == places; }
  /// 0 if the rule does not apply.
  [[nodiscard]] double share() const {
    return places == 0 ? 0.0 : static_cast<double>(works) / static_cast<double>(places);
  }
  /// Graphs to be shown to the model until one is accepted, or all.
  [[nodiscard]] std::uint32_t calls() const { return somewhere() ? before_first + 1 : places; }
  friend bool operator==(const RuleCount&, const RuleCount&) = default;
};
RuleCount count_of(std::span<const JudgedPlace> places);

/// By rule, the places of the graph that count. The model is asked about all of them together.
std::vector<std::vector<JudgedPlace>> judged_places(const Graph& graph,
                                                    std::span<const RuleMatcher> rules,
                                                    const RuleTask& task, ThreadPool& pool);

/// By rule and graph.
using RuleCounts = std::vector<std::vector<RuleCount>>;
RuleCounts count_rules(std::span<const Rule> rules, std::span<const Graph> graphs,
                       const RuleTask& task, ThreadPool& pool);

/// Shares of graphs. A list is ordered: for a graph, the first rule that applies is used, at one of
/// its places. Only who tries (`somewhere`, `one_try`) goes on to later rules.
struct RuleFigures {
  double support = 0;     ///< some rule applies
  double somewhere = 0;   ///< some place of some rule works
  double calls = 0;       ///< mean: graphs shown to the model, rule by rule, until one is accepted
  double on_average = 0;  ///< mean share of places that work, of the rule that is used
  double everywhere = 0;  ///< every place of the rule that is used works
  /// Mean chance that one random place each, rule by rule, does it.
  double one_try = 0;
  friend bool operator==(const RuleFigures&, const RuleFigures&) = default;
};

/// Of one graph: `counts` are the rules', in order. Its figures are those of a list of one graph.
RuleFigures figures_of(std::span<const RuleCount> counts);
/// Over graphs: the mean of theirs. None: all 0.
RuleFigures mean_of(std::span<const RuleFigures> graphs);
/// Of the first `rules` of the counted ones.
RuleFigures list_figures(const RuleCounts& counts, std::size_t rules, std::size_t graphs);

struct Interval {
  double low = 0;
  double high = 1;
  friend bool operator==(const Interval&, const Interval&) = default;
};
/// 95 %, for a mean of values from 0 to 1: Wilson's, which for values between the two is on the
/// safe side. `share` of `count`.
Interval interval_of(double share, std::size_t count);
/// The same for other quantiles of the normal distribution than that of 95 %.
Interval interval_of(double share, std::size_t count, double quantile);
/// The quantile of the normal distribution that leaves 2.5 % above it, shared among so many
/// statements (Bonferroni).
double corrected_quantile(std::size_t statements);

/// The part of each of `count` items, 0 … folds - 1, as equal in size as can be.
std::vector<std::uint32_t> fold_of_each(std::size_t count, std::size_t folds, std::uint64_t seed);

/// How many of the graphs contain the pattern.
std::size_t num_with_pattern(std::span<const Graph> graphs, const Graph& pattern, ThreadPool& pool);

}  // namespace fewedits
