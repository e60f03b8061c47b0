// SPDX-License-Identifier: MIT
// A change of a molecule's heavy atoms and bonds, made on a sketch and taken back. Internal to
// molecule_steps.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fewedits/chem/molecule_sketch.hpp"

namespace fewedits {

/// A change of the heavy atoms and bonds; what hydrogens, charges and aromatic bonds do follows.
struct MoleculeChange {
  enum class Kind : std::uint8_t {
    kElement,     ///< a becomes `label`
    kSubstitute,  ///< a gets a new neighbour with `label`, at a bond of `order`
    kRemove,      ///< b goes, whose only bond is `bond`, to a
    kOrder,       ///< `bond`, between a and b, gets `order`
    kClose,       ///< a and b get a bond of `order`
    kOpen,        ///< `bond`, between a and b, goes
    kShift,       ///< c, which `bond` joins to a, with all behind it, gets a bond to b instead
    kInsert,      ///< an atom with `label` comes between a and b, which `bond` joins
    kContract,    ///< c goes, whose only bonds are `bond`, to a, and `other_bond`, to b; they join
    kMend         ///< a gets the hydrogens or the charge that it should have
  };
  Kind kind = Kind::kElement;
  static constexpr std::uint32_t kNone = MoleculeSketch::kNone;
  MoleculeSketch::Atom a = 0;
  MoleculeSketch::Atom b = kNone;
  MoleculeSketch::Atom c = kNone;
  Label label = 0;
  std::uint8_t order = 0;
  std::uint32_t bond = kNone;
  std::uint32_t other_bond = kNone;
  /// Which bonds are aromatic may change.
  bool perceive = false;
};

/// What an atom becomes: its label, and how many hydrogens are written at it.
struct AtomOutcome {
  Label label = 0;
  std::uint32_t hydrogens = 0;
  int charge = 0;
};

/// What the atoms become that a change touches.
struct ChangeVerdict {
  AtomOutcome first;
  AtomOutcome second;
  MoleculeSketch::Atom third = MoleculeSketch::kNone;  ///< a neighbour that gives or takes a proton
  AtomOutcome of_third = {};
  int distance = 0;  ///< of the net charge from 0
  int charged = 0;   ///< atoms
};

/// What a change touches, as it was.
struct BeforeChange {
  MoleculeSketch::AtomData a = {};
  MoleculeSketch::AtomData b = {};
  MoleculeSketch::AtomData c = {};
  MoleculeSketch::BondData bond = {};
  MoleculeSketch::BondData other_bond = {};
  std::size_t atoms = 0;
  std::size_t bonds = 0;
  bool possible = false;  ///< was a?
};

/// All but `possible`.
BeforeChange save(const MoleculeSketch& sketch, const MoleculeChange& change);
/// The new atom, if there is one, is the last, and stands for `new_node`.
void make(const MoleculeChange& change, Node new_node, MoleculeSketch& sketch);
void set(MoleculeSketch::Atom a, const AtomOutcome& outcome, MoleculeSketch& sketch);
void restore(const MoleculeChange& change, const BeforeChange& before, MoleculeSketch& sketch);

}  // namespace fewedits
