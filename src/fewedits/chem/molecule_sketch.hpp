// SPDX-License-Identifier: MIT
// A molecule as chemists draw it: hydrogens that the graph writes are counted at their atoms, and
// the bonds have one of the molecule's Kekulé forms. It can be changed, and says which of its bonds
// are aromatic.
#pragma once

#include <cstdint>
#include <vector>

#include "fewedits/chem/pairing.hpp"
#include "fewedits/graph/graph.hpp"

namespace fewedits {

struct MoleculeSketch {
  using Atom = std::uint32_t;
  static constexpr Atom kNone = ~Atom{0};

  struct BondData {
    Atom a = 0;  ///< a < b
    Atom b = 0;
    std::uint8_t order = 1;  ///< 1, 2 or 3; 0: the bond is gone
    bool aromatic = false;   ///< as the graph says
  };
  struct AtomData {
    Label label = 0;
    Node node = 0;
    bool is_gone = false;
    /// Sum of the orders of its bonds in `bonds`.
    std::uint32_t bond_sum = 0;
    /// Hydrogens that are leaves of the graph with this atom at a single bond; they are no atoms
    /// here.
    std::vector<Node> hydrogens = {};
    /// Places of its bonds in `bonds`.
    std::vector<std::uint32_t> bonds = {};
  };

  std::vector<AtomData> atoms;
  std::vector<BondData> bonds;
  /// By node; kNone for the hydrogens.
  std::vector<Atom> atom_of;

  [[nodiscard]] std::uint32_t valence(Atom a) const {
    return atoms[a].bond_sum + static_cast<std::uint32_t>(atoms[a].hydrogens.size());
  }
  [[nodiscard]] Atom other(std::uint32_t bond, Atom a) const {
    return bonds[bond].a == a ? bonds[bond].b : bonds[bond].a;
  }
  [[nodiscard]] std::uint32_t doubles_at(Atom a) const;
};

/// Atoms that have exactly one double bond, to another such atom, and the bonds between them.
/// A bond is aromatic if its order differs between two Kekulé forms of the molecule: if it lies on
/// a cycle of these bonds in which every other one is double. Rings of any size count, and no
/// electrons: benzene, pyridine and the perimeter of azulene are aromatic, furan and quinone are
/// not, because they can be written in one way only (docs/adr/0016).
class DoubleBonds {
 public:
  explicit DoubleBonds(const MoleculeSketch& sketch);

  [[nodiscard]] bool contain(MoleculeSketch::Atom a) const { return point_of_[a] != kNone; }
  /// What a change of the molecule can do to the bonds' being aromatic: a bond more makes cycles,
  /// and leaves those that there are; a bond less, or of a lower order, only breaks them.
  enum class After : std::uint8_t { kAnything, kBondMore, kBondLess };
  /// By bond of the sketch. After a change, its flags are what was true before.
  std::vector<bool> aromatic(After after = After::kAnything);
  /// Brings a bond between two of the atoms to that order, 1 or 2, in another Kekulé form; false:
  /// none has it so.
  bool force(std::uint32_t bond, std::uint32_t order);
  /// The sketch in the form that force() found.
  void write_to(MoleculeSketch& sketch) const;

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::vector<std::uint32_t> point_of_;  ///< by atom
  std::vector<std::uint32_t> bond_of_;   ///< by line
  std::vector<std::uint32_t> line_of_;   ///< by bond
  std::vector<bool> was_aromatic_;       ///< by line
  std::size_t num_bonds_ = 0;
  Pairing pairing_;
};

}  // namespace fewedits
