// SPDX-License-Identifier: MIT
// The neighbours of a molecule in the edit map, as steps: what a chemist would call one change,
// with the hydrogens and the aromatic bonds that follow from it (docs/adr/0016).
//
//   - an atom becomes another element (C to N, with a hydrogen less);
//   - hydrogens are replaced by an atom with its own hydrogens, at a single, double or triple bond,
//     or an atom with room gets one (S to S=O, N to N+ and O−);
//   - an atom with one neighbour goes, and hydrogens take its place;
//   - a bond becomes a double bond, or a single one, and so on;
//   - a ring closes, or opens.
//
// A valid molecule gets valid neighbours, all canonical. Of others (inputs may be damaged) a step
// leaves the damage as it is, or mends what it touches; where an atom lacks hydrogens, or has a
// charge that nothing balances, a step that mends just that is among them.
//
// Charges come only where nothing neutral does, and in pairs of neighbours. Rings of less than
// eight atoms get no triple bond, and no two double bonds at one carbon; atoms get more bonds than
// their element usually has only by double bonds to oxygen, sulphur and nitrogen; metals do not
// come.
#pragma once

#include <vector>

#include "fewedits/chem/molecule_rules.hpp"
#include "fewedits/edit/edit.hpp"
#include "fewedits/edit/neighbours.hpp"

namespace fewedits {

/// Of a canonical graph (MoleculeRules::canonical); none of graphs with foreign labels, or whose
/// aromatic bonds have no Kekulé form. Symmetry and frozen nodes are as in `neighbours`; numbers of
/// labels are the rules' own. A frozen node's hydrogens may change, if they are not frozen.
/// allowed_labels: may nodes get that label, by label; empty: all. What goes is removed last, so
/// that all other edits name nodes as the graph does.
std::vector<Step> molecule_steps(const Graph& molecule, const MoleculeRules& rules,
                                 const NeighbourOptions& options = {},
                                 const std::vector<bool>& allowed_labels = {});

}  // namespace fewedits
