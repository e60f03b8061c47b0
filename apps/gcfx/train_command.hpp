// SPDX-License-Identifier: MIT
// Training with progress on the terminal; shared by `gcfx train`, `gcfx train-distance` and
// `gcfx demo`.
#pragma once

#include <filesystem>
#include <string>

#include "gcfx/graph/dataset.hpp"
#include "gcfx/train/train_classifier.hpp"

namespace gcfx::cli {

/// Trains, shows progress, and writes the checkpoint and the model file beside it (same stem,
/// .json), also when interrupted. Throws Error in a build without libtorch.
TrainResult train_and_save(const Dataset& dataset, const TrainOptions& options,
                           const std::filesystem::path& checkpoint);

/// For CLI11: what is wrong with a checkpoint's name, or nothing.
std::string check_checkpoint_name(const std::string& path);

/// Throws the Error of a build without libtorch.
[[noreturn]] void refuse_to_train();

}  // namespace gcfx::cli
