// SPDX-License-Identifier: MIT
#include "fewedits/edit/atom_choices.hpp"

#include <algorithm>

namespace fewedits {
namespace {

using Atom = MoleculeSketch::Atom;
constexpr Atom kNone = MoleculeSketch::kNone;

}  // namespace

AtomOutcomes AtomChoices::outcomes(Atom a, Label label, std::uint32_t bond_sum) const {
  AtomOutcomes found;
  if (rules_.charges() == MoleculeRules::Charges::kFromBonds) {
    add_outcomes(a, label, bond_sum, found);
    return found;
  }
  for (Label l = 0; l < rules_.num_labels(); ++l) {
    const bool keeps = a != kNone && l == sketch_.atoms[a].label;
    if (is_same_element(l, label) && (keeps || is_allowed(l))) add_outcomes(a, l, bond_sum, found);
  }
  return found;
}

void AtomChoices::add_outcomes(Atom a, Label label, std::uint32_t bond_sum,
                               AtomOutcomes& found) const {
  const bool is_itself = a != kNone && label == sketch_.atoms[a].label;
  const auto written =
      a == kNone ? 0 : static_cast<std::uint32_t>(sketch_.atoms[a].hydrogens.size());
  if (!rules_.writes_hydrogens()) {
    const auto state = rules_.state(label, bond_sum);
    const auto is_hydride = [&](std::uint32_t sum) {
      const auto implied = rules_.state(label, sum).hydrogens;
      return implied > 0 && is_expanded(label, sum + implied);
    };
    const bool was_hydride = is_itself && is_hydride(sketch_.atoms[a].bond_sum);
    if (state.possible && (was_hydride || !is_hydride(bond_sum))) {
      found.add({label, 0, state.charge});
    }
    return;
  }
  // As many as would be implied, and so many that it is charged.
  bool has_neutral = false;
  bool has_plus = false;
  bool has_minus = false;
  for (std::uint32_t h = 0; h <= 4; ++h) {
    const auto state = rules_.state(label, bond_sum + h);
    bool& known = state.charge == 0 ? has_neutral : state.charge > 0 ? has_plus : has_minus;
    if (!state.possible || known) continue;
    const bool is_hydride = is_expanded(label, bond_sum + h) && !(is_itself && h <= written);
    if (h > 0 && (state.charge < 0 || is_hydride)) continue;
    known = true;
    found.add({label, h, state.charge});
  }
  if (a == kNone && is_carbanion(label, bond_sum)) found.add({label, 0, -1});
  const auto state = rules_.state(label, bond_sum + written);
  if (is_itself && state.possible) found.add({label, written, state.charge});
}

bool AtomChoices::is_expanded(Label label, std::uint32_t valence) const {
  const int charge = rules_.state(label, valence).charge;
  const auto usual = implied_hydrogens(*rules_.atom(label).element, charge, 0);
  return usual && static_cast<int>(valence) > *usual;
}

bool AtomChoices::is_carbanion(Label label, std::uint32_t bond_sum) const {
  constexpr int kCarbon = 6;
  return rules_.atom(label).element->number == kCarbon && bond_sum == 3 &&
         rules_.charges() == MoleculeRules::Charges::kFromBonds;
}

bool AtomChoices::is_odd(Atom a, Label label, std::size_t hydrogens, Atom other,
                         Label other_label) const {
  constexpr int kNitrogen = 7;
  const Element& element = *rules_.atom(label).element;
  const auto valence = sketch_.atoms[a].bond_sum + static_cast<std::uint32_t>(hydrogens);
  if (element.outer < 5 || element.outer > 7 || !is_expanded(label, valence)) return false;
  const int usual = *implied_hydrogens(element, rules_.state(label, valence).charge, 0);
  int excess = static_cast<int>(valence) - usual;
  for (const std::uint32_t bond : sketch_.atoms[a].bonds) {
    const Atom b = sketch_.other(bond, a);
    const Element& far = *rules_.atom(b == other ? other_label : sketch_.atoms[b].label).element;
    const bool takes = far.outer == 6 || far.number == kNitrogen;
    // Which bonds of a ring are double is no property of the molecule.
    const bool is_double = sketch_.bonds[bond].order == 2 && !sketch_.bonds[bond].aromatic;
    if (is_double && takes) excess -= 2;
  }
  return excess > 0;
}

bool AtomChoices::is_paired(Atom a, const AtomOutcome& outcome,
                            const MoleculeSketch::AtomData* before) const {
  if (outcome.charge == 0) return true;
  if (before != nullptr && before->label == outcome.label) {
    const auto hydrogens = static_cast<std::uint32_t>(before->hydrogens.size());
    const int charge = rules_.state(before->label, before->bond_sum + hydrogens).charge;
    if (charge == outcome.charge) return true;
  }
  const auto& bonds = sketch_.atoms[a].bonds;
  return std::any_of(bonds.begin(), bonds.end(), [&](std::uint32_t bond) {
    const Atom b = sketch_.other(bond, a);
    return outcome.charge > 0 ? are_partners(a, b, bond) : are_partners(b, a, bond);
  });
}

bool AtomChoices::are_partners(Atom plus, Atom minus, std::uint32_t bond) const {
  constexpr int kCarbon = 6;
  constexpr int kNitrogen = 7;
  const auto& end = sketch_.atoms[minus];
  if (rules_.atom(sketch_.atoms[plus].label).element->number != kNitrogen) return false;
  if (end.bonds.size() != 1 || rules_.state(sketch_, plus).charge <= 0) return false;
  // Where hydrogens are implied, so is the lost proton.
  const bool is_hidden =
      !rules_.writes_hydrogens() && rules_.charges() == MoleculeRules::Charges::kFromBonds;
  if (!is_hidden && rules_.state(sketch_, minus).charge >= 0) return false;
  const Element& element = *rules_.atom(end.label).element;
  const int order = sketch_.bonds[bond].order;
  if (element.outer == 6) return order == 1;
  if (element.number == kNitrogen) return order == 2 && sketch_.doubles_at(plus) == 2;
  return element.number == kCarbon && order == 3;
}

}  // namespace fewedits
