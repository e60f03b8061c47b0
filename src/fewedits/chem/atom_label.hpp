// SPDX-License-Identifier: MIT
// What the label of an atom says: its element and its charge, as in the brackets of a SMILES
// without hydrogens: "C", "N+", "O-", "Fe+2". Needs no RDKit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fewedits {

struct AtomLabel {
  std::string element;  ///< a symbol, whether or not there is such an element
  int charge = 0;
  friend bool operator==(const AtomLabel&, const AtomLabel&) = default;
};

/// Charges of molecule files go from -kMaxCharge to kMaxCharge.
inline constexpr int kMaxCharge = 99;

std::string name_of(const AtomLabel& atom);

/// The atom of that name; none unless name_of would write it so: "Fe++", "N+1" and "+N" name none.
std::optional<AtomLabel> atom_of(std::string_view name);

/// Its element: all of the name but the charge, or all of it if it is not the name of an atom.
std::string_view element_of(std::string_view name);

/// The label's value in the tables of a dataset: the atomic number, for charged atoms 1,000 for
/// each charge and the atomic number, with the sign of the charge: N+ is 1007, O- is -1008, Fe+2 is
/// 2026.
std::int64_t atom_value(int atomic_number, int charge);

}  // namespace fewedits
