// SPDX-License-Identifier: MIT
#include "comparison.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "console.hpp"
#include "fewedits/base/file.hpp"
#include "fewedits/base/sha256.hpp"
#include "fewedits/classifier/model_file.hpp"
#include "fewedits/explanation/proofs.hpp"

namespace fewedits::cli {
namespace {

/// Index of each name among the known ones; `who` does not know it otherwise.
std::vector<Label> match(const std::vector<std::string>& names,
                         const std::vector<std::string>& known, const std::string& who) {
  std::vector<Label> to;
  for (const std::string& name : names) {
    const auto it = std::find(known.begin(), known.end(), name);
    if (it == known.end()) {
      throw Error(fmt::format("{} does not know the node label {}", who, fewedits::quoted(name)),
                  fmt::format("it has {}; use graphs and a dataset of the same kind",
                              fmt::join(known, ", ")));
    }
    to.push_back(static_cast<Label>(it - known.begin()));
  }
  return to;
}

void relabel(std::vector<Graph>& graphs, const std::vector<Label>& to) {
  for (Graph& graph : graphs) graph = graph.relabelled(to);
}

void check_numbers(const std::string& file, const std::vector<Graph>& graphs, std::size_t labels) {
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    for (const Label label : graphs[i].labels()) {
      if (label < labels) continue;
      throw Error({file},
                  fmt::format("graph {} has the node label {}, the dataset has {} labels", i + 1,
                              label, labels),
                  "labels are counted from 0; \"node_labels\" can name them");
    }
  }
}

void share_labels(const std::string& file, GraphList& list, Dataset& data) {
  const std::vector<std::string> names = label_names(data).nodes;
  if (list.provenance) {
    relabel(data.graphs, match(names, list.label_names, file));
    data.node_labels.clear();
    for (const std::string& name : list.label_names) data.node_labels.push_back({0, name});
  } else if (!list.label_names.empty()) {
    relabel(list.graphs, match(list.label_names, names, "the dataset"));
  } else {
    check_numbers(file, list.graphs, names.size());
  }
}

/// New data may have no classes, or graphs of only one. With two, the desired one is class 1.
void complete_classes(const NativeClassifier& model, Dataset& data) {
  if (data.class_labels.size() >= model.num_classes()) return;
  if (model.num_classes() != 2) {
    throw Error(fmt::format("the model tells {} classes apart, the dataset has {}",
                            model.num_classes(), data.class_labels.size()),
                "name all classes and the desired one in its metadata (--metadata)");
  }
  data.desired_class = 1;
}

void note_if_other(const std::string& what, const std::string& path, const std::string& hash,
                   const std::string& recorded, const std::string& file) {
  if (recorded.empty() || hash == recorded) return;
  print_notes({fmt::format("{} was made with another {} than {}", file, what, path)});
}

CertifiedDistances proofs(CertifiedOptions options, const std::vector<Graph>& counterfactuals,
                          const std::vector<Graph>& inputs, const KnownWays& known,
                          ThreadPool& pool) {
  const InterruptGuard guard;
  ProgressLine progress("pairs");
  options.ged.budget.stop = &InterruptGuard::flag();
  return certified_distances(
      counterfactuals, inputs, options, pool,
      [&](std::size_t done, std::size_t total) {
        progress.update(done, total, {});
        return !InterruptGuard::interrupted();
      },
      known);
}

/// The ways that the file itself has from the inputs to those of its graphs.
KnownWays ways_in_file(const ComparisonMaterial& material, const Comparison& comparison) {
  if (material.proofs.empty() || !material.is_of_the_data) return {};
  std::vector<std::vector<ProvenPair>> proofs;
  for (const std::uint32_t place : comparison.places) proofs.push_back(material.proofs[place]);
  return known_ways(proofs, comparison.result.inputs);
}

void note_rejected(const std::string& file, const std::vector<Judgement>& judged) {
  std::vector<std::size_t> rejected;
  for (std::size_t i = 0; i < judged.size(); ++i) {
    if (!judged[i].accepted) rejected.push_back(i + 1);
  }
  if (rejected.empty()) return;
  fmt::print(stderr,
             "warning: the model rejects {} of the {} graphs of {} (number {}): they are no "
             "counterfactuals and do not count\n",
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
  command
      .add_option("--distance", distance,
                  "certified (proven edits), greed (neural estimate), wl, rw, nspd (graph kernels)")
      ->check(CLI::IsMember({"certified", "greed", "wl", "rw", "nspd"}))
      ->capture_default_str();
  command.add_option(
      "--greed-model", estimate.greed_model,
      "greed: distance model (.pt, .pth, .safetensors); without it, the one that FILE "
      "names");
  command.add_option(
      "--theta", given_theta,
      fmt::format("covered means: within this normalised distance; without it, that of an "
                  "explanation [else {}]",
                  certified.theta));
  command
      .add_option("--budget-work", certified.ged.budget.work,
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
  if (distance == "greed" && !recorded.distance_model_path.empty()) {
    estimate.greed_model =
        recorded_path("greed-model", estimate.greed_model, recorded.distance_model_path, file);
  }
  certified.theta = given_theta.value_or(list.theta.value_or(certified.theta));
  return list;
}

void ComparisonArguments::check() const {
  if (!(theta() > 0 && theta() < 1)) {
    throw Error(fmt::format("theta is {}; it must be between 0 and 1, both excluded", theta()),
                "give the largest normalised distance, e.g. --theta 0.1");
  }
  check_greed_model(distance, estimate.greed_model);
  check_output(output);
}

void ComparisonArguments::check_output(const std::string& path) const {
  if (is_stdout(path)) return;
  check_writable(path);
  protect_inputs(path, {file, dataset.path, dataset.metadata, model, estimate.greed_model});
}

ComparisonMaterial open_material(const ComparisonArguments& arguments, GraphList list) {
  Dataset data = arguments.dataset.open();
  print_notes(data.notes);
  NativeClassifier model = load_classifier(arguments.model);
  share_labels(arguments.file, list, data);
  complete_classes(model, data);
  if (list.provenance) {
    note_if_other("model", arguments.model, model_hash(arguments.model),
                  list.provenance->model_hash, arguments.file);
    if (const std::string& greed = arguments.estimate.greed_model; !greed.empty()) {
      note_if_other("distance model", greed, sha256_hex(read_file(greed)),
                    list.provenance->distance_model_hash, arguments.file);
    }
  }
  const bool same = list.provenance && list.provenance->dataset_hash == dataset_fingerprint(data);
  return {std::move(data),        std::move(model),
          std::move(list.graphs), std::move(list.provenance),
          std::move(list.proofs), same};
}

void note_other_data(const ComparisonArguments& arguments, const ComparisonMaterial& material) {
  if (!material.provenance || material.is_of_the_data) return;
  print_notes(
      {fmt::format("{} was made for other data than {}", arguments.file, arguments.dataset.path)});
}

Comparison compare(const ComparisonArguments& arguments, const ComparisonMaterial& material,
                   const Classifier& classifier, std::vector<std::uint32_t> inputs,
                   ThreadPool& pool) {
  Comparison out;
  out.judged = judge(material.graphs, classifier,
                     static_cast<std::size_t>(material.data.desired_class), pool);
  note_rejected(arguments.file, out.judged);
  std::vector<Graph> accepted;
  for (std::uint32_t i = 0; i < out.judged.size(); ++i) {
    if (!out.judged[i].accepted) continue;
    out.places.push_back(i);
    accepted.push_back(material.graphs[i]);
    Counterfactual& c = out.result.counterfactuals.emplace_back();
    c.graph = material.graphs[i];
    c.probability = out.judged[i].probability;
  }
  out.result.theta = arguments.theta();
  out.result.inputs = std::move(inputs);
  const auto targets = without_edge_labels(material.data, out.result.inputs);
  if (!arguments.proves()) {
    fill_metrics(
        estimates(arguments.distance, arguments.estimate, material.data, accepted, targets, pool),
        out.result);
    return out;
  }
  out.proof = proofs(arguments.certified, accepted, targets, ways_in_file(material, out), pool);
  out.possible = out.result;
  fill_metrics(out.proof.normalized_upper(), out.result);
  fill_metrics(out.proof.normalized_lower(), *out.possible);
  return out;
}

int finish(const Comparison& comparison) {
  if (comparison.proof.complete) return kFine;
  fmt::print(
      stderr,
      "fewedits: interrupted; the figures rest on what was proven so far, pairs that were not "
      "compared count as not covered\n");
  return kInterrupted;
}

}  // namespace fewedits::cli
