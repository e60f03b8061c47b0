// SPDX-License-Identifier: MIT
// Where RDKit finds patterns: a referee of chem/atom_pattern and of the table of functional groups.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "fewedits/chem/molecule_rules.hpp"

namespace fewedits::test {

using NodeSets = std::set<std::vector<Node>>;

struct AskedPattern {
  std::string smarts;
  std::size_t own = 0;  ///< nodes of the pattern, the first ones, that tell matches apart
};

/// By pattern, the nodes of each match, ascending. `kekule_form` has single, double and triple
/// bonds. Empty if RDKit refuses the molecule. Throws for what RDKit cannot read.
std::vector<NodeSets> rdkit_matches(const Graph& kekule_form, const MoleculeRules& rules,
                                    const std::vector<AskedPattern>& patterns);

}  // namespace fewedits::test
