// SPDX-License-Identifier: MIT
// SMILES and SDF in, molecules to graphs and back, through RDKit: the one door to it. No RDKit type
// appears here. A build without RDKit has the same functions, and all of them but has_rdkit throw
// Error.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "fewedits/chem/molecule_record.hpp"
#include "fewedits/graph/dataset.hpp"
#include "fewedits/graph/positions.hpp"

namespace fewedits {

bool has_rdkit();
/// Throws Error naming the file unless there is RDKit to read or write it.
void require_rdkit(const std::string& file);

/// What a molecule that is read may have, hydrogens that are implied not counted, and with them.
/// RDKit's ring search takes a second for a chain of 1,000 atoms, and eight times that for 2,000.
inline constexpr std::size_t kMaxMoleculeAtoms = 1'000;
inline constexpr std::size_t kMaxMoleculeBonds = 4'000;
inline constexpr std::size_t kMaxAtomsWithHydrogens = 5'000;
/// Of its SMILES.
inline constexpr std::size_t kMaxSmilesBytes = 100 * kMaxMoleculeAtoms;

struct MoleculeOptions {
  /// Make hydrogens nodes of their own, as in Mutagenicity.
  bool explicit_hydrogens = false;
};

/// Bond labels of molecule graphs: the values stored in RawDataset::edge_labels.
enum class Bond : int { kSingle = 1, kDouble = 2, kTriple = 3, kAromatic = 4 };

/// One graph per record. Node labels are the atomic numbers that occur, named by element; edge
/// labels are the Bonds that occur. Charges and stereochemistry are not kept; salts are
/// disconnected graphs. Records without classes give a dataset without, and a note. `file` is for
/// messages: a molecule that RDKit cannot read or that is too large is an Error with file and line.
RawDataset molecules_as_graphs(std::span<const MoleculeRecord> records, const std::string& file,
                               const MoleculeOptions& options = {});

/// Canonical SMILES: the same for isomorphic graphs. `element_names[label]` are element symbols;
/// `bond_names[label]` are "single", "double", "triple", "aromatic" (all single when the graph
/// has no edge labels). Atoms and bonds are taken as they are: nothing is added, removed or
/// sanitised away, so chemically impossible graphs get a SMILES too, which chemistry software
/// may refuse. If no label is named H, the dataset leaves hydrogens out and the SMILES implies
/// them ("CCO"); otherwise a missing hydrogen is missing ("[C]").
std::string to_smiles(const Graph& graph, const std::vector<std::string>& element_names,
                      const std::vector<std::string>& bond_names);
/// Does RDKit read that SMILES? It refuses atoms with more bonds than their valence allows.
bool is_possible_molecule(const Graph& graph, const std::vector<std::string>& element_names,
                          const std::vector<std::string>& bond_names);
/// V2000 mol block with 2-D coordinates, atoms in node order. (V3000 beyond 999 atoms or bonds,
/// which V2000 cannot count.) Beyond kMaxMoleculeAtoms the atoms lie on a circle.
std::string to_mol_block(const Graph& graph, const std::vector<std::string>& element_names,
                         const std::vector<std::string>& bond_names);
/// RDKit's depiction, with bonds about kBondLength long; graphs it cannot draw are laid out on a
/// circle. Atoms with an anchor are put there and the rest is drawn around them; if RDKit cannot,
/// anchors are left out of account.
inline constexpr double kBondLength = 1.5;
Positions layout_molecule(const Graph& graph, const std::vector<std::string>& element_names,
                          const std::vector<std::string>& bond_names, const Anchors& anchors = {});

}  // namespace fewedits
