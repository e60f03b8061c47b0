// SPDX-License-Identifier: MIT
// One way in for every kind of dataset: from a path to a filtered Dataset.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "fewedits/graph/dataset.hpp"

namespace fewedits {

/// Each unset field is decided by the dataset's metadata.
struct DatasetOptions {
  std::optional<std::filesystem::path> metadata;
  /// A number is the value in the file, "model:N" the model's output N, other text a name; of a
  /// dataset without classes, the name is one of the model's.
  std::optional<std::string> desired_class;
  std::optional<std::int64_t> rare_label_threshold;
  bool explicit_hydrogens = false;  ///< SMILES and SDF only
};

/// Opens a TU folder, a TU .zip, or a molecule file (.smi, .csv, .sdf). The metadata is
/// options.metadata, else fewedits.json beside the data, else the built-in entry named like the
/// folder or like its files (case-insensitively), else none; single options override it.
Dataset open_dataset(const std::filesystem::path& path, const DatasetOptions& options = {});

/// The files that open_dataset reads there, or would read if they were there; for a TU folder, all
/// that carry the dataset's name. What cannot be listed is left out.
std::vector<std::filesystem::path> dataset_files(const std::filesystem::path& path);

}  // namespace fewedits
