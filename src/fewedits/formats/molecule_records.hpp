// SPDX-License-Identifier: MIT
// Cuts .smi, .csv and .sdf files into one text per molecule; knows nothing of chemistry. Internal
// to formats.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "fewedits/chem/molecule_record.hpp"

namespace fewedits {

/// The class of a molecule is what stands in the column `label_column`: the name of a CSV column or
/// of an SD field, the number of a column in a file of SMILES. If that is empty: in the second
/// column of a file of SMILES, if it is an integer; in CSV, in the first of label, class and y; in
/// SDF in the field label or class. Throws Error for an unknown extension, a file without molecules
/// or with a NUL byte, or if there is no such column.
std::vector<MoleculeRecord> read_molecule_records(const std::filesystem::path& path,
                                                  const std::string& label_column = {});
/// The same from memory; `path` says which format the text has.
std::vector<MoleculeRecord> parse_molecule_records(std::string_view text,
                                                   const std::filesystem::path& path,
                                                   const std::string& label_column = {});

/// True if `path` ends in an extension that read_molecule_records takes, in any case.
bool has_molecule_extension(const std::filesystem::path& path);

}  // namespace fewedits
