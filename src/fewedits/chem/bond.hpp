// SPDX-License-Identifier: MIT
// Bonds of molecules and their names in datasets.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace fewedits {

/// The values stored in RawDataset::edge_labels of molecule files. The first three are bond orders.
enum class Bond : int { kSingle = 1, kDouble = 2, kTriple = 3, kAromatic = 4 };

inline constexpr std::array<std::string_view, 4> kBondNames = {"single", "double", "triple",
                                                               "aromatic"};

constexpr std::string_view name_of(Bond bond) {
  return kBondNames[static_cast<std::size_t>(bond) - 1];
}

/// None for other names.
constexpr std::optional<Bond> bond_of(std::string_view name) {
  for (std::size_t i = 0; i < kBondNames.size(); ++i) {
    if (kBondNames[i] == name) return static_cast<Bond>(i + 1);
  }
  return std::nullopt;
}

}  // namespace fewedits
