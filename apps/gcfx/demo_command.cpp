// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <memory>

#include "commands.hpp"
#include "console.hpp"
#include "gcfx/input/generator.hpp"
#include "gcfx/output/tu_writer.hpp"
#include "train_command.hpp"

namespace gcfx::cli {
namespace {

struct DemoArguments {
  std::string folder = "demo-output";
  GeneratorOptions generator{.graphs = 1500, .seed = 1, .undesired_share = 0.55, .threads = 0};
  int epochs = 60;
};

/// Removes what an earlier demo wrote; refuses to touch anything else.
void clear_dataset(const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  if (!fs::exists(folder)) return;
  const auto ours = [&](const fs::path& file) {
    const std::string name = file.filename().string();
    return name == "gcfx.json" || name.starts_with(folder.filename().string() + "_");
  };
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (ours(entry.path()) && entry.is_regular_file()) continue;
    throw Error({entry.path().string()}, "was not written by an earlier demo",
                "choose another folder with --dir");
  }
  fs::remove_all(folder);
}

int run(const DemoArguments& arguments, const std::string& program) {
  const std::filesystem::path folder = arguments.folder;
  const auto data_folder = folder / "planted";
  const auto checkpoint = folder / "model.safetensors";
  clear_dataset(data_folder);
  std::filesystem::create_directories(folder);

  fmt::print(
      "1. Generating {} molecule-like graphs; those with a nitro group or an aromatic\n"
      "   amine are \"mutagenic\" by construction.\n",
      grouped(arguments.generator.graphs));
  write_tu(data_folder, generate(arguments.generator), generated_metadata());
  const Dataset data = open_dataset(data_folder);

  fmt::print("2. Training the paper's classifier (3-layer GCN, width 20) for {} epochs.\n",
             arguments.epochs);
  (void)std::fflush(stdout);
  TrainOptions options;
  options.epochs = arguments.epochs;
  options.seed = arguments.generator.seed;
  const auto start = std::chrono::steady_clock::now();
  const TrainResult trained = train_and_save(data, options, checkpoint);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  fmt::print("   {:.1f} s, accuracy on unseen graphs {:.1f} %.\n", seconds.count(),
             100 * trained.test_accuracy);

  fmt::print("3. Classifying all graphs with the native engine.\n\n");
  ThreadPool pool(arguments.generator.threads);
  const Predictions predictions = predict(data, load_classifier(checkpoint), pool);
  fmt::print("{}\naccuracy {:.4f} on {} graphs\n\n", confusion_table(data, predictions),
             predictions.accuracy.value(), grouped(data.size()));
  fmt::print(
      "The dataset, the checkpoint and its model file are in {}/. Go on with:\n"
      "  {} dataset {}\n"
      "  {} predict --dataset {} --model {} -o predictions.csv\n",
      folder.string(), program, data_folder.string(), program, data_folder.string(),
      checkpoint.string());
  return InterruptGuard::interrupted() ? kInterrupted : kFine;
}

}  // namespace

void add_demo_command(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("demo", "Generate a dataset, train on it, classify it: the whole way");
  command->footer("Example:\n  gcfx demo --dir demo-output");
  auto arguments = std::make_shared<DemoArguments>();
  command->add_option("--dir", arguments->folder, "folder for the results")->capture_default_str();
  command->add_option("--graphs", arguments->generator.graphs, "graphs to generate")
      ->check(CLI::Range(10, 100'000'000))
      ->capture_default_str();
  command->add_option("--epochs", arguments->epochs, "training epochs")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  command->add_option("--seed", arguments->generator.seed, "random seed")
      ->check(check_unsigned)
      ->capture_default_str();
  add_threads(*command, arguments->generator.threads);
  command->callback(
      [=, &app, &action] { action = [=, &app] { return run(*arguments, app.get_name()); }; });
}

}  // namespace gcfx::cli
