// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <chrono>
#include <memory>

#include "commands.hpp"
#include "console.hpp"
#include "fewedits/classifier/aligned_classifier.hpp"
#include "fewedits/classifier/model_file.hpp"
#include "fewedits/classifier/native/native_classifier.hpp"
#include "fewedits/formats/csv_cell.hpp"
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

/// Nothing where the dataset has no classes.
struct TrueClass {
  std::string index;
  std::string name;
};
TrueClass true_class(const Dataset& data, std::size_t graph) {
  if (data.classes.empty()) return {};
  const int c = data.classes[graph];
  return {std::to_string(c), data.class_labels[static_cast<std::size_t>(c)].name};
}

const std::string& predicted_name(const Predictions& p, std::size_t graph) {
  return p.names[static_cast<std::size_t>(p.predicted[graph])];
}

std::string as_csv(const Dataset& data, const Predictions& p) {
  fmt::memory_buffer out;
  const auto to = std::back_inserter(out);
  fmt::format_to(to, "graph,tu_graph,class,class_name,predicted,predicted_name");
  for (std::size_t c = 0; c < p.classes; ++c) fmt::format_to(to, ",logprob{}", c);
  fmt::format_to(to, "\n");
  for (std::size_t i = 0; i < data.size(); ++i) {
    const TrueClass own = true_class(data, i);
    fmt::format_to(to, "{},{},{},{},{},{}", i, data.source_index[i], own.index, csv_cell(own.name),
                   p.predicted[i], csv_cell(predicted_name(p, i)));
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
  json["predicted_names"] = p.names;
  json["predictions"] = nlohmann::json::array();
  for (std::size_t i = 0; i < data.size(); ++i) {
    const auto row = p.log_probabilities.begin() + static_cast<std::ptrdiff_t>(i * p.classes);
    const bool has_class = !data.classes.empty();
    json["predictions"].push_back(
        {{"graph", i},
         {"tu_graph", data.source_index[i]},
         {"class", has_class ? nlohmann::json(data.classes[i]) : nlohmann::json()},
         {"class_name", has_class ? nlohmann::json(true_class(data, i).name) : nlohmann::json()},
         {"predicted", p.predicted[i]},
         {"predicted_name", predicted_name(p, i)},
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
  constexpr ClassMatch kAsFarAsKnown = ClassMatch::kOptional;
  if (arguments.kernels == "auto") return open_classifier(arguments.model, data, kAsFarAsKnown);
  return aligned(std::make_unique<NativeClassifier>(
                     load_classifier(arguments.model, kernels_by_name(arguments.kernels))),
                 data, kAsFarAsKnown);
}

int run(const PredictArguments& arguments) {
  protect_inputs(arguments.output,
                 joined({arguments.dataset.files(), model_files(arguments.model)}));
  const Dataset data = arguments.dataset.open();
  print_notes(data.notes);
  const auto model = opened(arguments, data);
  print_notes(model->notes());
  if (!model->knows_classes() && !data.classes.empty()) {
    print_notes(
        {"nothing says which of the model's outputs the classes of the dataset are: "
         "\"predicted\" is the output, and the accuracy is not known (docs/formats.md, "
         "\"Classes\")"});
  }
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
    return c < predictions.names.size() ? predictions.names[c] : dataset.class_labels[c].name;
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
      "Writes CSV (graph,tu_graph,class,class_name,predicted,predicted_name,logprob0,…), to\n"
      "standard output without -o.\n\n"
      "Example:\n  fewedits predict --dataset data/Mutagenicity --model gcn.pth -o out.csv");
  auto arguments = std::make_shared<PredictArguments>();
  command
      ->add_option("--dataset", arguments->dataset.path,
                   "TU folder or .zip, .smi, .csv, .sdf, .few")
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
  add_threads(*command, arguments->threads, &arguments->dataset);
  command->callback([=, &action] { action = [=] { return run(*arguments); }; });
}

}  // namespace fewedits::cli
