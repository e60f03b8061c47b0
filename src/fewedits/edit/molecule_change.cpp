// SPDX-License-Identifier: MIT
#include "fewedits/edit/molecule_change.hpp"

#include <algorithm>
#include <vector>

namespace fewedits {
namespace {

void set_order(MoleculeSketch& sketch, std::uint32_t i, std::uint8_t order) {
  MoleculeSketch::BondData& bond = sketch.bonds[i];
  for (const auto a : {bond.a, bond.b}) {
    sketch.atoms[a].bond_sum += order;
    sketch.atoms[a].bond_sum -= bond.order;
  }
  bond.order = order;
}

/// Its place stays, with order 0.
void remove_bond(MoleculeSketch& sketch, std::uint32_t i) {
  set_order(sketch, i, 0);
  std::erase(sketch.atoms[sketch.bonds[i].a].bonds, i);
  std::erase(sketch.atoms[sketch.bonds[i].b].bonds, i);
}

void add_bond(MoleculeSketch& sketch, MoleculeSketch::Atom a, MoleculeSketch::Atom b,
              std::uint8_t order) {
  sketch.bonds.push_back({std::min(a, b), std::max(a, b), 0});
  const auto bond = static_cast<std::uint32_t>(sketch.bonds.size()) - 1;
  sketch.atoms[a].bonds.push_back(bond);
  sketch.atoms[b].bonds.push_back(bond);
  set_order(sketch, bond, order);
}

}  // namespace

BeforeChange save(const MoleculeSketch& sketch, const MoleculeChange& change) {
  BeforeChange before{
      .a = sketch.atoms[change.a], .atoms = sketch.atoms.size(), .bonds = sketch.bonds.size()};
  if (change.b != MoleculeSketch::kNone) before.b = sketch.atoms[change.b];
  if (change.c != MoleculeSketch::kNone) before.c = sketch.atoms[change.c];
  if (change.bond != MoleculeSketch::kNone) before.bond = sketch.bonds[change.bond];
  if (change.other_bond != MoleculeSketch::kNone) {
    before.other_bond = sketch.bonds[change.other_bond];
  }
  return before;
}

void make(const MoleculeChange& change, Node new_node, MoleculeSketch& sketch) {
  using Kind = MoleculeChange::Kind;
  switch (change.kind) {
    case Kind::kElement:
    case Kind::kMend: break;
    case Kind::kSubstitute:
      sketch.atoms.push_back({.label = change.label, .node = new_node});
      add_bond(sketch, change.a, static_cast<MoleculeSketch::Atom>(sketch.atoms.size()) - 1,
               change.order);
      break;
    case Kind::kClose: add_bond(sketch, change.a, change.b, change.order); break;
    case Kind::kRemove: sketch.atoms[change.b].is_gone = true; [[fallthrough]];
    case Kind::kOpen: remove_bond(sketch, change.bond); break;
    case Kind::kOrder: set_order(sketch, change.bond, change.order); break;
    case Kind::kShift:
      remove_bond(sketch, change.bond);
      add_bond(sketch, change.b, change.c, change.order);
      break;
    case Kind::kInsert: {
      const auto between = static_cast<MoleculeSketch::Atom>(sketch.atoms.size());
      sketch.atoms.push_back({.label = change.label, .node = new_node});
      remove_bond(sketch, change.bond);
      add_bond(sketch, change.a, between, change.order);
      add_bond(sketch, change.b, between, change.order);
      break;
    }
    case Kind::kContract:
      sketch.atoms[change.c].is_gone = true;
      remove_bond(sketch, change.bond);
      remove_bond(sketch, change.other_bond);
      add_bond(sketch, change.a, change.b, change.order);
      break;
  }
}

void set(MoleculeSketch::Atom a, const AtomOutcome& outcome, MoleculeSketch& sketch) {
  sketch.atoms[a].label = outcome.label;
  sketch.atoms[a].hydrogens.resize(outcome.hydrogens);
}

void restore(const MoleculeChange& change, const BeforeChange& before, MoleculeSketch& sketch) {
  sketch.atoms.resize(before.atoms);
  sketch.bonds.resize(before.bonds);
  sketch.atoms[change.a] = before.a;
  if (change.b != MoleculeSketch::kNone) sketch.atoms[change.b] = before.b;
  if (change.c != MoleculeSketch::kNone) sketch.atoms[change.c] = before.c;
  if (change.bond != MoleculeSketch::kNone) sketch.bonds[change.bond] = before.bond;
  if (change.other_bond != MoleculeSketch::kNone) {
    sketch.bonds[change.other_bond] = before.other_bond;
  }
}

}  // namespace fewedits
