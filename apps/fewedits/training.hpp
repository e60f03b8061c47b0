// SPDX-License-Identifier: MIT
// Training is a program of its own, fewedits-train: loading libtorch takes longer than most other
// commands do.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "training_commands.hpp"

namespace fewedits::cli {

#ifdef FEWEDITS_WITH_TORCH
inline constexpr bool kHasTraining = true;
#else
inline constexpr bool kHasTraining = false;
#endif

/// fewedits-train beside the running program, never one from the PATH. Throws Error if it is not
/// there, or if this build leaves training out.
std::filesystem::path training_program();

/// Lists a command that fewedits-train carries out: it takes this process's place, and gets the
/// arguments of main() as they are.
void add_training_command(CLI::App& app, Action& action, const TrainingCommand& command,
                          char** argv);

/// What a training left behind.
struct TrainingOutcome {
  int code = 0;
  std::string output;  ///< of standard output
};

/// Runs fewedits-train as a child. While it runs, SIGINT and SIGTERM are passed on, and it does not
/// outlive this process. Throws Error if it came to no end of its own.
TrainingOutcome run_training(std::vector<std::string> arguments);

}  // namespace fewedits::cli
