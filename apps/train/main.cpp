// SPDX-License-Identifier: MIT
#include "commands.hpp"
#include "console.hpp"
#include "fewedits/base/version.hpp"
#include "training_commands.hpp"

namespace fewedits::cli {
namespace {

int run(int argc, char** argv) {
  CLI::App app{
      "fewedits-train trains on libtorch; fewedits train and fewedits train-distance start it."};
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string(kTrainingProgram) + " " + version());
  Action action;
  add_train_command(app, action);
  add_train_distance_command(app, action);
  return run_app(app, argc, argv, action);
}

}  // namespace
}  // namespace fewedits::cli

int main(int argc, char** argv) {
  // Whoever reads its messages typed "fewedits train".
  return fewedits::cli::run_program("fewedits", [&] { return fewedits::cli::run(argc, argv); });
}
