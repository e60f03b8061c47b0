// SPDX-License-Identifier: MIT
// Files of molecules as datasets: cut into records here, read by chem.
#pragma once

#include <filesystem>
#include <string>

#include "fewedits/chem/molecule.hpp"

namespace fewedits {

/// Reads one molecule per line or record:
///   .smi, .smiles  SMILES, then optionally an integer class and a name, separated by blanks or
///                  tabs; empty lines and lines that start with # are skipped
///   .csv           a header with a column `smiles` and optionally `label`, `class` or `y`, and
///                  `name`, `title` or `id`
///   .sdf           the class from the SD field `label` or `class`, the name from the first line
/// `label_column`, unless empty, says where else the classes are (formats/molecule_records.hpp).
/// They are whole numbers or words (formats/molecule_classes.hpp). Labels are those of
/// molecules_as_graphs. A file without classes gives a dataset without, and a note. A molecule
/// RDKit cannot read is an Error with file and line.
RawDataset read_molecules(const std::filesystem::path& path, const MoleculeOptions& options = {},
                          const std::string& label_column = {});

}  // namespace fewedits
