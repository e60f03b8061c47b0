// SPDX-License-Identifier: MIT
#include "fewedits/edit/molecule_strain.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace fewedits {
namespace {

using Atom = MoleculeSketch::Atom;
constexpr Atom kNone = MoleculeSketch::kNone;

class Rings {
 public:
  Rings(const MoleculeSketch& sketch, const MoleculeRules& rules)
      : sketch_(sketch), rules_(rules) {}

  bool is_in_triangle(Atom a) const {
    const auto& bonds = sketch_.atoms[a].bonds;
    return std::any_of(bonds.begin(), bonds.end(), [&](std::uint32_t bond) {
      return are_joined(a, sketch_.other(bond, a), 2, [](auto) { return true; });
    });
  }

  /// Rings of three atoms that have double bonds, and of four with one in the ring, do not come.
  bool is_tight(const MoleculeChange& change) const {
    if (change.kind == MoleculeChange::Kind::kOrder && change.order == 1) return false;
    const auto has_multiple = [&](Atom a) {
      const auto& bonds = sketch_.atoms[a].bonds;
      return std::any_of(bonds.begin(), bonds.end(),
                         [&](std::uint32_t b) { return sketch_.bonds[b].order > 1; });
    };
    const bool ends = has_multiple(change.a) || has_multiple(change.b);
    const auto in_triangle = [&](const auto& way) {
      return ends || has_multiple(sketch_.other(way[0], change.a));
    };
    const auto in_square = [&](const auto& way) {
      return change.order > 1 || std::any_of(way.begin(), way.end(), [&](std::uint32_t b) {
               return sketch_.bonds[b].order > 1 || sketch_.bonds[b].aromatic;
             });
    };
    return are_joined(change.a, change.b, 2, in_triangle) ||
           are_joined(change.a, change.b, 3, in_square);
  }

  /// By so many bonds, 2 or 3, one after the other, that pass?
  template <typename Passes>
  bool are_joined(Atom a, Atom b, std::size_t length, const Passes& passes) const {
    for (const std::uint32_t first : sketch_.atoms[a].bonds) {
      const Atom x = sketch_.other(first, a);
      if (x == b) continue;
      for (const std::uint32_t second : sketch_.atoms[x].bonds) {
        const Atom y = sketch_.other(second, x);
        if (y == a) continue;
        if (length == 2) {
          if (y == b && passes(std::array{first, second})) return true;
          continue;
        }
        if (y == b) continue;
        for (const std::uint32_t third : sketch_.atoms[y].bonds) {
          if (sketch_.other(third, y) == b && passes(std::array{first, second, third})) return true;
        }
      }
    }
    return false;
  }

  /// A triple bond, or a carbon between two double bonds, is straight: it takes eight atoms to get
  /// around it.
  bool has_strained_ring() const {
    constexpr std::uint32_t kLargestStrained = 7;
    constexpr int kCarbon = 6;
    for (const MoleculeSketch::BondData& bond : sketch_.bonds) {
      if (bond.order == 3 && are_near(bond.a, bond.b, kNone, kLargestStrained - 1)) return true;
    }
    for (Atom a = 0; a < sketch_.atoms.size(); ++a) {
      const auto& atom = sketch_.atoms[a];
      if (rules_.atom(atom.label).element->number != kCarbon || sketch_.doubles_at(a) < 2) continue;
      for (const std::uint32_t x : atom.bonds) {
        for (const std::uint32_t y : atom.bonds) {
          if (x >= y || sketch_.bonds[x].order != 2 || sketch_.bonds[y].order != 2) continue;
          if (are_near(sketch_.other(x, a), sketch_.other(y, a), a, kLargestStrained - 2))
            return true;
        }
      }
    }
    return false;
  }

  /// Is there a way of at most so many bonds, beside the bond that the two may have and around a
  /// third atom?
  bool are_near(Atom from, Atom to, Atom around, std::uint32_t most) const {
    std::vector<bool> seen(sketch_.atoms.size(), false);
    seen[from] = true;
    if (around != kNone) seen[around] = true;
    std::vector<Atom> here = {from};
    for (std::uint32_t length = 1; length <= most && !here.empty(); ++length) {
      std::vector<Atom> next;
      for (const Atom a : here) {
        for (const std::uint32_t bond : sketch_.atoms[a].bonds) {
          const Atom b = sketch_.other(bond, a);
          if (seen[b] || (a == from && b == to && length == 1)) continue;
          if (b == to) return true;
          seen[b] = true;
          next.push_back(b);
        }
      }
      here = std::move(next);
    }
    return false;
  }

  const MoleculeSketch& sketch_;
  const MoleculeRules& rules_;
};

}  // namespace

bool has_strained_ring(const MoleculeSketch& sketch, const MoleculeRules& rules) {
  return Rings(sketch, rules).has_strained_ring();
}

bool brings_strain(const MoleculeChange& change, const MoleculeSketch& sketch,
                   const MoleculeRules& rules, bool was_strained) {
  const Rings rings(sketch, rules);
  if (change.kind == MoleculeChange::Kind::kSubstitute && change.order > 1)
    return rings.is_in_triangle(change.a);
  if (change.kind == MoleculeChange::Kind::kInsert) {
    // Rings only become larger, but a triangle's rules are not those of a square.
    MoleculeChange to_new_atom = change;
    to_new_atom.b = static_cast<Atom>(sketch.atoms.size()) - 1;
    return rings.is_tight(to_new_atom);
  }
  if (change.kind != MoleculeChange::Kind::kOrder && change.kind != MoleculeChange::Kind::kClose &&
      change.kind != MoleculeChange::Kind::kContract) {
    return false;
  }
  return rings.is_tight(change) || (!was_strained && rings.has_strained_ring());
}

}  // namespace fewedits
