// SPDX-License-Identifier: MIT
// Charges that pictures show though labels do not tell them.
#pragma once

#include <vector>

#include "fewedits/chem/molecule_rules.hpp"

namespace fewedits {

/// By node, what the bonds tell (nitro, ammonium); empty where labels tell charges, where there are
/// no bonds to tell any, or no rules.
std::vector<int> bond_charges(const MoleculeRules* rules, const Graph& graph);

}  // namespace fewedits
