// SPDX-License-Identifier: MIT
// What an atom of a molecule may become when its bonds change: with how many hydrogens, and which
// charge. Stricter than MoleculeRules: what chemists do not draw is left out. Internal to
// molecule_steps.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "fewedits/chem/molecule_rules.hpp"
#include "fewedits/edit/molecule_change.hpp"

namespace fewedits {

/// Few, so no heap.
class AtomOutcomes {
 public:
  void add(const AtomOutcome& one) {
    for (std::size_t i = 0; i < size_; ++i) {
      if (all_[i].label == one.label && all_[i].hydrogens == one.hydrogens) return;
    }
    if (size_ < all_.size()) all_[size_++] = one;
  }
  [[nodiscard]] const AtomOutcome* begin() const { return all_.data(); }
  [[nodiscard]] const AtomOutcome* end() const { return all_.data() + size_; }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  std::array<AtomOutcome, 16> all_ = {};
  std::size_t size_ = 0;
};

/// Of a sketch that is being changed. All arguments must outlive it.
class AtomChoices {
 public:
  AtomChoices(const MoleculeRules& rules, const MoleculeSketch& sketch,
              const std::vector<bool>& allowed_labels)
      : rules_(rules), sketch_(sketch), allowed_(allowed_labels) {}

  [[nodiscard]] bool is_same_element(Label a, Label b) const {
    return rules_.atom(a).element == rules_.atom(b).element;
  }
  /// What an atom with bonds of some sum can be, as `label` or as a label of that element with
  /// another charge. `a`: kNone for a new one.
  [[nodiscard]] AtomOutcomes outcomes(MoleculeSketch::Atom a, Label label,
                                      std::uint32_t bond_sum) const;
  /// Has it more bonds than the element usually has, and not because of double bonds to oxygen,
  /// sulphur or nitrogen (sulphur with four methyl groups)? `other` has another label now, unless
  /// it is kNone.
  [[nodiscard]] bool is_odd(MoleculeSketch::Atom a, Label label, std::size_t hydrogens,
                            MoleculeSketch::Atom other = MoleculeSketch::kNone,
                            Label other_label = 0) const;
  /// Is a new charge one of nitro groups and N-oxides, of azides and diazo groups, or of
  /// isonitriles: a positive nitrogen beside its partner? `before`: null if there was no charge.
  [[nodiscard]] bool is_paired(MoleculeSketch::Atom a, const AtomOutcome& outcome,
                               const MoleculeSketch::AtomData* before) const;

 private:
  void add_outcomes(MoleculeSketch::Atom a, Label label, std::uint32_t bond_sum,
                    AtomOutcomes& found) const;
  /// More bonds than the element usually has: such an atom gets no hydrogens (no SH4).
  [[nodiscard]] bool is_expanded(Label label, std::uint32_t valence) const;
  /// An isonitrile's, where bonds tell the charges.
  [[nodiscard]] bool is_carbanion(Label label, std::uint32_t bond_sum) const;
  [[nodiscard]] bool are_partners(MoleculeSketch::Atom plus, MoleculeSketch::Atom minus,
                                  std::uint32_t bond) const;
  [[nodiscard]] bool is_allowed(Label label) const { return allowed_.empty() || allowed_[label]; }

  const MoleculeRules& rules_;
  const MoleculeSketch& sketch_;
  const std::vector<bool>& allowed_;
};

}  // namespace fewedits
