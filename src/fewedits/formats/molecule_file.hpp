// SPDX-License-Identifier: MIT
// Files of molecules as datasets: cut into records here, read by chem.
#pragma once

#include <filesystem>

#include "fewedits/chem/molecule.hpp"

namespace fewedits {

/// Reads one molecule per line or record:
///   .smi, .smiles  SMILES, then optionally an integer class and a name, separated by blanks or
///                  tabs; empty lines and lines that start with # are skipped
///   .csv           a header with a column `smiles` and optionally `label`, `class` or `y`
///   .sdf           the class from the SD field `label` or `class`
/// Node labels are the atomic numbers that occur, named by element; edge labels are the Bonds
/// that occur. Charges and stereochemistry are not kept; salts are disconnected graphs. A file
/// without classes gives class 0 throughout, with a note. A molecule RDKit cannot read is an
/// Error with file and line.
RawDataset read_molecules(const std::filesystem::path& path, const MoleculeOptions& options = {});

}  // namespace fewedits
