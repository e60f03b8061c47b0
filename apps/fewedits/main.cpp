// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "commands.hpp"
#include "console.hpp"
#include "fewedits/classifier/native/kernels.hpp"
#include "training.hpp"

namespace fewedits::cli {
namespace {

std::string version_line() {
  return fmt::format("fewedits {} (training: {}, molecules: {}, kernels: {})", version(),
                     kHasTraining ? "libtorch" : "left out", has_molecules() ? "RDKit" : "left out",
                     best_kernels().name);
}

int run(int argc, char** argv) {
  CLI::App app{
      "fewedits explains graph classifiers: which few graphs of the desired class lie close to "
      "many "
      "of the others."};
  app.footer("Start with `fewedits demo`; every command has --help with an example.");
  app.require_subcommand(1);
  app.set_version_flag("--version", version_line());
  Action action;
  add_demo_command(app, action);
  add_dataset_command(app, action);
  add_generate_command(app, action);
  add_training_command(app, action, kTrain, argv);
  add_model_command(app, action);
  add_predict_command(app, action);
  add_explain_command(app, action);
  add_rules_command(app, action);
  add_fragility_command(app, action);
  add_glance_command(app, action);
  add_evaluate_command(app, action);
  add_recourse_command(app, action);
  add_report_command(app, action);
  add_draw_command(app, action);
  add_casestudy_command(app, action);
  add_distance_command(app, action);
  add_training_command(app, action, kTrainDistance, argv);
  const auto commands = app.get_subcommands([](const CLI::App*) { return true; });
  const bool known = std::any_of(commands.begin(), commands.end(), [&](const CLI::App* command) {
    return argc > 1 && command->get_name() == argv[1];
  });
  if (argc > 1 && argv[1][0] != '-' && !known) {
    fmt::print(stderr, "fewedits: there is no command {}\nRun with --help for more information.\n",
               in_quotes(argv[1]));
    return kUsage;
  }
  return run_app(app, argc, argv, action);
}

}  // namespace
}  // namespace fewedits::cli

int main(int argc, char** argv) {
  return fewedits::cli::run_program("fewedits", [&] { return fewedits::cli::run(argc, argv); });
}
