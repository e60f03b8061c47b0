// SPDX-License-Identifier: MIT
// What chemists ask of the atoms of a molecule: hydrogens (written or implied) counted at their
// atoms, charges, bonds in a Kekulé form, rings, and which atoms are aromatic as textbooks mean it:
// furan and pyridone, too (chem/molecule_sketch has a narrower idea, for which bonds are equal).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fewedits/chem/molecule_rules.hpp"
#include "fewedits/graph/graph.hpp"

namespace fewedits {

struct MoleculeFacts {
  using Atom = std::uint32_t;

  struct BondFact {
    Atom to = 0;
    std::uint8_t order = 1;  ///< 1, 2 or 3; 0: nobody knows
    bool is_aromatic = false;
    bool is_in_ring = false;
  };
  struct AtomFact {
    Node node = 0;
    int number = 0;  ///< of its element
    int charge = 0;
    std::uint32_t hydrogens = 0;
    bool is_aromatic = false;
    bool is_in_ring = false;
    std::vector<BondFact> bonds = {};  ///< to heavy atoms, mostly: hydrogens that are counted not

    /// Neighbours, hydrogens counted.
    [[nodiscard]] std::uint32_t neighbours() const {
      return static_cast<std::uint32_t>(bonds.size()) + hydrogens;
    }
  };
  std::vector<AtomFact> atoms;
  /// By node, the hydrogens that are counted at an atom of these.
  std::vector<std::vector<Node>> hydrogens_of;

  /// Unset: it has labels that are none, or aromatic bonds without a Kekulé form.
  static std::optional<MoleculeFacts> of(const Graph& graph, const MoleculeRules& rules);
  /// Where no bond has a known order: elements and who is next to whom; no atom is called aromatic,
  /// and only hydrogens that are written are counted. Unset: it has labels that are none.
  static std::optional<MoleculeFacts> without_bonds(const Graph& graph, const MoleculeRules& rules);
};

}  // namespace fewedits
