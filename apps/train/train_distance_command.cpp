// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "commands.hpp"
#include "console.hpp"
#include "fewedits/classifier/native/gin_embedder.hpp"
#include "fewedits/formats/checkpoint_writer.hpp"
#include "fewedits/train/distance_score.hpp"
#include "fewedits/train/train_distance.hpp"
#include "json_text.hpp"
#include "training_commands.hpp"

namespace fewedits::cli {
namespace {

struct DistanceArguments {
  DatasetArguments dataset;
  DistanceTrainOptions options;
  std::string output;
  std::string compare;
  double theta = 0.1;
  bool json = false;
};

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct TrainingTimes {
  double labelling = 0;
  double training = 0;
};

/// Everything the report is about.
struct DistanceOutcome {
  DistanceTrainResult result;
  std::vector<PredictorScore> scores;
  TrainingTimes times;
};

std::string describe(const DistanceStep& at) {
  const std::string validation = at.best_loss > 0 ? fmt::format("  validation {:.3f} (best {:.3f})",
                                                                at.validation_loss, at.best_loss)
                                                  : "";
  return fmt::format("epoch {}/{}  loss {:.3f}{}", at.epoch, at.epochs, at.train_loss, validation);
}

DistanceTrainResult train_with_progress(const Dataset& data, const DistanceTrainOptions& options,
                                        TrainingTimes& times) {
  const auto start = Clock::now();
  auto line = std::make_unique<ProgressLine>();
  DistanceProgress progress;
  progress.labelled = [&](const LabelReport& report) {
    line->update(report.done, report.total, "labelling");
    times.labelling = seconds_since(start);
    if (report.done == report.total) {
      line.reset();  // wipes its line before the other draws
      line = std::make_unique<ProgressLine>();
    }
    return !InterruptGuard::interrupted();
  };
  progress.trained = [&](const DistanceStep& at) {
    line->update(at.step, at.steps, describe(at));
    return !InterruptGuard::interrupted();
  };
  progress.stop = &InterruptGuard::sign();
  DistanceTrainResult result = train_distance(data, options, progress);
  times.training = seconds_since(start) - times.labelling;
  return result;
}

std::vector<PredictorScore> score_all(const PairSet& set, const GinEmbedder& trained,
                                      const std::optional<GinEmbedder>& compared,
                                      const DistanceArguments& arguments) {
  ThreadPool pool(arguments.options.threads);
  std::vector<PredictorScore> out;
  const auto add = [&](const std::string& name, const Estimates& estimates) {
    out.push_back(score_estimates(name, set, estimates, arguments.theta));
  };
  add("trained", embedding_estimates(set, trained, pool));
  if (compared) add(arguments.compare, embedding_estimates(set, *compared, pool));
  add("label bound", bound_estimates(set, LowerStrength::kLabels));
  add("branch bound", bound_estimates(set, LowerStrength::kBranches));
  return out;
}

std::size_t count_pairs(const PairSet& set, bool edited) {
  return static_cast<std::size_t>(std::count_if(
      set.pairs.begin(), set.pairs.end(),
      [&](const LabelledPair& pair) { return (pair.kind == PairKind::kEdited) == edited; }));
}

nlohmann::ordered_json as_json(const DistanceScore& score) {
  return {{"pairs", score.pairs},
          {"rmse", score.rmse},
          {"mean_absolute_error", score.mean_error},
          {"right_side", score.right_side}};
}

std::string as_json(const DistanceOutcome& outcome, const DistanceArguments& arguments) {
  const DistanceTrainResult& r = outcome.result;
  nlohmann::ordered_json predictors = nlohmann::ordered_json::array();
  for (const PredictorScore& s : outcome.scores) {
    predictors.push_back(
        {{"name", s.name}, {"edited", as_json(s.edited)}, {"real", as_json(s.real)}});
  }
  const nlohmann::ordered_json json{
      {"checkpoint", arguments.output},
      {"seed", arguments.options.seed},
      {"best_epoch", r.best_epoch},
      {"epochs_run", r.epochs_run},
      {"validation_loss", r.validation_loss},
      {"constant_validation_loss", r.constant_loss},
      {"graphs",
       {{"train", r.split.train.size()},
        {"validation", r.split.validation.size()},
        {"held_out", r.split.test.size()}}},
      {"pairs",
       {{"train", r.train_pairs},
        {"train_exact", r.train_exact},
        {"validation", r.validation_pairs},
        {"held_out_edited", count_pairs(r.held_out, true)},
        {"held_out_real", count_pairs(r.held_out, false)}}},
      {"theta", arguments.theta},
      {"held_out_exact", predictors},
      {"seconds", {{"labelling", outcome.times.labelling}, {"training", outcome.times.training}}}};
  return json_text(json, 2) + "\n";
}

std::string score_table(const DistanceOutcome& outcome, double theta) {
  const std::string side = fmt::format("θ={} right", theta);
  std::vector<std::vector<std::string>> rows{
      {"estimate", "edited: RMSE", "error", side, "real: RMSE", "error", side}};
  for (const PredictorScore& s : outcome.scores) {
    std::vector<std::string> row{s.name};
    for (const DistanceScore& score : {s.edited, s.real}) {
      const bool any = score.pairs > 0;
      row.push_back(any ? fmt::format("{:.2f}", score.rmse) : "–");
      row.push_back(any ? fmt::format("{:.2f}", score.mean_error) : "–");
      row.push_back(any ? fmt::format("{:.1f}%", 100 * score.right_side) : "–");
    }
    rows.push_back(row);
  }
  return table(rows);
}

std::string as_text(const DistanceOutcome& outcome, const DistanceArguments& arguments) {
  const DistanceTrainResult& r = outcome.result;
  const PredictorScore& trained = outcome.scores.front();
  return fmt::format(
      "trained on {} pairs ({} exact) of {} graphs; labelling {:.0f} s, training {:.0f} s\n"
      "held out: {} graphs; solved exactly: {} of {} edited pairs, {} of {} real ones\n\n"
      "On those, in edits (root of mean square, mean absolute error):\n{}\n"
      "best of {} epochs: {} (validation loss {:.3f}, {:.1f} for the best constant); wrote {}\n",
      grouped(r.train_pairs), grouped(r.train_exact), grouped(r.split.train.size()),
      outcome.times.labelling, outcome.times.training, grouped(r.split.test.size()),
      grouped(trained.edited.pairs), grouped(count_pairs(r.held_out, true)),
      grouped(trained.real.pairs), grouped(count_pairs(r.held_out, false)),
      score_table(outcome, arguments.theta), r.epochs_run, r.best_epoch, r.validation_loss,
      r.constant_loss, arguments.output);
}

int run(const DistanceArguments& arguments) {
  check_writable(arguments.output);
  protect_inputs(arguments.output, joined({arguments.dataset.files(), {arguments.compare}}));
  const Dataset data = arguments.dataset.open();
  print_notes(data.notes);
  std::optional<GinEmbedder> compared;
  if (!arguments.compare.empty()) {
    compared.emplace(load_embedder(arguments.compare));
    check_labels(*compared, data.node_labels.size(), arguments.compare);
  }
  const InterruptGuard guard;
  DistanceOutcome outcome;
  outcome.result = train_with_progress(data, arguments.options, outcome.times);
  if (outcome.result.weights.empty()) {
    fmt::print(stderr, "interrupted before the training began: nothing was written\n");
    return kInterrupted;
  }
  if (InterruptGuard::interrupted()) {
    fmt::print(stderr, "interrupted in epoch {}: keeping the best so far\n",
               outcome.result.epochs_run);
  }
  if (outcome.result.diverged) {
    fmt::print(stderr, "the loss diverged in epoch {}: keeping the best before\n",
               outcome.result.epochs_run);
  }
  write_checkpoint(arguments.output, outcome.result.weights);
  // The figures are those of the file, as others will read it.
  outcome.scores =
      score_all(outcome.result.held_out, load_embedder(arguments.output), compared, arguments);
  write_output("", arguments.json ? as_json(outcome, arguments) : as_text(outcome, arguments));
  return InterruptGuard::interrupted() ? kInterrupted : kFine;
}

}  // namespace

void add_train_distance_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(kTrainDistance.name, kTrainDistance.description);
  command->footer(
      "Makes pairs of graphs, real ones and randomly edited ones, finds their edit distance or\n"
      "bounds of it, and trains the paper's network on them. Ctrl-C keeps the best so far (exit\n"
      "code 130).\n\n"
      "Example:\n"
      "  fewedits train-distance --dataset data/AIDS --seed 1 -o greed.safetensors");
  auto arguments = std::make_shared<DistanceArguments>();
  DistanceTrainOptions& o = arguments->options;
  command
      ->add_option("--dataset", arguments->dataset.path,
                   "TU folder or .zip, .smi, .csv, .sdf, .few")
      ->required();
  command
      ->add_option("-o,--output", arguments->output,
                   "checkpoint to write (.safetensors, .pt or .pth)")
      ->required()
      ->check(check_checkpoint_name);
  command->add_option("--compare", arguments->compare,
                      "a GREED checkpoint to measure on the same held-out pairs");
  const auto number = [&](const char* flag, auto& value, const char* help, double low,
                          double high) {
    command->add_option(flag, value, help)->check(number_from(low, high))->capture_default_str();
  };
  number("--pairs", o.pairs, "pairs to train on; further ones validate and test", 1, 1e7);
  command
      ->add_option("--budget-work", o.budget_work,
                   "work on the exact distance of a pair, in steps of some 50 ns; then bounds do")
      ->check(check_unsigned)
      ->capture_default_str();
  number("--max-edits", o.max_edits, "edits between the graphs of an edited pair", 1, 1000);
  number("--epochs", o.epochs, "passes over the training pairs", 1, 1e6);
  number("--batch-size", o.batch_size, "pairs per step", 1, 1e6);
  number("--learning-rate", o.learning_rate, "Adam's largest step size", 1e-12, 1e3);
  number("--layers", o.layers, "message-passing layers", 1, 100);
  number("--width", o.width, "features per layer, and of the embedding", 1, 4096);
  number("--theta", arguments->theta, "normalised distance that the report asks about", 0, 1);
  command->add_option("--seed", o.seed, "random seed of split, pairs, weights and order")
      ->check(check_unsigned)
      ->capture_default_str();
  add_threads(*command, o.threads);
  command->add_flag("--json", arguments->json, "print the result as JSON");
  arguments->dataset.add_to(*command);
  command->callback([=, &action] { action = [=] { return run(*arguments); }; });
}

}  // namespace fewedits::cli
