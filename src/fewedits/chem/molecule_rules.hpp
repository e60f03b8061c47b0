// SPDX-License-Identifier: MIT
// What the labels of a dataset of molecules mean, and which graphs are molecules: charges,
// hydrogens and aromatic bonds follow from the labels by these rules (docs/adr/0016). No RDKit
// here; tests hold the rules against it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fewedits/chem/bond.hpp"
#include "fewedits/chem/elements.hpp"
#include "fewedits/chem/molecule_sketch.hpp"
#include "fewedits/graph/graph.hpp"

namespace fewedits {

/// An atom as its label says.
struct RuledAtom {
  const Element* element = nullptr;
  int charge = 0;
};

/// Immutable. Every function takes any graph: what is no molecule is invalid, and stays as it is.
class MoleculeRules {
 public:
  /// Where an atom's charge comes from.
  enum class Charges : std::uint8_t {
    kInLabels,  ///< "N+", "O-"; other labels mean neutral atoms
    kFromBonds  ///< nitrogen with four bonds is N+, and so on
  };

  /// By label. Charges are in the labels if one of them has a charge. Unset: a label is no element
  /// or no bond, or no bond is single.
  static std::optional<MoleculeRules> of(const std::vector<std::string>& atom_names,
                                         const std::vector<std::string>& bond_names);
  static std::optional<MoleculeRules> of(const std::vector<std::string>& atom_names,
                                         const std::vector<std::string>& bond_names,
                                         Charges charges);

  /// Are hydrogens nodes? Then an atom has those that it has; else it has those that it needs.
  [[nodiscard]] bool writes_hydrogens() const { return hydrogen_.has_value(); }
  [[nodiscard]] Charges charges() const { return charges_; }
  [[nodiscard]] std::size_t num_labels() const { return atoms_.size(); }
  [[nodiscard]] const RuledAtom& atom(Label label) const { return atoms_[label]; }
  /// "N+"
  [[nodiscard]] std::string name(Label label) const;
  /// Of hydrogen without charge.
  [[nodiscard]] std::optional<Label> hydrogen() const { return hydrogen_; }
  [[nodiscard]] std::optional<Bond> bond(Label edge_label) const;
  [[nodiscard]] std::optional<Label> label_of(Bond bond) const {
    return bond_labels_[static_cast<std::size_t>(bond)];
  }

  /// Whose bonds are called aromatic?
  enum class Aromatic : std::uint8_t {
    kOurs,     ///< of graphs that are canonical, but for some edits: one double bond at each atom
    kForeign,  ///< of files: with another idea of what is aromatic (pyrrole, furan)
  };
  /// The same molecule with the bonds called aromatic that are: graphs of one molecule in different
  /// Kekulé forms become the same graph. Without a label called aromatic, rings keep their form.
  [[nodiscard]] Graph canonical(const Graph& graph, Aromatic labels = Aromatic::kOurs) const;

  /// Does every atom have an allowed valence, without unpaired electrons and with all hydrogens; do
  /// the charges sum to 0; are those bonds called aromatic that are?
  [[nodiscard]] bool is_valid(const Graph& graph) const;
  /// In words, for people; empty for valid ones.
  [[nodiscard]] std::string why_invalid(const Graph& graph) const;

  /// Per node, as labels say or bonds tell. Where hydrogens are implied a proton may be missing
  /// without a trace: oxygens beside N+ get a −1, then other acids, until the charges sum to 0.
  [[nodiscard]] std::vector<int> charges(const Graph& graph) const;
  /// Per node, beyond those that are written; 0 where bonds are too many.
  [[nodiscard]] std::vector<int> implied_hydrogens(const Graph& graph) const;
  /// With single, double and triple bonds only, in one of its Kekulé forms; unset: it has none.
  [[nodiscard]] std::optional<Graph> kekule_form(const Graph& graph) const;
  /// The same in a form that follows from the molecule alone: isomorphic graphs have isomorphic
  /// ones. It rests on a canonical order of the nodes; where that takes too long to find (Identity,
  /// no molecule known), on the order that they have. Unset: it has none.
  [[nodiscard]] std::optional<Graph> canonical_kekule_form(const Graph& graph) const;
  /// Is canonical() the graph itself, as far as bonds called aromatic tell?
  [[nodiscard]] bool is_canonical(const Graph& graph) const;

  // For those who change molecules step by step (edit/molecule_steps).

  /// What an atom of a label is with bonds (written hydrogens counted) of some sum.
  struct AtomState {
    bool possible = false;
    int charge = 0;
    std::uint8_t hydrogens = 0;  ///< implied
    std::uint8_t unpaired = 0;   ///< electrons; such an atom is not possible
  };
  [[nodiscard]] AtomState state(Label label, std::uint32_t valence) const {
    return states_[label * kValences + (valence < kValences ? valence : kValences - 1)];
  }
  /// Beside the bonds, an atom's neighbours count: the carbon of an isonitrile is C−.
  [[nodiscard]] AtomState state(const MoleculeSketch& sketch, MoleculeSketch::Atom a) const;

  /// The charges that bonds or labels tell, and how many atoms could be without a proton that is
  /// not written.
  struct NetCharge {
    int sum = 0;
    int acids = 0;
    int charged = 0;   ///< atoms, whatever their sign
    int partners = 0;  ///< the acids beside a positive atom, as in nitro, and lone halogens
    /// From 0, with the help of the acids.
    [[nodiscard]] int distance() const { return sum < 0 ? -sum : std::max(0, sum - acids); }
    /// Positive charges that far acids must balance.
    [[nodiscard]] int far() const { return std::max(0, sum - partners); }
  };
  [[nodiscard]] NetCharge net_charge(const MoleculeSketch& sketch) const;

  /// In a Kekulé form; its aromatic flags are as the graph says. Unset: labels that are none, or no
  /// Kekulé form.
  [[nodiscard]] std::optional<MoleculeSketch> sketch(const Graph& graph) const;

 private:
  static constexpr std::uint32_t kValences = 16;
  MoleculeRules() = default;

  void fill_states();
  [[nodiscard]] int charge_of(Label label, int valence) const;
  [[nodiscard]] bool has_known_labels(const Graph& graph) const;
  [[nodiscard]] MoleculeSketch raw_sketch(const Graph& graph) const;
  [[nodiscard]] bool find_kekule_form(MoleculeSketch& sketch, Aromatic labels) const;
  static void choose_double_bonds(MoleculeSketch& sketch, const Graph& graph);
  static bool pair_the_rest(const MoleculeSketch& sketch, const std::vector<std::uint32_t>& bonds,
                            const std::vector<bool>& is_done,
                            std::vector<MoleculeSketch::Atom>& mate, MoleculeSketch::Atom u,
                            MoleculeSketch::Atom v);
  [[nodiscard]] bool may_be_paired(const MoleculeSketch& sketch, MoleculeSketch::Atom a) const;
  [[nodiscard]] bool may_be_alone(const MoleculeSketch& sketch, MoleculeSketch::Atom a) const;
  [[nodiscard]] Graph with_bonds(const Graph& graph, const MoleculeSketch& sketch,
                                 const std::vector<bool>& aromatic) const;
  /// The canonical graph, if the aromatic labels, so understood, have a Kekulé form.
  [[nodiscard]] std::optional<Graph> perceived(const Graph& graph, Aromatic labels,
                                               bool neutral) const;
  /// 2: beside a positive atom; 1: another acid; 0: none.
  [[nodiscard]] int acidity(const MoleculeSketch& sketch, MoleculeSketch::Atom a) const;
  /// By atom; with the protons that acids lack.
  [[nodiscard]] std::vector<int> charges_of(const MoleculeSketch& sketch) const;
  [[nodiscard]] std::string why_impossible(const MoleculeSketch& sketch,
                                           MoleculeSketch::Atom a) const;
  /// Null: no bond is called otherwise than it should be.
  [[nodiscard]] const MoleculeSketch::BondData* misnamed_bond(const MoleculeSketch& sketch) const;

  std::vector<RuledAtom> atoms_;
  std::vector<Bond> bonds_;
  std::array<std::optional<Label>, 5> bond_labels_ = {};
  std::optional<Label> hydrogen_;
  Charges charges_ = Charges::kFromBonds;
  std::vector<AtomState> states_;  ///< label, valence
};

}  // namespace fewedits
