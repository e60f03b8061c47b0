// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <chrono>
#include <memory>

#include "commands.hpp"
#include "console.hpp"
#include "fewedits/classifier/aligned_classifier.hpp"
#include "fewedits/classifier/model_file.hpp"
#include "fewedits/classifier/native/native_classifier.hpp"
#include "json_text.hpp"

namespace fewedits::cli {
namespace {

struct PredictArguments {
  DatasetArguments dataset;
  std::string model;
  std::string output;
  std::string kernels = "auto";
  bool json = false;
  int threads = 0;
};

std::string as_csv(const Dataset& data, const Predictions& p) {
  fmt::memory_buffer out;
  const auto to = std::back_inserter(out);
  fmt::format_to(to, "graph,tu_graph,predicted");
  for (std::size_t c = 0; c < p.classes; ++c) fmt::format_to(to, ",logprob{}", c);
  fmt::format_to(to, "\n");
  for (std::size_t i = 0; i < data.size(); ++i) {
    fmt::format_to(to, "{},{},{}", i, data.source_index[i], p.predicted[i]);
    for (std::size_t c = 0; c < p.classes; ++c) {
      fmt::format_to(to, ",{}", p.log_probabilities[i * p.classes + c]);
    }
    fmt::format_to(to, "\n");
  }
  return fmt::to_string(out);
}

std::string as_json(const Dataset& data, const PredictArguments& arguments, const Predictions& p) {
  nlohmann::ordered_json json{{"dataset", data.name},
                              {"model", arguments.model},
                              {"graphs", data.size()},
                              {"accuracy", nullptr}};
  if (p.accuracy) json["accuracy"] = *p.accuracy;
  std::vector<std::size_t> count(std::max(p.classes, data.class_labels.size()), 0);
  for (const int c : p.predicted) ++count[static_cast<std::size_t>(c)];
  json["predicted_counts"] = count;
  json["predictions"] = nlohmann::json::array();
  for (std::size_t i = 0; i < data.size(); ++i) {
    const auto row = p.log_probabilities.begin() + static_cast<std::ptrdiff_t>(i * p.classes);
    json["predictions"].push_back(
        {{"graph", i},
         {"tu_graph", data.source_index[i]},
         {"predicted", p.predicted[i]},
         {"logprobs", std::vector<float>(row, row + static_cast<std::ptrdiff_t>(p.classes))}});
  }
  return json_text(json, 1) + "\n";
}

void summarise(const Dataset& data, const Predictions& p, double seconds,
               const std::string& output) {
  if (p.accuracy) {
    fmt::print("{}\naccuracy {:.4f}\n", confusion_table(data, p), *p.accuracy);
  }
  fmt::print("classified {} graphs in {:.1f} ms; wrote {}\n", grouped(data.size()), seconds * 1e3,
             output);
}

/// Other kernels than the best are for those who compare them, and for native models alone.
std::unique_ptr<Classifier> opened(const PredictArguments& arguments, const Dataset& data) {
  if (arguments.kernels == "auto") return open_classifier(arguments.model, data);
  return aligned(std::make_unique<NativeClassifier>(
                     load_classifier(arguments.model, kernels_by_name(arguments.kernels))),
                 data);
}

int run(const PredictArguments& arguments) {
  protect_inputs(arguments.output,
                 joined({arguments.dataset.files(), model_files(arguments.model)}));
  const Dataset data = arguments.dataset.open();
  print_notes(data.notes);
  const auto model = opened(arguments, data);
  print_notes(model->notes());
  ThreadPool pool(arguments.threads);
  const auto start = std::chrono::steady_clock::now();
  const Predictions predictions = predict(data, *model, pool);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  write_output(arguments.output,
               arguments.json ? as_json(data, arguments, predictions) : as_csv(data, predictions));
  if (!arguments.output.empty() && arguments.output != "-") {
    summarise(data, predictions, elapsed.count(), arguments.output);
  }
  return kFine;
}

}  // namespace

std::string confusion_table(const Dataset& dataset, const Predictions& predictions) {
  const std::size_t classes = std::max(predictions.classes, dataset.class_labels.size());
  const auto name = [&](std::size_t c) {
    return c < dataset.class_labels.size() ? dataset.class_labels[c].name
                                           : fmt::format("class {}", c);
  };
  std::vector<std::vector<std::size_t>> count(classes, std::vector<std::size_t>(classes, 0));
  for (std::size_t i = 0; i < dataset.size(); ++i) {
    ++count[static_cast<std::size_t>(dataset.classes[i])]
           [static_cast<std::size_t>(predictions.predicted[i])];
  }
  std::vector<std::vector<std::string>> rows(1, {"true \\ predicted"});
  for (std::size_t c = 0; c < classes; ++c) rows[0].push_back(name(c));
  for (std::size_t c = 0; c < classes; ++c) {
    rows.push_back({name(c)});
    for (const std::size_t n : count[c]) rows.back().push_back(grouped(n));
  }
  return table(rows);
}

void add_predict_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("predict", "Classify the graphs of a dataset");
  command->footer(
      "Writes CSV (graph,tu_graph,predicted,logprob0,…), to standard output without -o.\n\n"
      "Example:\n  fewedits predict --dataset data/Mutagenicity --model gcn.pth -o out.csv");
  auto arguments = std::make_shared<PredictArguments>();
  command->add_option("--dataset", arguments->dataset.path, "TU folder or .zip, .smi, .csv, .sdf")
      ->required();
  command
      ->add_option("--model", arguments->model,
                   "checkpoint (.pt, .pth, .safetensors) or model file (.json)")
      ->required();
  command->add_option("-o,--output", arguments->output, "file to write");
  command->add_flag("--json", arguments->json, "JSON instead of CSV");
  command->add_option("--kernels", arguments->kernels, "auto, scalar, avx2 or avx512")
      ->check(CLI::IsMember({"auto", "scalar", "avx2", "avx512"}))
      ->capture_default_str();
  arguments->dataset.add_to(*command);
  add_threads(*command, arguments->threads);
  command->callback([=, &action] { action = [=] { return run(*arguments); }; });
}

}  // namespace fewedits::cli
