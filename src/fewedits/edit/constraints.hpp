// SPDX-License-Identifier: MIT
// What a counterfactual may look like. Constraints prune the edit map before anything is evaluated:
// a neighbour that violates one is never built.
//
// A walk starts from inputs, which may violate constraints themselves. An edit is therefore judged
// by what it brings about, not by what it leaves as it was:
//   - a leaf or an edge may come only if the graph is then not too large, and a leaf may go only
//     if it is then not too small;
//   - a node that gets an edge or a label (a new one gets both) must then respect the limit of its
//     degree, and its new label must be allowed;
//   - an edge that comes, or one at a node that gets a label, must then be an allowed pair;
//   - a graph that contains the core must still contain it.
// Removals are otherwise free: a node with too many neighbours may lose one. Whether a graph
// satisfies all of them is `satisfies`; only such graphs become counterfactuals.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fewedits/edit/edit.hpp"

namespace fewedits {

class MoleculeRules;

struct Constraints {
  static constexpr std::uint32_t kUnlimited = std::numeric_limits<std::uint32_t>::max();

  /// A counterfactual is connected (SPEC §6). No edit makes more components anyway.
  bool connected = true;
  std::uint32_t min_nodes = 1;
  std::uint32_t max_nodes = kUnlimited;
  std::uint32_t max_edges = kUnlimited;
  /// By label; empty: unlimited.
  std::vector<std::uint32_t> max_degree;
  /// By label: may nodes get it? Those that have a forbidden one may keep it or get another, but a
  /// graph that contains one is no counterfactual. Empty: all.
  std::vector<bool> allowed_labels;
  /// By label and label, symmetric: may they be adjacent? Empty: all.
  std::vector<std::vector<bool>> allowed_pairs;
  /// A graph that every counterfactual contains: its nodes map to different nodes of the same
  /// label, its edges to edges.
  std::optional<Graph> core;
  /// A counterfactual is a valid molecule by these rules, and the steps of the edit map are those
  /// of molecules (edit/molecule_steps); null: it need not be one.
  std::shared_ptr<const MoleculeRules> molecule = nullptr;
  /// That was asked for by name; whoever knows the labels of atoms and bonds sets the rules.
  bool molecules_only = false;
  /// Called last, from several threads: may `graph` become apply(graph, edit)? Null: yes. It must
  /// not depend on the numbering of the nodes. Its verdict is not part of `satisfies`, and
  /// nobody asks it about graphs that are not edited (method ground-truth).
  std::function<bool(const Graph& graph, const Edit& edit)> predicate;

  /// No constraint beside being connected: most checks can be left out.
  [[nodiscard]] bool trivial() const;
};

/// Does the graph itself satisfy everything (beside the predicate)?
bool satisfies(const Graph& graph, const Constraints& constraints);

/// Judges edits of one graph; both arguments must outlive it.
class EditJudge {
 public:
  /// Looks for the core once; edits that leave it where it was found need no further search.
  EditJudge(const Graph& graph, const Constraints& constraints);

  /// The edit must fit the graph.
  [[nodiscard]] bool allows(const Edit& edit) const;

 private:
  [[nodiscard]] bool respects_limits(const Edit& edit) const;
  [[nodiscard]] bool keeps_core(const Edit& edit) const;
  [[nodiscard]] bool touches_core(const Edit& edit) const;

  const Graph& graph_;
  const Constraints& constraints_;
  /// By node: its node of the core. Empty: the graph does not contain the core, or there is none.
  std::vector<Node> core_node_;
};

/// Judges steps of several edits of one graph; both arguments must outlive it. What is there before
/// a step is as it is here, too: a step may not bring about more that violates them.
class StepJudge {
 public:
  StepJudge(const Graph& graph, const Constraints& constraints);

  /// The step must fit the graph. Molecules are not judged: their steps make nothing else.
  [[nodiscard]] bool allows(std::span<const Edit> step) const;

 private:
  const Graph& graph_;
  const Constraints& constraints_;
  std::size_t violations_;  ///< of the graph
  bool has_core_;
};

/// Most neighbours an atom of that name ("N", "N+") has in ordinary molecules: hydrogens are
/// counted, bond orders are not, and a charge makes no difference. Unset for names that are no
/// atom's.
std::optional<std::uint32_t> usual_valence(std::string_view atom);

/// Adds a constraint written as text, for label names as in the dataset:
///   valence                    usual_valence of each label's name; an Error if one is no element
///   max-degree=4               for all labels; max-degree=C:4 for one
///   labels=C,N,O               these only
///   pairs=C-C,C-N              these only
///   min-nodes=N  max-nodes=N  max-edges=N
///   molecule                   valid molecules only, for those who know the labels of bonds, too
/// Several constraints of one kind tighten each other. Throws Error naming the text and the known
/// forms, and leaves the constraints as they were.
void add_constraint(std::string_view text, const std::vector<std::string>& label_names,
                    Constraints& constraints);
/// Throws Error unless that is a constraint for labels of some names.
void check_constraint(std::string_view text);

}  // namespace fewedits
