// SPDX-License-Identifier: MIT
// What a checkpoint holds, which network that probably is, and a model file to start from.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "commands.hpp"
#include "console.hpp"
#include "fewedits/base/error.hpp"
#include "fewedits/classifier/model_file.hpp"
#include "fewedits/classifier/model_guess.hpp"
#include "json_text.hpp"

namespace fewedits::cli {
namespace {

struct ModelArguments {
  std::string checkpoint;
  std::string output;
  bool json = false;
};

std::string tensor_table(const StateDict& weights) {
  std::vector<std::vector<std::string>> rows{{"tensor", "shape", "type"}};
  for (const std::string& name : tensor_names(weights)) {
    const Tensor& tensor = weights.at(name);
    rows.push_back({in_quotes(name), fmt::format("[{}]", fmt::join(tensor.shape, ", ")),
                    name_of(tensor.dtype)});
  }
  return table(rows);
}

nlohmann::ordered_json tensors_json(const StateDict& weights) {
  auto out = nlohmann::ordered_json::array();
  for (const std::string& name : tensor_names(weights)) {
    const Tensor& tensor = weights.at(name);
    out.push_back({{"name", name}, {"shape", tensor.shape}, {"type", name_of(tensor.dtype)}});
  }
  return out;
}

void print_list(const char* title, const std::vector<std::string>& items) {
  if (items.empty()) return;
  fmt::print("\n{}\n", title);
  for (const std::string& item : items) fmt::print("  {}\n", item);
}

std::string draft_of(const ModelArguments& arguments, const ModelGuess& guess) {
  return to_json({guess.spec, std::filesystem::path(arguments.checkpoint).filename().string()});
}

std::string as_json(const ModelArguments& arguments, const CheckpointWeights& weights,
                    const ModelGuess& guess) {
  nlohmann::ordered_json json{{"checkpoint", arguments.checkpoint}};
  json["tensors"] = tensors_json(weights.model);
  json["training"] = tensors_json(weights.training);
  json["recognised"] = guess.parts;
  json["check"] = guess.to_check;
  json["problems"] = guess.problems;
  json["model_file"] = nullptr;
  if (guess.problems.empty()) {
    json["model_file"] = nlohmann::ordered_json::parse(draft_of(arguments, guess));
  }
  return json_text(json, 1) + "\n";
}

/// A model file names its weights as they lie beside it; and one that is there was perhaps checked
/// by hand.
void check_output(const ModelArguments& arguments) {
  const std::filesystem::path output(arguments.output);
  if (arguments.output.empty()) return;
  protect_inputs(arguments.output, {arguments.checkpoint});
  if (output.extension() != ".json") {
    throw Error({arguments.output}, "a model file ends in .json");
  }
  const auto folder = [](const std::filesystem::path& file) {
    return std::filesystem::absolute(file).lexically_normal().parent_path();
  };
  if (!same_file(folder(output), folder(arguments.checkpoint))) {
    throw Error({arguments.output}, "a model file lies beside its weights",
                fmt::format("write it to {}", folder(arguments.checkpoint).string()));
  }
  if (std::filesystem::exists(output)) {
    throw Error({arguments.output}, "exists already, and is not replaced by a draft",
                "take another name, or move it away");
  }
  check_writable(output);
}

void print_guess(const ModelArguments& arguments, const CheckpointWeights& weights,
                 const ModelGuess& guess) {
  fmt::print("{}", tensor_table(weights.model));
  if (!weights.training.empty()) {
    fmt::print("\nof the training, not of the model, and left out:\n{}",
               tensor_table(weights.training));
  }
  print_list("recognised, by names and shapes:", guess.parts);
  if (!guess.problems.empty()) return;
  print_list("the weights do not tell, check:", guess.to_check);
  if (arguments.output.empty()) {
    fmt::print("\nmodel file, to be saved beside the weights:\n{}", draft_of(arguments, guess));
  } else {
    fmt::print("\nwrote {}\n", arguments.output);
  }
}

int run(const ModelArguments& arguments) {
  check_output(arguments);
  std::error_code unknown;  // what is no file at all is told by the reader
  if (std::filesystem::file_size(arguments.checkpoint, unknown) == 0 && !unknown) {
    throw Error({arguments.checkpoint}, "the file is empty");
  }
  const CheckpointWeights weights = load_weights(arguments.checkpoint);
  const ModelGuess guess = guess_model(weights.model);
  if (guess.problems.empty() && !arguments.output.empty()) {
    write_output(arguments.output, draft_of(arguments, guess));
  }
  if (arguments.json) {
    fmt::print("{}", as_json(arguments, weights, guess));
  } else {
    print_guess(arguments, weights, guess);
  }
  if (guess.problems.empty()) return kFine;
  throw Error({arguments.checkpoint},
              fmt::format("no model file can be drafted: {}", fmt::join(guess.problems, "; ")),
              "docs/formats.md says which models a model file can describe");
}

}  // namespace

void add_model_command(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("model", "List the tensors of a checkpoint and draft its model file");
  command->footer(
      "Layers, norms and head follow from names and shapes; what has no weights, such as "
      "activations "
      "and pooling, is supposed and listed for you to check.\n\n"
      "Example:\n  fewedits model gin.pt -o gin.json");
  auto arguments = std::make_shared<ModelArguments>();
  command->add_option("checkpoint", arguments->checkpoint, "checkpoint (.pt, .pth, .safetensors)")
      ->required();
  command->add_option("-o,--output", arguments->output, "model file to write (.json)");
  command->add_flag("--json", arguments->json, "print everything as JSON");
  command->callback([=, &action] { action = [=] { return run(*arguments); }; });
}

}  // namespace fewedits::cli
