// SPDX-License-Identifier: MIT
// The training commands. Each adds itself to the app and stores what to run when it was chosen.
#pragma once

#include "arguments.hpp"

namespace fewedits::cli {

void add_train_command(CLI::App& app, Action& action);
void add_train_distance_command(CLI::App& app, Action& action);

/// For CLI11: what is wrong with a checkpoint's name, or nothing.
std::string check_checkpoint_name(const std::string& path);

}  // namespace fewedits::cli
