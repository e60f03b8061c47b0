// SPDX-License-Identifier: MIT
// Internal to glance: which patterns a graph has, functional groups among them, and what they are
// called.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fewedits/chem/functional_groups.hpp"
#include "fewedits/chem/graph_view.hpp"
#include "fewedits/glance/small_patterns.hpp"
#include "fewedits/rules/rule_text.hpp"

namespace fewedits {

class PatternReader {
 public:
  PatternReader(const Dataset& dataset, const GraphView& view);

  /// Of a graph of the dataset. Groups are seen if bonds are known, whether or not the view shows
  /// them. Ascending by their keys.
  [[nodiscard]] std::vector<SeenPattern> in_dataset(std::uint32_t graph) const;
  /// Of a graph as the view shows graphs: groups only if `sees_groups_in_view`.
  [[nodiscard]] std::vector<SeenPattern> in_view(const Graph& graph) const;
  [[nodiscard]] bool sees_groups_in_view() const;
  [[nodiscard]] bool knows_groups() const { return finder_ != nullptr; }
  /// Are groups looked for without bonds, because nobody knows them?
  [[nodiscard]] bool is_blind() const { return finder_ != nullptr && !full_view_; }
  [[nodiscard]] bool has_molecules() const { return molecules_; }
  /// Do the labels have names, or values only?
  [[nodiscard]] bool has_names() const { return has_names_; }

  [[nodiscard]] std::string name(const PatternKey& key) const;
  /// At the beginning of a sentence, before "in 62 % of …".
  [[nodiscard]] std::string subject(const PatternKey& key) const;
  [[nodiscard]] std::string text(const PatternKey& key) const;
  [[nodiscard]] std::optional<Graph> pattern(const PatternKey& key) const;
  [[nodiscard]] const RuleNames& names() const { return names_; }

 private:
  [[nodiscard]] const FunctionalGroup& group(const PatternKey& key) const {
    return finder_->table()[key.words[0]];
  }
  void add_groups(const Graph& graph, std::vector<SeenPattern>& out) const;
  [[nodiscard]] Graph::EdgeLabels edge_labels() const {
    return view_.has_bonds() ? Graph::EdgeLabels::kPresent : Graph::EdgeLabels::kAbsent;
  }

  const Dataset& dataset_;
  const GraphView& view_;
  bool molecules_ = false;
  bool has_names_ = false;
  RuleNames names_;
  std::optional<GraphView> full_view_;  ///< with bonds, if they are known
  std::unique_ptr<GroupFinder> finder_;
  std::size_t longest_ = 1;
};

}  // namespace fewedits
