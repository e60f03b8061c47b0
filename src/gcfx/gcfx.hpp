// SPDX-License-Identifier: MIT
// The façade: what most programs need, in one header.
//
//   const gcfx::Dataset data = gcfx::open_dataset("Mutagenicity");
//   const gcfx::NativeClassifier model = gcfx::load_classifier("gcn.pth");
//   gcfx::ThreadPool pool;
//   const gcfx::Predictions result = gcfx::predict(data, model, pool);
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "gcfx/base/error.hpp"
#include "gcfx/base/parallel.hpp"
#include "gcfx/graph/dataset.hpp"
#include "gcfx/nn/classifier.hpp"
#include "gcfx/nn/native_classifier.hpp"

namespace gcfx {

/// "0.1.0"
std::string version();
/// True if the library was built with that optional component.
bool has_molecules();

/// Each unset field is decided by the dataset's metadata.
struct DatasetOptions {
  std::optional<std::filesystem::path> metadata;
  std::optional<std::int64_t> desired_class;
  std::optional<std::int64_t> rare_label_threshold;
  bool explicit_hydrogens = false;  ///< SMILES and SDF only
};

/// Opens a TU folder, a TU .zip, or a molecule file (.smi, .csv, .sdf). The metadata is
/// options.metadata, else gcfx.json beside the data, else the built-in entry named like the
/// folder (case-insensitively), else none; single options override it.
Dataset open_dataset(const std::filesystem::path& path, const DatasetOptions& options = {});

struct Predictions {
  std::size_t classes = 0;
  std::vector<float> log_probabilities;  ///< graphs × classes
  std::vector<int> predicted;            ///< class of each graph
  double accuracy = 0;                   ///< against the dataset's classes
};

/// Evaluates a whole dataset. The dataset's node labels are matched to the model's by name
/// where the model knows names, else their number must agree; throws Error if they do not fit.
Predictions predict(const Dataset& dataset, const NativeClassifier& model, ThreadPool& pool);

}  // namespace gcfx
