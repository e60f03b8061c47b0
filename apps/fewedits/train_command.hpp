// SPDX-License-Identifier: MIT
// Training with progress on the terminal; shared by `fewedits train`, `fewedits train-distance` and
// `fewedits demo`.
#pragma once

#include <filesystem>
#include <string>

#include "fewedits/graph/dataset.hpp"
#include "fewedits/train/train_classifier.hpp"

namespace fewedits::cli {

/// Trains, shows progress, and writes the checkpoint and the model file beside it (same stem,
/// .json), also when interrupted. Throws Error in a build without libtorch.
TrainResult train_and_save(const Dataset& dataset, const TrainOptions& options,
                           const std::filesystem::path& checkpoint);

/// For CLI11: what is wrong with a checkpoint's name, or nothing.
std::string check_checkpoint_name(const std::string& path);

/// Throws the Error of a build without libtorch.
[[noreturn]] void refuse_to_train();

}  // namespace fewedits::cli
