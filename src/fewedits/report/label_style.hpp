// SPDX-License-Identifier: MIT
// How node labels look: a short name and a colour each, for light and for dark paper.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace fewedits {

struct LabelStyle {
  std::string name;
  /// Fits into a node; no two labels share one. Empty where graphs have no labels to speak of: a
  /// single one that has no name.
  std::string short_name;
  std::string light;  ///< "#rrggbb" on white
  std::string dark;   ///< on black
};

/// As in N⁺ and Fe²⁺; empty for 0.
std::string superscript(int charge);

/// For element symbols (`molecules`) the customary colours, else up to eight that colour-blind
/// people can tell apart (Okabe & Ito 2008), over and over: the short name tells the rest.
std::vector<LabelStyle> label_styles(std::span<const std::string> names, bool molecules);

/// By label of an edge: 1, 2, 3, or 4 for aromatic; 1 where the name says nothing.
std::vector<int> bond_orders(std::span<const std::string> edge_names);

}  // namespace fewedits
