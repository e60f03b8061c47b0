// SPDX-License-Identifier: MIT
// Cuts .smi, .csv and .sdf files into one text per molecule; knows nothing of chemistry. Internal
// to formats.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "fewedits/chem/molecule_record.hpp"

namespace fewedits {

/// Throws Error for an unknown extension, a file without molecules or with a NUL byte, or classes
/// that are not integers or that only some of the molecules have.
std::vector<MoleculeRecord> read_molecule_records(const std::filesystem::path& path);
/// The same from memory; `path` says which format the text has.
std::vector<MoleculeRecord> parse_molecule_records(std::string_view text,
                                                   const std::filesystem::path& path);

/// True if `path` ends in an extension that read_molecule_records takes, in any case.
bool has_molecule_extension(const std::filesystem::path& path);

}  // namespace fewedits
