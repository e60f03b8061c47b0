// SPDX-License-Identifier: MIT
#include "fewedits/edit/molecule_change.hpp"

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

void add_bond(MoleculeSketch& sketch, MoleculeSketch::Atom a, MoleculeSketch::Atom b,
              std::uint8_t order) {
  sketch.bonds.push_back({a, b, 0});
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
  if (change.bond != MoleculeSketch::kNone) before.bond = sketch.bonds[change.bond];
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
    case Kind::kOpen:
      set_order(sketch, change.bond, 0);
      std::erase(sketch.atoms[change.a].bonds, change.bond);
      std::erase(sketch.atoms[change.b].bonds, change.bond);
      break;
    case Kind::kOrder: set_order(sketch, change.bond, change.order); break;
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
  if (change.bond != MoleculeSketch::kNone) sketch.bonds[change.bond] = before.bond;
}

}  // namespace fewedits
