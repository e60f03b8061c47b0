// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>

#include "commands.hpp"
#include "console.hpp"
#include "distance_tools.hpp"
#include "explain_report.hpp"
#include "explained.hpp"
#include "fewedits/base/file.hpp"
#include "fewedits/base/sha256.hpp"
#include "fewedits/classifier/model_file.hpp"
#include "fewedits/explanation/explanation_json.hpp"
#include "run_folder.hpp"

namespace fewedits::cli {
namespace {

struct ExplainArguments {
  DatasetArguments dataset;
  ExplainOptions options;
  std::string model;
  std::string method = "gcf";
  std::string distance = "certified";
  std::string greed_model;
  std::vector<std::string> constraints;
  std::string run_folder;
  bool resume = false;
  bool no_refine = false;
  bool no_reinforcement = false;
  bool no_importance = false;
  bool uniform_teleport = false;
  std::string ties = "coverage";
  double save_seconds = 30;
  std::uint64_t cache_megabytes = 1024;
  std::string output;
  std::vector<std::string> exports;
  std::string report;
  int threads = 0;
};

/// All that is read from disk.
struct Material {
  Dataset data;
  NativeClassifier model;
  std::optional<GinEmbedder> greed;
};

Material open_material(const ExplainArguments& arguments) {
  Dataset data = arguments.dataset.open();
  print_notes(data.notes);
  for (const std::string& file : arguments.exports) check_export(data.domain, file);
  NativeClassifier model = load_classifier(arguments.model);
  std::optional<GinEmbedder> greed;
  if (arguments.distance == "greed") greed.emplace(open_embedder(arguments.greed_model, data));
  return {std::move(data), std::move(model), std::move(greed)};
}

ExplainOptions options_of(const ExplainArguments& arguments, const Material& material) {
  ExplainOptions options = arguments.options;
  options.method = arguments.method == "gcf" ? ExplainMethod::kGcf : ExplainMethod::kGroundTruth;
  if (material.greed) options.greed = &*material.greed;
  options.refine = !arguments.no_refine;
  options.reinforcement = !arguments.no_reinforcement;
  options.importance = !arguments.no_importance;
  options.dynamic_teleport = !arguments.uniform_teleport;
  options.ties = arguments.ties == "coverage" ? CandidateTies::kCoverage : CandidateTies::kEarliest;
  options.cache_bytes = arguments.cache_megabytes << 20;
  const LabelNames names = label_names(material.data);
  for (const std::string& text : arguments.constraints) {
    add_constraint(text, names.nodes, options.constraints);
  }
  check(options);
  return options;
}

/// The files and constraints behind an explanation; what explain() knows itself is left out.
Provenance provenance_of(const ExplainArguments& arguments) {
  Provenance out;
  out.dataset_path = arguments.dataset.path;
  out.model_path = arguments.model;
  out.model_hash = model_hash(arguments.model);
  if (arguments.distance == "greed") {
    out.distance_model_path = arguments.greed_model;
    out.distance_model_hash = sha256_hex(read_file(arguments.greed_model));
  }
  for (const std::string& text : arguments.constraints)
    out.options.emplace_back("constraint", text);
  return out;
}

/// Adds them to what explain() noted, and how the dataset was read.
void complete(const Provenance& from, const DatasetArguments& dataset, Provenance& to) {
  to.dataset_path = from.dataset_path;
  to.model_path = from.model_path;
  to.model_hash = from.model_hash;
  to.distance_model_path = from.distance_model_path;
  to.distance_model_hash = from.distance_model_hash;
  to.options.insert(to.options.end(), from.options.begin(), from.options.end());
  const auto flags = dataset.flags();
  to.options.insert(to.options.end(), flags.begin(), flags.end());
}

/// What a run must have in common with the one it resumes: all but the limit that only says when
/// to stop.
RunSettings settings_of(const ExplainArguments& arguments, const Dataset& data,
                        const ExplainOptions& options, const Provenance& provenance) {
  RunSettings out{{"program", "fewedits " + version()},
                  {"dataset", dataset_fingerprint(data)},
                  {"model", provenance.model_hash},
                  {"distance", arguments.distance},
                  {"distance model", provenance.distance_model_hash},
                  {"method", arguments.method},
                  {"seed", fmt::format("{}", options.seed)}};
  for (const auto& setting : describe(options)) {
    if (setting.first != "time-limit") out.push_back(setting);
  }
  out.insert(out.end(), provenance.options.begin(), provenance.options.end());
  return out;
}

/// A model of another dataset with as many labels cannot be told by its shape, but it hardly beats
/// always giving the same answer.
void doubt_model(const Dataset& data, const RejectedGraphs& graphs) {
  if (data.classes.empty()) return;
  const auto desired = [&](std::uint32_t i) { return data.classes[i] == data.desired_class; };
  const auto count = [&](const std::vector<std::uint32_t>& of) {
    return static_cast<std::size_t>(std::count_if(of.begin(), of.end(), desired));
  };
  const std::size_t accepted = count(graphs.accepted);  // and rightly so
  const std::size_t rejected = count(graphs.rejected);  // wrongly
  const std::size_t wrong = graphs.accepted.size() - accepted + rejected;
  const std::size_t guessing = std::min(accepted + rejected, data.size() - accepted - rejected);
  if (guessing == 0 || 10 * wrong < 9 * guessing) return;
  print_notes(
      {fmt::format("the model is wrong on {} of {} graphs; always giving the same answer "
                   "would be on {}. Is it the model of this dataset?",
                   wrong, data.size(), guessing)});
}

void check_arguments(const ExplainArguments& arguments) {
  check_greed_model(arguments.distance, arguments.greed_model);
  if (arguments.distance != "greed" && !arguments.greed_model.empty()) {
    print_notes({"--greed-model is not needed: distances are proven (--distance greed uses it)"});
  }
  if (arguments.distance != "greed" && arguments.ties != "coverage") {
    print_notes({"--ties makes no difference: only --distance greed looks at coverage for ties"});
  }
  if (arguments.method != "gcf" && !arguments.run_folder.empty()) {
    throw Error("--run-dir goes with --method gcf: the baseline is not saved, it takes a minute",
                "leave it out");
  }
  if (arguments.resume && arguments.run_folder.empty()) {
    throw Error("--resume needs the folder of the run (--run-dir DIR)");
  }
  std::vector<std::string> outputs = arguments.exports;
  outputs.push_back(arguments.output);
  if (!arguments.report.empty()) outputs.push_back(arguments.report);
  for (const std::string& output : outputs) {
    if (is_stdout(output)) continue;
    if (!arguments.run_folder.empty() &&
        std::filesystem::weakly_canonical(RunFolder::file_in(arguments.run_folder)) ==
            std::filesystem::weakly_canonical(output)) {
      throw Error({output}, "is where the run is saved", "choose another output file");
    }
    check_writable(output);
    protect_inputs(output, {arguments.dataset.path, arguments.dataset.metadata, arguments.model,
                            arguments.greed_model});
  }
}

void check_outputs(const ExplainArguments& arguments) {
  if (arguments.report == "-") throw CLI::ValidationError("--report", "needs a file to write to");
  NamedOutputs outputs{{"--output", arguments.output}};
  for (const std::string& file : arguments.exports) outputs.emplace_back("--export", file);
  if (!arguments.report.empty()) outputs.emplace_back("--report", arguments.report);
  check_outputs_differ(outputs);
}

/// One output that cannot be written must not take the others along.
bool attempt(const std::function<void()>& write) {
  try {
    write();
    return true;
  } catch (const std::exception& error) {
    fmt::print(stderr, "fewedits: {}\n", error.what());
    return false;
  }
}

/// A search may take hours: what cannot be written where it should goes to a temporary file.
/// Returns where it went; empty: nowhere.
std::string write_result(const std::string& output, const std::string& text) {
  if (attempt([&] { write_output(output, text); })) return output;
  std::string rescued;
  attempt([&] { rescued = write_temporary_file("fewedits-", ".json", text).string(); });
  return rescued;
}

/// Everything that was asked for; says what could not be written, and returns whether all was.
bool write_all(const ExplainArguments& arguments, Explanation explanation, const Dataset& data,
               double seconds, bool saved, ThreadPool& pool) {
  const std::string result = write_result(arguments.output, explanation_json(explanation));
  const bool in_place = result == arguments.output;
  bool all = in_place;
  for (const std::string& file : arguments.exports) {
    all &= attempt([&] { print_notes(export_counterfactuals(explanation, data.domain, file)); });
  }
  std::vector<std::string> written;
  if (!result.empty()) written.push_back(is_stdout(result) ? "to standard output" : result);
  explanation.seconds = seconds;
  if (!arguments.report.empty()) {
    const bool fine = attempt([&] {
      write_report({{explanation, result, {}}}, data, arguments.report, pool);
    });
    if (fine) written.push_back(arguments.report);
    all &= fine;
  }
  // Not among the JSON, if that went to stdout.
  fmt::print(
      is_stdout(arguments.output) ? stderr : stdout, "{}{}\n",
      explanation_report(explanation, data, seconds),
      written.empty() ? "wrote nothing" : fmt::format("wrote {}", fmt::join(written, " and ")));
  if (!in_place) {
    fmt::print(stderr, "fewedits: {}{}\n",
               result.empty() ? "the explanation could not be written"
                              : "the explanation is in " + result + " instead",
               saved ? "; --resume with another --output writes it again" : "");
  }
  return all;
}

int run(const ExplainArguments& arguments) {
  check_arguments(arguments);
  const Material material = open_material(arguments);
  const ExplainOptions options = options_of(arguments, material);
  const AlignedClassifier classifier(material.data, material.model);
  ThreadPool pool(arguments.threads);
  const RejectedGraphs graphs = rejected_graphs(material.data, classifier, pool);
  doubt_model(material.data, graphs);
  ExplainHooks hooks;
  hooks.save_seconds = arguments.save_seconds;
  std::optional<RunFolder> folder;
  bool saved = false;
  const Provenance provenance = provenance_of(arguments);
  RunSettings settings;
  if (!arguments.run_folder.empty()) {
    folder.emplace(arguments.run_folder, arguments.resume);
    settings = settings_of(arguments, material.data, options, provenance);
    hooks.resume = folder->load(settings, graphs.rejected.size(), material.data.node_labels.size());
    hooks.save = [&](const SearchState& state) { saved = folder->save(settings, state); };
  }
  const InterruptGuard guard;
  const auto start = std::chrono::steady_clock::now();
  const char* const to_go_on = ", and --resume goes on with the run";
  Explanation explanation;
  try {
    SearchProgress progress(options.time_limit);
    hooks.progress = std::ref(progress);
    explanation = explain(material.data, classifier, options, pool, hooks);
  } catch (const Error& error) {
    if (!InterruptGuard::interrupted()) throw;
    fmt::print(stderr, "fewedits: interrupted too early{}: {}\n", saved ? to_go_on : "",
               error.what());
    return kInterrupted;
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  complete(provenance, arguments.dataset, explanation.provenance);
  const bool all_written = write_all(arguments, explanation, material.data, elapsed.count(),
                                     saved || arguments.resume, pool);
  if (!InterruptGuard::interrupted()) return all_written ? kFine : kFailed;
  const std::string after =
      explanation.steps == 0
          ? ""
          : fmt::format(" after {} steps of the walk{}", explanation.steps,
                        explanation.refinement.empty() ? "" : " and part of the rest");
  fmt::print(stderr, "fewedits: interrupted{}; this is the best so far{}\n", after,
             saved ? to_go_on : "");
  return all_written ? kInterrupted : kFailed;
}

void add_search_options(CLI::App& command, ExplainArguments& a) {
  ExplainOptions& o = a.options;
  command.add_option("--k", o.k, "counterfactuals to choose")
      ->check(check_unsigned)
      ->capture_default_str();
  command.add_option("--theta", o.theta, "covered means: within this normalised distance")
      ->capture_default_str();
  command.add_option("--walk-theta", o.walk_theta, "the same during the walk")
      ->capture_default_str();
  command
      .add_option("--steps", o.steps,
                  "steps of the walk [50000; 300 if certified and refined, which takes them as "
                  "starting points]")
      ->check(check_unsigned);
  command
      .add_option("--alpha", o.alpha,
                  "weight of a graph's own coverage against what it adds to the candidates'")
      ->capture_default_str();
  command.add_option("--teleport", o.teleport, "chance to jump to an input")->capture_default_str();
  command
      .add_option("--candidates", o.candidates,
                  "most visited graphs to choose from; 0: as many as inputs")
      ->check(check_unsigned)
      ->capture_default_str();
  command
      .add_option(
          "--ties", a.ties,
          "greed: of graphs visited equally often, those with more coverage are candidates, "
          "or the earliest")
      ->check(CLI::IsMember({"coverage", "earliest"}))
      ->capture_default_str();
  command.add_option("--capacity", o.capacity, "graphs whose visits are counted")
      ->check(check_unsigned)
      ->capture_default_str();
  command
      .add_option(
          "--max-neighbours", o.max_neighbours,
          "look at so many neighbours of a graph at most (but for the certified refinement); 0: "
          "all")
      ->check(check_unsigned)
      ->capture_default_str();
  command
      .add_option("--min-probability", o.min_probability,
                  "that the model must give a graph, at least 0.5")
      ->capture_default_str();
  command
      .add_option("--patience", o.patience,
                  "end the walk after so many steps without a newly covered input; 0: never")
      ->check(check_unsigned)
      ->capture_default_str();
  command
      .add_option(
          "--time-limit", o.time_limit,
          "end the search after so many seconds and leave open what is undecided; every pair "
          "is still looked at once; the walk leaves a part to the refinement; 0: never")
      ->check(check_not_negative)
      ->capture_default_str();
  command.add_flag("--no-refine", a.no_refine, "the paper's algorithm alone");
  command
      .add_option("--refine-work", o.refine_work,
                  "greed: neighbours to evaluate while refining [4000000]; certified: units of "
                  "work, some 0.1 microseconds each [1900000000]")
      ->check(check_unsigned);
  command
      .add_option("--prove-work", o.prove_work,
                  "certified: units of work on a pair, at most twice, before it stays open")
      ->check(check_unsigned)
      ->capture_default_str();
  command.add_flag("--no-reinforcement", a.no_reinforcement, "the paper's ablation NVR");
  command.add_flag("--no-importance", a.no_importance, "the paper's ablation NIF");
  command.add_flag("--uniform-teleport", a.uniform_teleport, "the paper's ablation NDT");
  command.add_option("--seed", o.seed, "random seed")->check(check_unsigned)->capture_default_str();
  command.add_option("--constraint", a.constraints,
                     "valence, max-degree=4, max-degree=C:4, labels=C,N,O, pairs=C-C,C-N, "
                     "min-nodes=N, max-nodes=N, max-edges=N; may be repeated");
}

}  // namespace

void add_explain_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(
      "explain", "Find a few accepted graphs that are close to many rejected ones");
  command->footer(
      "Ctrl-C ends early and writes the best so far; with --run-dir it can be resumed.\n\n"
      "Examples:\n"
      "  fewedits explain --dataset data/Mutagenicity --model gcn.pth -o explanation.json\n"
      "  fewedits explain --dataset data/Mutagenicity --model gcn.pth --constraint valence \\\n"
      "      --min-probability 0.9 -o molecules.json\n"
      "  fewedits explain --dataset data/NCI1 --model gcn.pth --distance greed \\\n"
      "      --greed-model greed.pt --no-refine --run-dir run -o paper.json\n"
      "  # after Ctrl-C, to go on:\n"
      "  fewedits explain --dataset data/NCI1 --model gcn.pth --distance greed \\\n"
      "      --greed-model greed.pt --no-refine --run-dir run --resume -o paper.json");
  auto arguments = std::make_shared<ExplainArguments>();
  command->add_option("--dataset", arguments->dataset.path, "TU folder or .zip, .smi, .csv, .sdf")
      ->required();
  command->add_option("--model", arguments->model, "classifier (.pth, .pt, .safetensors, .json)")
      ->required();
  command->add_option("--method", arguments->method, "gcf: search; ground-truth: baseline")
      ->check(CLI::IsMember({"gcf", "ground-truth"}))
      ->capture_default_str();
  command
      ->add_option("--distance", arguments->distance,
                   "certified: proven edit distances; greed: the paper's neural estimate")
      ->check(CLI::IsMember({"greed", "certified"}))
      ->capture_default_str();
  command->add_option("--greed-model", arguments->greed_model,
                      "distance model (.pt, .pth, .safetensors)");
  command->add_option("-o,--output", arguments->output, "explanation to write (JSON)")->required();
  command->add_option("--export", arguments->exports,
                      "also write the counterfactuals as .graphml, .smi or .sdf");
  command->add_option("--report", arguments->report, "also write a page that shows it (HTML)");
  command->add_option("--run-dir", arguments->run_folder, "folder in which the run is saved");
  command->add_flag("--resume", arguments->resume, "go on with the run in --run-dir");
  command
      ->add_option("--save-seconds", arguments->save_seconds,
                   "how often it is saved; the certified refinement "
                   "at sixteenths of its work at most")
      ->check(check_not_negative)
      ->capture_default_str();
  command->add_option("--cache-mb", arguments->cache_megabytes, "memory for graphs seen before")
      ->check(check_unsigned)
      ->capture_default_str();
  add_search_options(*command, *arguments);
  arguments->dataset.add_to(*command);
  add_threads(*command, arguments->threads);
  command->callback([=, &action] {
    if (is_stdout(arguments->output)) arguments->output = "-";
    check_outputs(*arguments);
    action = [=] { return run(*arguments); };
  });
}

}  // namespace fewedits::cli
