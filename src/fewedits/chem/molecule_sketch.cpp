// SPDX-License-Identifier: MIT
#include "fewedits/chem/molecule_sketch.hpp"

#include <utility>

namespace fewedits {

std::uint32_t MoleculeSketch::doubles_at(Atom a) const {
  std::uint32_t count = 0;
  for (const std::uint32_t b : atoms[a].bonds) count += bonds[b].order == 2 ? 1U : 0U;
  return count;
}

DoubleBonds::DoubleBonds(const MoleculeSketch& sketch)
    : point_of_(sketch.atoms.size(), kNone),
      line_of_(sketch.bonds.size(), kNone),
      num_bonds_(sketch.bonds.size()),
      pairing_(0, {}) {
  std::vector<std::uint32_t> doubles(sketch.atoms.size(), 0);
  for (const auto& bond : sketch.bonds) {
    if (bond.order != 2) continue;
    ++doubles[bond.a];
    ++doubles[bond.b];
  }
  std::uint32_t points = 0;
  for (const auto& bond : sketch.bonds) {
    if (bond.order != 2 || doubles[bond.a] != 1 || doubles[bond.b] != 1) continue;
    point_of_[bond.a] = points++;
    point_of_[bond.b] = points++;
  }
  std::vector<Pairing::Line> lines;
  for (std::uint32_t b = 0; b < num_bonds_; ++b) {
    const auto& bond = sketch.bonds[b];
    if (bond.order < 1 || bond.order > 2 || !contain(bond.a) || !contain(bond.b)) continue;
    line_of_[b] = static_cast<std::uint32_t>(lines.size());
    bond_of_.push_back(b);
    was_aromatic_.push_back(bond.aromatic);
    lines.emplace_back(point_of_[bond.a], point_of_[bond.b]);
  }
  pairing_ = Pairing(points, lines);
  for (std::size_t l = 0; l < lines.size(); ++l) {
    if (sketch.bonds[bond_of_[l]].order == 2) pairing_.pair(lines[l].first, lines[l].second);
  }
}

std::vector<bool> DoubleBonds::aromatic(After after) {
  using Known = Pairing::Known;
  std::vector<Known> known(bond_of_.size(), Known::kNothing);
  for (std::size_t l = 0; l < known.size(); ++l) {
    if (after == After::kBondMore && was_aromatic_[l]) known[l] = Known::kAlternating;
    if (after == After::kBondLess && !was_aromatic_[l]) known[l] = Known::kNot;
  }
  std::vector<bool> found(num_bonds_, false);
  const std::vector<bool> lines = pairing_.alternating(known);
  for (std::size_t l = 0; l < lines.size(); ++l) found[bond_of_[l]] = lines[l];
  return found;
}

bool DoubleBonds::force(std::uint32_t bond, std::uint32_t order) {
  return line_of_[bond] != kNone && pairing_.force(line_of_[bond], order == 2);
}

void DoubleBonds::write_to(MoleculeSketch& sketch) const {
  for (const std::uint32_t b : bond_of_) {
    auto& bond = sketch.bonds[b];
    const bool is_pair = pairing_.mate(point_of_[bond.a]) == point_of_[bond.b];
    bond.order = is_pair ? 2 : 1;
  }
}

}  // namespace fewedits
