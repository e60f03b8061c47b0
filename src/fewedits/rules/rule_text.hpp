// SPDX-License-Identifier: MIT
// Rules as text, for people and for `fewedits rules --try`. Like SMILES, with what changes written
// as before>after:
//
//   [C>P]              a carbon becomes phosphorus
//   O-[>Na]            an oxygen gets a sodium
//   C-[Cl>]            a chlorine at a carbon goes
//   C{=>-}O            the double bond of a carbonyl group becomes a single one
//   C1-C-C-C{>-}1      four carbons in a chain close to a ring
//
// Atoms are names of labels: letters as they are, anything else in brackets ("\" before ">", "]"
// and "\"). Bonds: - = # : for those called single, double, triple and aromatic, else {name}; - for
// edges without labels. Edges of nodes that come or go come and go, too. Parentheses branch, and
// digits close rings, as in SMILES.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fewedits/rules/rule.hpp"

namespace fewedits {

struct RuleNames {
  std::vector<std::string> nodes;  ///< by label
  std::vector<std::string> edges;  ///< by label; empty: edges have none
};

std::string rule_text(const Rule& rule, const RuleNames& names);
/// Of nodes and edges that are connected, whether or not they are a rule.
std::string pattern_text(const std::vector<RuleNode>& nodes, const std::vector<RuleEdge>& edges,
                         const RuleNames& names);
/// Throws Error naming the text and what is wrong.
Rule parse_rule(std::string_view text, const RuleNames& names);

}  // namespace fewedits
