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
  /// Of molecule files: the CSV column, the SD field, or the number of the column in a file of
  /// SMILES in which the classes are; empty: those that are looked for by themselves.
  std::string label_column;
  bool explicit_hydrogens = false;  ///< molecule files only
  bool ignore_charges = false;      ///< molecule files only: an element is one label
  /// A name that no class of the dataset has becomes Dataset::desired_name, since the model may
  /// know it; else it is an error.
  bool desired_may_be_the_models = false;
  int threads = 0;  ///< that read; 0: one per core
};

/// Where the names of labels and classes, the desired class and the rare-label filter of a dataset
/// come from, as far as single options do not say otherwise.
struct DatasetDescription {
  enum class From { kNothing, kBuiltin, kBeside, kGiven, kInside };
  From from = From::kNothing;
  std::string
      file;  ///< kBeside: fewedits.json; kGiven: options.metadata; kInside: the dataset file
  DatasetMetadata metadata;  ///< what became of it, with the options
  /// The built-in entry of the dataset's name, whether or not it was used.
  std::optional<DatasetMetadata> builtin;
};

/// Opens a TU folder, a TU .zip, a molecule file (.smi, .csv, .sdf) or a dataset file (.few). The
/// metadata is options.metadata, else what a dataset file has inside or fewedits.json beside the
/// data, else the built-in entry named like the folder or like its files (case-insensitively), else
/// none; single options override it. `description`, unless null, is filled.
Dataset open_dataset(const std::filesystem::path& path, const DatasetOptions& options = {},
                     DatasetDescription* description = nullptr);

/// The same, and what was read is written to the dataset file `to` with the metadata that came of
/// the options: opened without any, it is the same dataset. Throws Error for a desired class that
/// is an output of a model, which no metadata can say.
Dataset open_and_save_dataset(const std::filesystem::path& path, const DatasetOptions& options,
                              const std::filesystem::path& to);

/// The same of graphs in memory, with the metadata as it is. The desired class, if given, is said
/// as in DatasetOptions, and may be one that only the model knows.
Dataset described_dataset(RawDataset raw, DatasetMetadata metadata,
                          const std::optional<std::string>& desired_class = std::nullopt);

/// The files that open_dataset reads there, or would read if they were there; for a TU folder, all
/// that carry the dataset's name. What cannot be listed is left out.
std::vector<std::filesystem::path> dataset_files(const std::filesystem::path& path);

}  // namespace fewedits
