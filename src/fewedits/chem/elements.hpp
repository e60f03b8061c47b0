// SPDX-License-Identifier: MIT
// The chemical elements by symbol, and how many bonds their atoms have.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace fewedits {

struct Element {
  std::string_view symbol;
  std::uint8_t number = 0;
  /// Electrons of the outer shell.
  std::uint8_t outer = 0;
  /// Sums of bond orders that a neutral atom may have, ascending, hydrogens counted; none: any.
  std::array<std::uint8_t, 4> valence_table = {};
  std::uint8_t num_valences = 0;
  /// Larger sums are possible, too.
  bool unlimited = false;

  [[nodiscard]] std::span<const std::uint8_t> valences() const {
    return std::span(valence_table).first(num_valences);
  }
};

/// By symbol ("C", "Cl"); null if there is none.
const Element* find_element(std::string_view symbol);
/// By atomic number, 1 to 118; null for others.
const Element* find_element(int number);

/// Unpaired electrons of an atom none of whose hydrogens are implied; unset: it cannot have so many
/// bonds. RDKit's rules (MolOps::assignRadicals, Atom::calcExplicitValence).
std::optional<int> unpaired_electrons(const Element& element, int charge, int bond_sum);
/// The fewest hydrogens that give an atom an allowed valence; unset: it cannot have so many bonds.
/// RDKit's rules (Atom::calcImplicitValence).
std::optional<int> implied_hydrogens(const Element& element, int charge, int bond_sum);

}  // namespace fewedits
