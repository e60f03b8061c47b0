// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "console.hpp"
#include "fewedits/base/error.hpp"
#include "fewedits/base/file.hpp"
#include "fewedits/classifier/model_file.hpp"
#include "fewedits/formats/checkpoint_writer.hpp"
#include "fewedits/train/train_classifier.hpp"
#include "training_commands.hpp"

namespace fewedits::cli {
namespace {

struct TrainArguments {
  DatasetArguments dataset;
  TrainOptions options;
  std::string output;
  std::string conv = "gcn";
  std::string pooling = "max";
  bool no_batch_norm = false;
  bool json = false;
};

std::filesystem::path model_file_of(std::filesystem::path checkpoint) {
  return checkpoint.replace_extension(".json");
}

/// Everything that would make saving fail, or destroy a file that is no model, is found before
/// the training starts.
void check_output(const std::filesystem::path& checkpoint,
                  const std::vector<std::filesystem::path>& inputs) {
  const auto description = model_file_of(checkpoint);
  check_writable(checkpoint);
  check_writable(description);
  protect_inputs(checkpoint.string(), inputs);
  protect_inputs(description.string(), inputs);
  if (!std::filesystem::exists(description)) return;
  try {
    parse_model_file(read_file(description), description.string());
  } catch (const Error&) {
    throw Error({description.string()}, "exists and is not a model file; it would be overwritten",
                "choose another name for the checkpoint");
  }
}

std::string as_json(const TrainResult& r, const std::string& output) {
  return nlohmann::ordered_json{{"checkpoint", output},
                                {"best_epoch", r.best_epoch},
                                {"epochs_run", r.epochs_run},
                                {"validation_loss", r.validation_loss},
                                {"train_accuracy", r.train_accuracy},
                                {"validation_accuracy", r.validation_accuracy},
                                {"test_accuracy", r.test_accuracy},
                                {"train_graphs", r.split.train.size()},
                                {"validation_graphs", r.split.validation.size()},
                                {"test_graphs", r.split.test.size()}}
             .dump(2) +
         "\n";
}

std::string as_text(const TrainResult& r) {
  const auto row = [](const std::string& name, std::size_t graphs, double accuracy) {
    return std::vector<std::string>{name, grouped(graphs),
                                    graphs > 0 ? fmt::format("{:.4f}", accuracy) : "–"};
  };
  return table({{"part", "graphs", "accuracy"},
                row("train", r.split.train.size(), r.train_accuracy),
                row("validation", r.split.validation.size(), r.validation_accuracy),
                row("test", r.split.test.size(), r.test_accuracy)});
}

/// Trains, shows progress, and writes the checkpoint and the model file beside it, also when
/// interrupted.
TrainResult train_and_save(const Dataset& dataset, const TrainOptions& options,
                           const std::filesystem::path& checkpoint) {
  const InterruptGuard guard;
  TrainResult result;
  {
    ProgressLine progress;
    double best = 0;
    result = train_classifier(dataset, options, [&](const EpochReport& report) {
      if (report.best) best = report.validation_loss;
      progress.update(static_cast<std::uint64_t>(report.epoch),
                      static_cast<std::uint64_t>(report.epochs),
                      fmt::format("loss {:.4f}  validation {:.4f} (best {:.4f})", report.train_loss,
                                  report.validation_loss, best));
      return !InterruptGuard::interrupted();
    });
  }
  if (InterruptGuard::interrupted()) {
    fmt::print(stderr, "interrupted after {} epochs: keeping the best so far\n", result.epochs_run);
  }
  if (result.diverged) {
    fmt::print(stderr, "the loss diverged after {} epochs: keeping the best before\n",
               result.epochs_run);
  }
  const std::string description = to_json(ModelFile{result.spec, checkpoint.filename().string(),
                                                    recorded_split(result.split, dataset)});
  write_checkpoint(checkpoint, result.weights);
  write_file_atomically(model_file_of(checkpoint), description);
  return result;
}

int run(TrainArguments arguments) {
  arguments.options.conv = conv_names().at(arguments.conv);
  arguments.options.pooling = aggregation_names().at(arguments.pooling);
  arguments.options.batch_norm = !arguments.no_batch_norm;
  check_output(arguments.output, arguments.dataset.files());
  const Dataset data = arguments.dataset.open();
  print_notes(data.notes);
  const TrainResult result = train_and_save(data, arguments.options, arguments.output);
  if (arguments.json) {
    write_output("", as_json(result, arguments.output));
  } else {
    fmt::print("{}\nbest of {} epochs: {} (validation loss {:.4f}); wrote {} and its model file\n",
               as_text(result), result.epochs_run, result.best_epoch, result.validation_loss,
               arguments.output);
  }
  return InterruptGuard::interrupted() ? kInterrupted : kFine;
}

}  // namespace

std::string check_checkpoint_name(const std::string& path) {
  return has_checkpoint_extension(path) ? std::string()
                                        : "the checkpoint must end in .safetensors, .pt or .pth";
}

void add_train_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(kTrain.name, kTrain.description);
  command->footer(
      "The defaults are the paper's. Ctrl-C keeps the best epoch so far (exit code 130).\n\n"
      "Example:\n  fewedits train --dataset data/Mutagenicity --seed 1 -o model.safetensors");
  auto arguments = std::make_shared<TrainArguments>();
  TrainOptions& o = arguments->options;
  command
      ->add_option("--dataset", arguments->dataset.path,
                   "TU folder or .zip, .smi, .csv, .sdf, .few")
      ->required();
  command
      ->add_option("-o,--output", arguments->output,
                   "checkpoint to write (.safetensors, .pt or .pth); the model file goes beside it")
      ->required()
      ->check(check_checkpoint_name);
  const auto number = [&](const char* flag, auto& value, const char* help, double low,
                          double high) {
    command->add_option(flag, value, help)->check(number_from(low, high))->capture_default_str();
  };
  command->add_option("--conv", arguments->conv, "gcn, gin, gine (which sees bonds), sage or gat")
      ->check(CLI::IsMember(conv_names()))
      ->capture_default_str();
  number("--layers", o.layers, "message-passing layers", 1, 100);
  number("--width", o.width, "features per layer", 1, 4096);
  number("--heads", o.heads, "attention heads (gat)", 1, 1024);
  number("--embedding", o.embedding, "features of an embedding of node labels; 0: one-hot", 0,
         4096);
  command->add_option("--pooling", arguments->pooling, "max, mean or sum")
      ->check(CLI::IsMember(aggregation_names()))
      ->capture_default_str();
  command->add_flag("--jumping", o.jumping, "pool every layer's output, side by side");
  command->add_flag("--no-batch-norm", arguments->no_batch_norm, "leave batch norm out");
  command->add_option("--head", o.head_widths, "hidden widths of an MLP head, e.g. --head 64 32")
      ->check(CLI::Range(1, 4096));
  number("--epochs", o.epochs, "passes over the training graphs", 1, 1e9);
  number("--batch-size", o.batch_size, "graphs per step", 1, 1e6);
  number("--learning-rate", o.learning_rate, "Adam's step size", 1e-12, 1e3);
  number("--weight-decay", o.weight_decay, "L2 penalty", 0, 1e3);
  number("--train-share", o.train_share, "share of graphs to train on", 0, 1);
  number("--validation-share", o.validation_share, "share of graphs that choose the epoch", 0, 1);
  command->add_option("--seed", o.seed, "random seed of split, weights and order")
      ->check(check_unsigned)
      ->capture_default_str();
  command->add_flag("--json", arguments->json, "print the result as JSON");
  arguments->dataset.add_to(*command);
  command->callback([=, &action] { action = [=] { return run(*arguments); }; });
}

}  // namespace fewedits::cli
