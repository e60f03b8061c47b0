// SPDX-License-Identifier: MIT
// Cuts .smi, .csv and .sdf files into one text a molecule; knows nothing of chemistry.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace fewedits {

struct MoleculeRecord {
  enum class Form { kSmiles, kMolBlock };
  Form form = Form::kSmiles;
  std::string text;
  std::int64_t line = 0;  ///< where the record starts, from 1
  std::optional<std::int64_t> class_value;
};

/// Throws Error for an unknown extension, a file without molecules, or classes that are not
/// integers or that only some of the molecules have.
std::vector<MoleculeRecord> read_molecule_records(const std::filesystem::path& path);

/// True if `path` ends in an extension that read_molecule_records takes, in any case.
bool has_molecule_extension(const std::filesystem::path& path);

}  // namespace fewedits
