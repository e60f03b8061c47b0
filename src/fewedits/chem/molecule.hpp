// SPDX-License-Identifier: MIT
// SMILES and SDF in, molecules to graphs and back, through RDKit: the one door to it. No RDKit type
// appears here. A build without RDKit has the same functions, and all of them but has_rdkit throw
// Error.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "fewedits/chem/bond.hpp"
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
  /// Make charges a part of the labels; else all atoms of an element have one label.
  bool charges = true;
};

/// One graph per record; classes and names are left to others. Node labels are the atoms that occur
/// (chem/atom_label.hpp), edge labels the Bonds: rings are in one of their Kekulé forms, never
/// kAromatic. Isotopes and stereochemistry are not kept; salts are disconnected graphs. Hydrogens
/// that no heavy atom can imply stay atoms, with a note; molecules of nothing else are empty
/// graphs. `file` is for messages: a molecule that RDKit cannot read or that is too large is an
/// Error with file and line.
RawDataset molecules_as_graphs(std::span<const MoleculeRecord> records, const std::string& file,
                               const MoleculeOptions& options = {});

/// Canonical SMILES: the same for isomorphic graphs, but for aromatic rings with elements that
/// SMILES has no small letters for (iodine). `atom_names[label]` are names of atoms ("C", "N+");
/// `bond_names[label]` are "single", "double", "triple", "aromatic" (all single when the graph has
/// no edge labels). Charges are those of the names; where no name has one, those that named bonds
/// tell (chem/molecule_rules.hpp). Atoms and bonds are taken as they are: nothing is added, removed
/// or sanitised away, so chemically impossible graphs get a SMILES too, which chemistry software
/// may refuse. If no label is named H, the dataset leaves hydrogens out and the SMILES implies them
/// ("CCO"); otherwise a missing hydrogen is missing ("[C]").
std::string to_smiles(const Graph& graph, const std::vector<std::string>& atom_names,
                      const std::vector<std::string>& bond_names);
/// Does RDKit read that SMILES? It refuses atoms with more bonds than their valence allows.
bool is_possible_molecule(const Graph& graph, const std::vector<std::string>& atom_names,
                          const std::vector<std::string>& bond_names);
/// V2000 mol block with 2-D coordinates, atoms in node order, rings in a Kekulé form. (V3000 beyond
/// 999 atoms or bonds, which V2000 cannot count.) Beyond kMaxMoleculeAtoms the atoms lie on a
/// circle.
std::string to_mol_block(const Graph& graph, const std::vector<std::string>& atom_names,
                         const std::vector<std::string>& bond_names);
/// RDKit's depiction, with bonds about kBondLength long; graphs it cannot draw are laid out on a
/// circle. Atoms with an anchor are put there and the rest is drawn around them; if RDKit cannot,
/// anchors are left out of account.
inline constexpr double kBondLength = 1.5;
Positions layout_molecule(const Graph& graph, const std::vector<std::string>& atom_names,
                          const std::vector<std::string>& bond_names, const Anchors& anchors = {});

}  // namespace fewedits
