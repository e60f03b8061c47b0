// SPDX-License-Identifier: MIT
#include "comparison.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "console.hpp"
#include "fewedits/base/file.hpp"
#include "fewedits/base/sha256.hpp"
#include "fewedits/classifier/class_choice.hpp"
#include "fewedits/classifier/model_file.hpp"
#include "fewedits/search/option_table.hpp"
#include "fewedits/verification/recorded_rules.hpp"

namespace fewedits::cli {
namespace {

void note_if_other(const std::string& what, const std::string& path, const std::string& hash,
                   const std::string& recorded, const std::string& file) {
  if (recorded.empty() || hash == recorded) return;
  print_notes({fmt::format("{} was made with another {} than {}", file, what, path)});
}

/// Parameters of a kernel are part of what an explanation was made under.
void take_recorded_options(const Provenance& recorded, DistanceOptions& to) {
  // No others: some read files, and which those are is not the explanation's to say.
  ExplainOptions options;
  set_recorded(
      recorded, [](const OptionRow& row) { return !row.distance.empty(); }, options);
  to.wl = options.distance_options.wl;
  to.rw = options.distance_options.rw;
  to.nspd = options.distance_options.nspd;
}

void note_rejected(const std::string& file, const std::vector<Judgement>& judged) {
  std::vector<std::size_t> rejected;
  for (std::size_t i = 0; i < judged.size(); ++i) {
    if (!judged[i].accepted) rejected.push_back(i + 1);
  }
  if (rejected.empty()) return;
  fmt::print(stderr,
             "warning: the model does not accept {} of the {} graphs of {} as being in the desired "
             "class (number {}): they are no counterfactuals and do not count\n",
             rejected.size(), judged.size(), file, fmt::join(rejected, ", "));
}

}  // namespace

void ComparisonArguments::add_to(CLI::App& command) {
  command.add_option("FILE", file, "explanation, or list of graphs (JSON)")->required();
  command.add_option(
      "--dataset", dataset.path,
      "TU folder or .zip, .smi, .csv, .sdf, .few; without it, the one that FILE names");
  command.add_option("--model", model,
                     "classifier (.pth, .pt, .safetensors, .json); without it, the one that FILE "
                     "names");
  add_distance_option(command, distance);
  command.add_option(
      "--greed-model", distance_options.model,
      "greed: distance model (.pt, .pth, .safetensors); without it, the one that FILE "
      "names");
  command
      .add_option(
          "--theta", theta,
          fmt::format("covered means: within this normalised distance; without it, that of an "
                      "explanation under the same distance [else {}, or what is comparable under a "
                      "kernel]",
                      kEditTheta))
      ->check(check_share);
  command
      .add_option("--budget-work", distance_options.prove_work,
                  "certified: work on a pair before it stays undecided")
      ->check(check_unsigned)
      ->capture_default_str();
  command.add_option("-o,--output", output, "file to write");
  command.add_flag("--json", json, "JSON instead of text");
  dataset.add_to(command);
  add_threads(command, threads, &dataset);
}

GraphList ComparisonArguments::read_graphs() {
  GraphList list = parse_graph_list(read_file(file, kMaxExplanationBytes), file);
  if (list.graphs.empty()) throw Error({file}, "has no graphs");
  const Provenance none;
  const Provenance& recorded = list.provenance ? *list.provenance : none;
  if (dataset.path.empty()) dataset.take_recorded(recorded, file);
  if (model.empty() && !recorded.black_box.empty()) {
    throw Error(
        {file},
        fmt::format("was made with a model that is in no file: {}", in_quotes(recorded.black_box)),
        "ask in Python, where it is (docs/python.md), or give --model FILE");
  }
  model = recorded_path("model", model, recorded.model_path, file);
  const DistanceKind kind = builtin_distances().at(distance);
  if (kind.needs_model && !recorded.distance_model_path.empty()) {
    distance_options.model =
        recorded_path("greed-model", distance_options.model, recorded.distance_model_path, file);
  }
  take_recorded_options(recorded, distance_options);
  if (!theta) theta = theta_of(list, distance, kind);
  return list;
}

void ComparisonArguments::check() const {
  if (theta && !(*theta > 0 && *theta < 1)) {
    throw Error(fmt::format("theta is {}; it must be between 0 and 1, both excluded", *theta),
                "give the largest normalised distance, e.g. --theta 0.1");
  }
  check_distance_model(distance, distance_options.model);
  check_output(output);
}

void ComparisonArguments::check_output(const std::string& path) const {
  if (is_stdout(path)) return;
  check_writable(path);
  protect_inputs(path,
                 joined({dataset.files(), model_files(model), {file, distance_options.model}}));
}

bool ComparisonArguments::proves() const { return builtin_distances().at(distance).proves; }

namespace {

/// New data may have no classes, or others: counterfactuals are for the output of the model that
/// they were made for.
Dataset open_data(const ComparisonArguments& arguments, const GraphList& list) {
  if (!list.classes) return arguments.dataset.open_with_desired();
  DatasetArguments with_model = arguments.dataset;
  with_model.has_model = true;
  Dataset data = with_model.open();
  if (!data.has_desired()) data.desired_column = list.classes->column;
  return data;
}

}  // namespace

ComparisonMaterial material_with(const std::string& model, Dataset data, const std::string& file,
                                 std::optional<Provenance> recorded,
                                 const std::vector<std::string>& edge_label_names,
                                 bool is_of_the_data) {
  std::unique_ptr<const Classifier> classifier = open_classifier(model, data);
  print_notes(classifier->notes());
  Goal goal(desired_class(data, *classifier));
  GraphView view(data, edge_label_names, file);
  InputSelection selection;
  if (recorded) {
    note_if_other("model", model, model_hash(model), recorded->model_hash, file);
    goal.acceptance = recorded_acceptance(*recorded, file);
    if (is_of_the_data) selection = recorded_selection(*recorded, data, model, file);
  }
  return {std::move(data),
          std::move(classifier),
          goal,
          std::move(selection),
          {},
          std::move(recorded),
          {},
          is_of_the_data,
          std::move(view)};
}

ComparisonMaterial open_material(const ComparisonArguments& arguments, GraphList list) {
  if (!list.edge_label_names.empty() && !arguments.proves()) {
    print_notes({fmt::format("the distance {} knows no bonds, which {} uses: it leaves them out",
                             arguments.distance, arguments.file)});
  }
  Dataset data = open_data(arguments, list);
  print_notes(data.notes);
  share_labels(arguments.file, list, data);
  const bool same =
      list.provenance &&
      list.provenance->dataset_hash == dataset_fingerprint(data, !list.edge_label_names.empty());
  ComparisonMaterial out = material_with(arguments.model, std::move(data), arguments.file,
                                         std::move(list.provenance), list.edge_label_names, same);
  out.graphs = std::move(list.graphs);
  out.proofs = std::move(list.proofs);
  // A list asks for what explanations ask for by themselves.
  if (!out.provenance) out.goal.acceptance = {arguments.proves() ? kSafeLead : 0, 0};
  const std::string& distance_model = arguments.distance_options.model;
  if (out.provenance && !distance_model.empty()) {
    note_if_other("distance model", distance_model, sha256_hex(read_file(distance_model)),
                  out.provenance->distance_model_hash, arguments.file);
  }
  return out;
}

void note_other_data(const ComparisonArguments& arguments, const ComparisonMaterial& material) {
  if (!material.provenance || material.is_of_the_data) return;
  print_notes(
      {fmt::format("{} was made for other data than {}", arguments.file, arguments.dataset.path)});
}

Evaluation compare(const ComparisonArguments& arguments, const ComparisonMaterial& material,
                   std::vector<std::uint32_t> inputs, ThreadPool& pool) {
  const InterruptGuard guard;
  ProgressLine progress;
  DistanceOptions options = arguments.distance_options;
  options.theta = arguments.theta.value_or(kEditTheta);
  options.stop = &InterruptGuard::sign();
  options.costs.relabel_edge = material.view.has_bonds() ? 1 : 0;
  const DistanceKind kind = builtin_distances().at(arguments.distance);
  const auto distance = kind.make(kind.proves ? material.view.of(material.data, inputs)
                                              : without_edge_labels(material.data, inputs),
                                  material.data.node_labels.size(), options, pool);
  const double theta =
      arguments.theta ? *arguments.theta : default_theta(kind, *distance, options.seed, pool);
  Evaluation out =
      evaluate_graphs(material.graphs, *material.classifier, material.goal, std::move(inputs),
                      *distance, theta, material.is_of_the_data ? material.proofs : ProvenPairs(),
                      pool, [&](std::size_t done, std::size_t total) {
                        progress.update(done, total, {});
                        return !InterruptGuard::interrupted();
                      });
  note_rejected(arguments.file, out.judged);
  return out;
}

int finish(const Evaluation& evaluation) {
  if (evaluation.proof.complete) return kFine;
  fmt::print(stderr,
             "fewedits: interrupted; the figures rest on what was proven so far, pairs that were "
             "not compared count as not covered\n");
  return kInterrupted;
}

}  // namespace fewedits::cli
