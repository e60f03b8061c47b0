// SPDX-License-Identifier: MIT
// RDKit as a referee of chem/molecule_rules: is what our rules call a molecule one for RDKit, and
// the other way round? For tests and bench/chemistry alone; the library judges without it.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "fewedits/base/rng.hpp"
#include "fewedits/chem/molecule_rules.hpp"

namespace fewedits::test {

/// A graph whose bonds are single, double and triple, with the charges of our rules, as RDKit sees
/// it: sanitised (but not cleaned up: what RDKit would have to rewrite is not what was meant),
/// without implied hydrogens where the labels write them.
struct RdkitVerdict {
  bool is_accepted = false;
  std::string why;             ///< it is not
  std::vector<int> hydrogens;  ///< not written, per atom
};
RdkitVerdict rdkit_verdict(const Graph& graph, const MoleculeRules& rules);

/// With the charges of our rules.
std::string smiles(const Graph& graph, const MoleculeRules& rules);

/// As RDKit names bonds aromatic by its own model; none if it refuses the molecule.
std::vector<Edge> rdkit_aromatic_edges(const Graph& graph, const MoleculeRules& rules);

/// A few random edits away from a molecule: mostly none, often one. Its bonds are single, double
/// and triple.
Graph random_neighbour(const Graph& molecule, const MoleculeRules& rules, Rng& rng);

/// The two judges on many graphs.
struct Agreement {
  std::size_t graphs = 0;
  std::size_t valid = 0;     ///< for us
  std::size_t accepted = 0;  ///< by RDKit
  std::size_t agree = 0;
  std::size_t other_hydrogens = 0;  ///< both say yes, but do not imply the same hydrogens
  /// By kind: what we say and what RDKit says.
  std::map<std::string, std::size_t> disagreements;
  [[nodiscard]] double share() const {
    return graphs == 0 ? 1 : static_cast<double>(agree) / static_cast<double>(graphs);
  }
};
void judge(const Graph& kekule_form, const MoleculeRules& rules, Agreement& agreement);
/// `count` random neighbours of molecules (canonical ones), each in turn.
Agreement judge_neighbours(const std::vector<Graph>& molecules, const MoleculeRules& rules,
                           std::size_t count, std::uint64_t seed);

}  // namespace fewedits::test
