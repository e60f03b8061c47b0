// SPDX-License-Identifier: MIT
#include "fewedits/edit/step_writer.hpp"

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <utility>

namespace fewedits {
namespace {

class Writer {
 public:
  Writer(const Graph& graph, const MoleculeRules& rules, const StepLimits& limits,
         const MoleculeSketch& sketch)
      : graph_(graph), rules_(rules), limits_(limits), sketch_(sketch) {}

  [[nodiscard]] std::optional<Step> run(const MoleculeChange& change, const BeforeChange& before,
                                        const ChangeVerdict& verdict,
                                        const std::optional<std::vector<bool>>& aromatic) const {
    const auto& [x, y] = std::tie(verdict.first, verdict.second);
    Draft draft;
    draft.next = graph_.num_nodes();
    switch (change.kind) {
      case MoleculeChange::Kind::kShift:
        add_edge(before.b.node, before.c.node, Bond::kSingle, draft);
        write_atom(before.a, x, draft);
        write_atom(before.b, y, draft);
        remove_edge(before.a.node, before.c.node, draft);
        break;
      case MoleculeChange::Kind::kInsert: write_insertion(before, y, draft); break;
      case MoleculeChange::Kind::kContract:
        write_new_edge(change, before, aromatic, draft);
        remove_edge(before.b.node, before.c.node, draft);
        for (const Node h : before.c.hydrogens) remove_node(h, draft);
        remove_node(before.c.node, draft);
        break;
      case MoleculeChange::Kind::kSubstitute:
        write_substitution(change, before.a, x, y, draft);
        break;
      case MoleculeChange::Kind::kRemove: write_removal(before, x, draft); break;
      case MoleculeChange::Kind::kElement:
      case MoleculeChange::Kind::kMend: write_atom(before.a, x, draft); break;
      case MoleculeChange::Kind::kClose:
        write_new_edge(change, before, aromatic, draft);
        [[fallthrough]];
      case MoleculeChange::Kind::kOpen:
      case MoleculeChange::Kind::kOrder:
        write_atom(before.a, x, draft);
        write_atom(before.b, y, draft);
        break;
    }
    if (change.kind == MoleculeChange::Kind::kOpen) {
      remove_edge(before.a.node, before.b.node, draft);
    }
    if (verdict.third != MoleculeSketch::kNone)
      write_atom(sketch_.atoms[verdict.third], verdict.of_third, draft);
    if (aromatic) write_orders(before, *aromatic, draft);
    if (!draft.possible) return std::nullopt;
    return joined(draft);
  }

 private:
  /// In the order in which they are applied, so that nodes keep their numbers until the last.
  struct Draft {
    std::vector<Edit> relabel;
    std::vector<Edit> relabel_edges;
    std::vector<Edit> add_edges;
    std::vector<Edit> add_leaves;
    std::vector<Edit> add_edges_of_leaves;
    std::vector<Edit> remove_edges;
    std::vector<Node> remove;
    Node next = 0;
    bool possible = true;
  };

  [[nodiscard]] bool is_allowed(Label label) const {
    return limits_.allowed_labels.empty() || limits_.allowed_labels[label];
  }
  [[nodiscard]] bool is_frozen(Node v) const {
    return !limits_.frozen.empty() && limits_.frozen[v];
  }

  void relabel(Node v, Label label, Draft& draft) const {
    if (graph_.label(v) == label) return;
    if (is_frozen(v) || !is_allowed(label)) draft.possible = false;
    draft.relabel.push_back({Edit::Kind::kRelabel, v, 0, label});
  }

  [[nodiscard]] Label bond_label(Bond bond, Draft& draft) const {
    const auto label = rules_.label_of(bond);
    if (!label) draft.possible = false;
    return label.value_or(0);
  }

  void relabel_edge(Node u, Node v, Bond bond, Draft& draft) const {
    const Label label = bond_label(bond, draft);
    if (graph_.edge_label(u, v) == label) return;
    if (is_frozen(u) && is_frozen(v)) draft.possible = false;
    draft.relabel_edges.push_back(
        {Edit::Kind::kRelabelEdge, std::min(u, v), std::max(u, v), label});
  }

  /// The new node.
  Node add_leaf(Node anchor, Label label, Bond bond, Draft& draft) const {
    if (!is_allowed(label)) draft.possible = false;
    draft.add_leaves.push_back({Edit::Kind::kAddLeaf, anchor, 0, label, bond_label(bond, draft)});
    return draft.next++;
  }

  void add_hydrogens(Node anchor, std::uint32_t count, Draft& draft) const {
    for (; count > 0; --count) add_leaf(anchor, *rules_.hydrogen(), Bond::kSingle, draft);
  }

  void remove_node(Node v, Draft& draft) const {
    if (is_frozen(v)) draft.possible = false;
    draft.remove.push_back(v);
  }

  /// The last ones that are not frozen, of equals.
  [[nodiscard]] std::vector<Node> some_hydrogens(const MoleculeSketch::AtomData& atom,
                                                 std::uint32_t count, Draft& draft) const {
    std::vector<Node> some;
    for (auto it = atom.hydrogens.rbegin(); it != atom.hydrogens.rend(); ++it) {
      if (some.size() < count && !is_frozen(*it)) some.push_back(*it);
    }
    if (some.size() < count) draft.possible = false;
    return some;
  }

  void write_hydrogens(const MoleculeSketch::AtomData& atom, std::uint32_t wanted,
                       Draft& draft) const {
    const auto have = static_cast<std::uint32_t>(atom.hydrogens.size());
    if (wanted > have) return add_hydrogens(atom.node, wanted - have, draft);
    for (const Node h : some_hydrogens(atom, have - wanted, draft)) remove_node(h, draft);
  }

  void write_atom(const MoleculeSketch::AtomData& atom, const AtomOutcome& outcome,
                  Draft& draft) const {
    relabel(atom.node, outcome.label, draft);
    write_hydrogens(atom, outcome.hydrogens, draft);
  }

  /// A hydrogen becomes the new atom, if one goes: that is cheaper than to remove and to add.
  void write_substitution(const MoleculeChange& change, const MoleculeSketch::AtomData& anchor,
                          const AtomOutcome& of_anchor, const AtomOutcome& of_new,
                          Draft& draft) const {
    const auto bond = static_cast<Bond>(change.order);
    relabel(anchor.node, of_anchor.label, draft);
    if (anchor.hydrogens.size() > of_anchor.hydrogens) {
      const auto leaving =
          static_cast<std::uint32_t>(anchor.hydrogens.size()) - of_anchor.hydrogens;
      const std::vector<Node> those = some_hydrogens(anchor, leaving, draft);
      if (!draft.possible) return;
      relabel(those[0], of_new.label, draft);
      relabel_edge(anchor.node, those[0], bond, draft);
      for (std::size_t i = 1; i < those.size(); ++i) remove_node(those[i], draft);
      add_hydrogens(those[0], of_new.hydrogens, draft);
      return;
    }
    const Node added = add_leaf(anchor.node, of_new.label, bond, draft);
    write_hydrogens(anchor, of_anchor.hydrogens, draft);
    add_hydrogens(added, of_new.hydrogens, draft);
  }

  /// The atom becomes a hydrogen, if one comes.
  void write_removal(const BeforeChange& before, const AtomOutcome& of_anchor, Draft& draft) const {
    const auto& [anchor, gone] = std::tie(before.a, before.b);
    relabel(anchor.node, of_anchor.label, draft);
    for (const Node h : gone.hydrogens) remove_node(h, draft);
    if (of_anchor.hydrogens > anchor.hydrogens.size()) {
      relabel(gone.node, *rules_.hydrogen(), draft);
      relabel_edge(anchor.node, gone.node, Bond::kSingle, draft);
      const auto coming = of_anchor.hydrogens - static_cast<std::uint32_t>(anchor.hydrogens.size());
      add_hydrogens(anchor.node, coming - 1, draft);
      return;
    }
    remove_node(gone.node, draft);
    write_hydrogens(anchor, of_anchor.hydrogens, draft);
  }

  void write_new_edge(const MoleculeChange& change, const BeforeChange& before,
                      const std::optional<std::vector<bool>>& aromatic, Draft& draft) const {
    const bool is_aromatic = aromatic && aromatic->back();
    const auto bond = is_aromatic ? Bond::kAromatic : static_cast<Bond>(change.order);
    add_edge(before.a.node, before.b.node, bond, draft);
  }

  void add_edge(Node a, Node b, Bond bond, Draft& draft) const {
    const auto [u, v] = std::minmax(a, b);
    draft.add_edges.push_back({Edit::Kind::kAddEdge, u, v, 0, bond_label(bond, draft)});
  }

  static void remove_edge(Node a, Node b, Draft& draft) {
    const auto [u, v] = std::minmax(a, b);
    draft.remove_edges.push_back({Edit::Kind::kRemoveEdge, u, v});
  }

  void write_insertion(const BeforeChange& before, const AtomOutcome& of_new, Draft& draft) const {
    const Node added = add_leaf(before.a.node, of_new.label, Bond::kSingle, draft);
    add_hydrogens(added, of_new.hydrogens, draft);
    draft.add_edges_of_leaves.push_back(
        {Edit::Kind::kAddEdge, before.b.node, added, 0, bond_label(Bond::kSingle, draft)});
    remove_edge(before.a.node, before.b.node, draft);
  }

  /// Of the bonds that were there and still are.
  void write_orders(const BeforeChange& before, const std::vector<bool>& aromatic,
                    Draft& draft) const {
    for (std::size_t i = 0; i < before.bonds; ++i) {
      const MoleculeSketch::BondData& bond = sketch_.bonds[i];
      if (bond.order == 0) continue;
      relabel_edge(sketch_.atoms[bond.a].node, sketch_.atoms[bond.b].node,
                   aromatic[i] ? Bond::kAromatic : static_cast<Bond>(bond.order), draft);
    }
  }

  [[nodiscard]] static Step joined(Draft& draft) {
    Step step = std::move(draft.relabel);
    for (const auto* part : {&draft.relabel_edges, &draft.add_edges, &draft.add_leaves,
                             &draft.add_edges_of_leaves, &draft.remove_edges}) {
      step.insert(step.end(), part->begin(), part->end());
    }
    // An atom goes after its hydrogens; those that are gone have made later numbers smaller.
    for (std::size_t i = 0; i < draft.remove.size(); ++i) {
      const Node v = draft.remove[i];
      const auto before =
          std::count_if(draft.remove.begin(), draft.remove.begin() + static_cast<std::ptrdiff_t>(i),
                        [&](Node w) { return w < v; });
      step.push_back({Edit::Kind::kRemoveLeaf, v - static_cast<Node>(before)});
    }
    return step;
  }

  const Graph& graph_;
  const MoleculeRules& rules_;
  const StepLimits& limits_;
  const MoleculeSketch& sketch_;
};

}  // namespace

std::optional<Step> write_step(const Graph& graph, const MoleculeRules& rules,
                               const StepLimits& limits, const MoleculeSketch& changed,
                               const MoleculeChange& change, const BeforeChange& before,
                               const ChangeVerdict& verdict,
                               const std::optional<std::vector<bool>>& aromatic) {
  return Writer(graph, rules, limits, changed).run(change, before, verdict, aromatic);
}

}  // namespace fewedits
