// SPDX-License-Identifier: MIT
// Names of parts that rules put on an atom or take from it: "nitro", "methoxy", "NH2".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fewedits/rules/rule.hpp"
#include "fewedits/rules/rule_text.hpp"

namespace fewedits {

/// Which side of a rule is looked at.
enum class RuleSide : std::uint8_t { kBefore, kAfter };

/// A part of one side of a rule that hangs on one atom: as text, the bond first, hydrogens counted,
/// branches sorted, charges left out: "-N(=O)(=O)", "-C(=O)(-OH1)". None: it has a ring, or bonds
/// without a usual name.
struct PartText {
  std::string text;
  std::vector<Node> nodes;  ///< of the rule
};
std::optional<PartText> hanging_part(const Rule& rule, const RuleNames& names, RuleSide side,
                                     Node anchor, Node first);

/// The word for it; empty: there is none. `hydrogens`: are they written where they are?
std::string_view word_of_part(std::string_view text, bool hydrogens);

}  // namespace fewedits
