// SPDX-License-Identifier: MIT
// The rules that lists are chosen from, but for context: judged on all inputs, and each known to
// those views whose inputs alone bring it about. Internal to induction.
#pragma once

#include <cstddef>
#include <vector>

#include "fewedits/induction/induce.hpp"
#include "fewedits/induction/place_table.hpp"
#include "fewedits/induction/views.hpp"

namespace fewedits {

class CandidateTable {
 public:
  CandidateTable(std::span<const Graph> inputs, const RuleViews& views,
                 const RuleMaterial& material, const RuleTask& task, const InduceOptions& options);

  /// Single steps, what was brought along, pairs of steps, more changes. Told to stop, it keeps
  /// what it has and returns false; throws Stopped if that is nothing.
  bool fill(ThreadPool& pool, const InduceHooks& hooks);

  [[nodiscard]] const PlaceTable& places() const { return table_; }
  /// By rule of the table: does the view leave it out?
  [[nodiscard]] std::vector<bool> unknown_to(std::size_t view) const;

 private:
  /// False: it was told to stop, and has only some graphs.
  bool add(std::vector<ViewedRule> rules, ThreadPool& pool, const InduceHooks& hooks);
  [[nodiscard]] std::vector<ViewedRule> first_rules(ThreadPool& pool) const;
  [[nodiscard]] std::vector<ViewedRule> single_steps(ThreadPool& pool) const;

  std::span<const Graph> inputs_;
  const RuleViews& views_;
  const RuleMaterial& material_;
  const RuleTask& task_;
  const InduceOptions& options_;
  PlaceTable table_;
  std::vector<ViewSet> known_;  ///< by rule of the table
};

}  // namespace fewedits
