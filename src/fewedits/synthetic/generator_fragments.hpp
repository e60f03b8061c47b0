// SPDX-License-Identifier: MIT
// The building blocks of generated molecules: declarative tables of ring systems, chains and
// groups, written in a small subset of SMILES. Internal to the generator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "fewedits/base/rng.hpp"
#include "fewedits/graph/graph.hpp"

namespace fewedits::generator {

/// Node labels: the values and the order of Mutagenicity's table.
enum Element : Label { kC, kO, kCl, kH, kN, kF, kBr, kS, kP, kI, kElementCount };
/// Edge labels, likewise: bond order minus one.
enum BondLabel : Label { kSingle, kDouble, kTriple, kBondCount };

/// Which atoms of the growing molecule take a fragment. All are carbons with a free valence.
enum class Anchor : std::uint8_t {
  kCarbon,
  kSaturated,  ///< no multiple bond: sp3
  kBenzene,    ///< member of an all-carbon aromatic six-ring
};

struct FragmentAtom {
  Element element = kC;
  std::uint8_t open = 0;  ///< free valences: bonds still to make, else hydrogens
  bool benzene = false;   ///< written in lower case in the table
  bool saturated = true;  ///< has single bonds only
  bool polar = false;     ///< bonded to an atom other than carbon
};

struct Fragment {
  std::vector<FragmentAtom> atoms;
  std::vector<Edge> bonds;
  std::uint64_t weight = 0;
  Anchor anchor = Anchor::kCarbon;
  /// Number of atoms once the open valences carry hydrogens.
  std::size_t size = 0;
};

/// Fragments with weights; pick() draws one in proportion.
class FragmentTable {
 public:
  struct Row {
    std::string_view smiles;
    std::uint64_t weight;
    Anchor anchor = Anchor::kCarbon;
  };
  explicit FragmentTable(std::span<const Row> rows);
  [[nodiscard]] const Fragment& pick(Rng& rng) const;

 private:
  std::vector<Fragment> fragments_;
  std::uint64_t total_weight_ = 0;
};

/// Molecules start with one of these.
const FragmentTable& scaffolds();
/// Joined by any of their open carbons.
const FragmentTable& rings();
/// Joined by their first atom.
const FragmentTable& chains();
const FragmentTable& oxygen_groups();
const FragmentTable& rare_groups();  ///< halogens, sulphur, phosphorus
/// Nitrogen groups that are no motif: what a graph of the desired class has instead of one.
const FragmentTable& nitrogen_decoys();
/// The motifs: nitro goes anywhere, the amine on benzene rings.
const Fragment& nitro_group();
const Fragment& aromatic_amine_group();

}  // namespace fewedits::generator
