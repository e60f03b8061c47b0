// SPDX-License-Identifier: MIT
#include "comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "console.hpp"
#include "fewedits/base/file.hpp"
#include "fewedits/base/sha256.hpp"
#include "fewedits/classifier/class_choice.hpp"
#include "fewedits/classifier/model_file.hpp"
#include "fewedits/search/option_table.hpp"
#include "recorded_rules.hpp"

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
  static constexpr std::array kOfKernels{"wl-iterations", "rw-length", "rw-decay", "nspd-radius",
                                         "nspd-distance"};
  ExplainOptions options;
  for (const OptionRow& row : option_table()) {
    if (std::ranges::find(kOfKernels, row.name) == kOfKernels.end()) continue;
    for (const std::string& value : recorded.values_of(row.name)) row.set(value, options);
  }
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
  command.add_option("--dataset", dataset.path,
                     "TU folder or .zip, .smi, .csv, .sdf; without it, the one that FILE names");
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
  add_threads(command, threads);
}

GraphList ComparisonArguments::read_graphs() {
  GraphList list = parse_graph_list(read_file(file, kMaxExplanationBytes), file);
  if (list.graphs.empty()) throw Error({file}, "has no graphs");
  const Provenance none;
  const Provenance& recorded = list.provenance ? *list.provenance : none;
  if (dataset.path.empty()) dataset.take_recorded(recorded, file);
  model = recorded_path("model", model, recorded.model_path, file);
  const DistanceKind kind = builtin_distances().at(distance);
  if (kind.needs_model && !recorded.distance_model_path.empty()) {
    distance_options.model =
        recorded_path("greed-model", distance_options.model, recorded.distance_model_path, file);
  }
  take_recorded_options(recorded, distance_options);
  // A theta of another scale says nothing here.
  const bool same_scale =
      list.distance == distance || (kind.counts_edits && list.meaning != DistanceMeaning::kOther);
  if (!theta && same_scale) theta = list.theta;
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

/// What the explanation asks for; of a list, what explanations ask for by themselves.
Acceptance acceptance_of(const ComparisonArguments& arguments, const GraphList& list) {
  if (list.provenance) return recorded_acceptance(*list.provenance, arguments.file);
  return {arguments.proves() ? kSafeLead : 0, 0};
}

}  // namespace

ComparisonMaterial open_material(const ComparisonArguments& arguments, GraphList list) {
  Dataset data = open_data(arguments, list);
  print_notes(data.notes);
  share_labels(arguments.file, list, data);
  std::unique_ptr<const Classifier> classifier = open_classifier(arguments.model, data);
  print_notes(classifier->notes());
  if (list.provenance) {
    note_if_other("model", arguments.model, model_hash(arguments.model),
                  list.provenance->model_hash, arguments.file);
    if (const std::string& model = arguments.distance_options.model; !model.empty()) {
      note_if_other("distance model", model, sha256_hex(read_file(model)),
                    list.provenance->distance_model_hash, arguments.file);
    }
  }
  const bool same =
      list.provenance &&
      list.provenance->dataset_hash == dataset_fingerprint(data, !list.edge_label_names.empty());
  const Goal goal(desired_class(data, *classifier), acceptance_of(arguments, list));
  GraphView view(data, list.edge_label_names, arguments.file);
  if (view.has_bonds() && !arguments.proves()) {
    throw Error(fmt::format("the distance {} knows no bonds, which {} uses", arguments.distance,
                            arguments.file),
                "take --distance certified");
  }
  InputSelection selection;
  if (same) {
    selection = recorded_selection(*list.provenance, data, arguments.model, arguments.file);
  }
  return {std::move(data),
          std::move(classifier),
          goal,
          std::move(selection),
          std::move(list.graphs),
          std::move(list.provenance),
          std::move(list.proofs),
          same,
          std::move(view)};
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
  const auto distance = kind.make(material.view.of(material.data, inputs),
                                  material.data.node_labels.size(), options, pool);
  const double theta = arguments.theta || kind.counts_edits
                           ? options.theta
                           : comparable_thetas(*distance, {kEditTheta}, options.seed, pool)[0];
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
