// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "console.hpp"
#include "explain_report.hpp"
#include "explained.hpp"
#include "fewedits/edit/constraints.hpp"
#include "fewedits/explanation/explanation_json.hpp"
#include "fewedits/explanation/input_words.hpp"
#include "fewedits/formats/tu_writer.hpp"
#include "fewedits/proof/edit_script.hpp"
#include "fewedits/search/files_used.hpp"
#include "fewedits/synthetic/generator.hpp"
#include "training.hpp"

namespace fewedits::cli {
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
    return name == "fewedits.json" || name.starts_with(folder.filename().string() + "_");
  };
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (ours(entry.path()) && entry.is_regular_file()) continue;
    throw Error({entry.path().string()}, "was not written by an earlier demo",
                "choose another folder with --dir");
  }
  fs::remove_all(folder);
}

struct DemoPaths {
  std::string program;
  std::filesystem::path folder;
  std::filesystem::path data;
  std::filesystem::path model;
};

/// Was the rule found? Inputs contain the planted motif, and what the model accepts should not; a
/// counterfactual that does shows where the model does not follow the rule.
std::string rule_report(const Explanation& explanation, const Dataset& data) {
  std::size_t inputs_with = 0;
  for (const std::uint32_t i : explanation.inputs) {
    inputs_with += find_motif(data.graphs[i]) != Motif::kNone ? 1U : 0U;
  }
  std::size_t without = 0;
  for (const Counterfactual& c : explanation.counterfactuals) {
    without += find_motif(c.graph) == Motif::kNone ? 1U : 0U;
  }
  const std::size_t all = explanation.counterfactuals.size();
  const ExplainedClasses classes = explanation.classes.value_or(ExplainedClasses{});
  return fmt::format(
      "The planted rule: of {} graphs predicted {}, {} contain a nitro group or an aromatic\n"
      "amine; {} of {} counterfactuals contain neither{}.\n",
      grouped(explanation.inputs.size()), classes_in_words(classes.predicted), grouped(inputs_with),
      without, all,
      without == all ? "" : "; the others show where the model departs from the rule");
}

int explain_demo(const DemoPaths& paths, const Dataset& data, const DemoArguments& arguments,
                 ThreadPool& pool) {
  const auto output = paths.folder / "explanation.json";
  const auto desired = static_cast<std::size_t>(data.desired_class.value());  // of two classes
  fmt::print(
      "4. Explaining: which few graphs predicted {} are close to many predicted {}? Distances are\n"
      "   proven: every input that counts as covered comes with the edits that lead there.\n\n",
      data.class_labels[desired].name, data.class_labels[1 - desired].name);
  (void)std::fflush(stdout);
  const auto model = open_classifier(paths.model, data);
  ExplainOptions options;
  options.refine_work = 100'000'000;
  // No narrow escapes: what is left is what the model really goes by.
  options.min_probability = 0.99;
  options.seed = arguments.generator.seed;
  const InterruptGuard guard;
  const auto start = std::chrono::steady_clock::now();
  Explanation explanation = [&] {
    SearchProgress progress;
    ExplainHooks hooks;
    hooks.progress = std::ref(progress);
    try {
      return explain(data, *model, options, pool, hooks);
    } catch (const Error&) {
      if (InterruptGuard::interrupted()) throw;
      throw Error("the model has not learnt enough to be explained",
                  "train it longer (--epochs) or on more graphs (--graphs)");
    }
  }();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  note_files(paths.data, paths.model, {}, explanation.provenance);
  write_output(output.string(), explanation_json(explanation));
  const auto page = paths.folder / "report.html";
  explanation.seconds = seconds.count();
  write_report({.explanations = {{explanation, output.string(), {}, {}}},
                .accepted = rejected_graphs(data, *model, pool).accepted},
               data, page.string(), pool);
  fmt::print(
      "{}{}\nThe explanation is {}; dataset and model are beside it.\n"
      "5. See it: open {} in a browser.\n\nGo on with:\n",
      explanation_report(explanation, data, seconds.count()), rule_report(explanation, data),
      output.string(), page.string());
  fmt::print(
      "  {0}-verify {1}        # replays the edits, recomputes the figures\n"
      "  {0} evaluate {1}\n"
      "  {0} recourse {1} --graph {2} --script\n",
      paths.program, output.string(),
      explanation.counterfactuals.front().covers.empty()
          ? explanation.inputs.front()
          : explanation.counterfactuals.front().covers.front());
  return InterruptGuard::interrupted() ? kInterrupted : kFine;
}

/// Returns the exit code; what went wrong has been said.
int train_demo(const DemoPaths& paths, const DemoArguments& arguments) {
  fmt::print("2. Training the paper's classifier (3-layer GCN, width 20) for {} epochs.\n",
             arguments.epochs);
  (void)std::fflush(stdout);
  const auto start = std::chrono::steady_clock::now();
  const TrainingOutcome training = run_training(
      {kTrain.name, "--dataset=" + paths.data.string(), "--output=" + paths.model.string(),
       fmt::format("--epochs={}", arguments.epochs),
       fmt::format("--seed={}", arguments.generator.seed), "--json"});
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  if (training.output.empty()) {
    if (training.code == kInterrupted) fmt::print(stderr, "interrupted: there is no model yet\n");
    return training.code;
  }
  const auto result = nlohmann::json::parse(training.output);
  fmt::print("   {:.1f} s, accuracy on unseen graphs {:.1f} %.\n", seconds.count(),
             100 * result.at("test_accuracy").get<double>());
  return training.code;
}

int run(const DemoArguments& arguments, const std::string& program) {
  (void)training_program();  // nothing is begun without it
  const std::filesystem::path folder = arguments.folder;
  const DemoPaths paths{program, folder, folder / "planted", folder / "model.safetensors"};
  clear_dataset(paths.data);
  std::filesystem::create_directories(folder);

  fmt::print(
      "1. Generating {} molecule-like graphs; those with a nitro group or an aromatic\n"
      "   amine are \"mutagenic\" by construction.\n",
      grouped(arguments.generator.graphs));
  write_tu(paths.data, generate(arguments.generator), generated_metadata());

  if (const int code = train_demo(paths, arguments); code != kFine) return code;

  fmt::print("3. Classifying all graphs with the native engine.\n\n");
  const Dataset data = open_dataset(paths.data);
  ThreadPool pool(arguments.generator.threads);
  const Predictions predictions = predict(data, *open_classifier(paths.model, data), pool);
  fmt::print("{}\naccuracy {:.4f} on {} graphs\n\n", confusion_table(data, predictions),
             predictions.accuracy.value(), grouped(data.size()));
  return explain_demo(paths, data, arguments, pool);
}

}  // namespace

void add_demo_command(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("demo", "Generate a dataset, train on it, explain it: the whole way");
  command->footer("Example:\n  fewedits demo --dir demo-output");
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

}  // namespace fewedits::cli
