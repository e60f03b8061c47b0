// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <chrono>
#include <functional>
#include <limits>
#include <memory>

#include "commands.hpp"
#include "console.hpp"
#include "distance_tools.hpp"
#include "explain_report.hpp"
#include "explained.hpp"
#include "fewedits/base/file.hpp"
#include "fewedits/base/text.hpp"
#include "fewedits/classifier/input_selection.hpp"
#include "fewedits/classifier/model_file.hpp"
#include "fewedits/evaluate/model_doubts.hpp"
#include "fewedits/explanation/explanation_json.hpp"
#include "fewedits/graph/index_list.hpp"
#include "fewedits/report/shell_words.hpp"
#include "fewedits/rules/rule_json.hpp"
#include "fewedits/search/bonds.hpp"
#include "fewedits/search/files_used.hpp"
#include "fewedits/search/option_table.hpp"
#include "fewedits/search/parts.hpp"
#include "fewedits/search/run_folder.hpp"
#include "fewedits/search/sample.hpp"
#include "option_rows.hpp"
#include "rules_search.hpp"
#include "rules_text.hpp"

namespace fewedits::cli {
namespace {

struct ExplainArguments {
  DatasetArguments dataset;
  ExplainOptions options;
  std::string model;
  std::vector<std::string> constraints;
  std::string run_folder;
  bool resume = false;
  double save_seconds = 30;
  std::uint64_t cache_megabytes = 1024;
  std::string output;
  std::vector<std::string> exports;
  std::string report;
  std::size_t rules = 0;
  int threads = 0;

  /// Beside the explanation: why.rules.json for why.json.
  [[nodiscard]] std::string rules_file() const {
    return std::filesystem::path(output).replace_extension(".rules.json").string();
  }
};

/// Of a time limit, with --rules: what is left to the search for them.
constexpr double kShareOfTheRules = 0.25;

/// All that is read from disk.
struct Material {
  Dataset data;
  std::unique_ptr<const Classifier> classifier;
};

Material open_material(const ExplainArguments& arguments) {
  Dataset data = arguments.dataset.open_with_desired();
  print_notes(data.notes);
  for (const std::string& file : arguments.exports) check_export(data.domain, file);
  auto classifier = open_classifier(arguments.model, data);
  print_notes(classifier->notes());
  return {std::move(data), std::move(classifier)};
}

std::vector<std::uint32_t> graphs_listed_in(const std::string& file) {
  constexpr std::uint64_t kMaxBytes = 100 << 20;
  const std::string text = read_file(file, kMaxBytes);
  std::vector<std::uint32_t> out;
  try {
    out = parse_index_list(text);
  } catch (const Error& error) {
    throw Error({file}, error.what());
  }
  if (out.empty()) throw Error({file}, "lists no graph", "write indices and ranges, e.g. 0-99,105");
  return out;
}

ExplainOptions options_of(const ExplainArguments& arguments, const Material& material) {
  ExplainOptions options =
      with_bonds_decided(arguments.options, material.data, *material.classifier, builtin_parts());
  options.cache_bytes = arguments.cache_megabytes << 20;
  InputSelection& chosen = options.selection;
  if (!options.graphs_file.empty()) chosen.graphs = graphs_listed_in(options.graphs_file);
  if (!chosen.split.empty()) {
    chosen.graphs = part_of_split(arguments.model, material.data, chosen.split);
  }
  const LabelNames names = label_names(material.data);
  for (const std::string& text : arguments.constraints) {
    add_constraint(text, names.nodes, options.constraints);
  }
  options = with_view(options, GraphView(material.data, options.bonds.value_or(false)));
  check_options(options);
  return options;
}

/// The files and constraints behind an explanation; what explain() knows itself is left out.
Provenance provenance_of(const ExplainArguments& arguments) {
  Provenance out;
  const ExplainOptions& options = arguments.options;
  const bool needs_model = builtin_distances().at(options.distance).needs_model;
  note_files(arguments.dataset.path, arguments.model,
             needs_model ? options.distance_options.model : "", out);
  for (const std::string& text : arguments.constraints) {
    // explain() notes that one itself.
    if (trimmed(text) != "molecule") out.options.emplace_back("constraint", text);
  }
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

/// Where edits go that are too many for the explanation's own file.
std::filesystem::path scripts_beside(const std::string& output) {
  return std::filesystem::path(output).parent_path() / scripts_name(output);
}

void check_arguments(const ExplainArguments& arguments) {
  const ExplainOptions& options = arguments.options;
  const bool lists_graphs = options.selection.graphs || !options.graphs_file.empty();
  if (lists_graphs && !options.selection.split.empty()) {
    throw Error("--graphs and --split both say which graphs are explained", "give one of them");
  }
  const Parts parts = builtin_parts();
  const std::string& distance_model = options.distance_options.model;
  check_distance_model(options.distance, distance_model);
  if (!parts.distances.at(options.distance).needs_model && !distance_model.empty()) {
    print_notes(
        {fmt::format("--greed-model is not needed: the distance is {} (--distance greed "
                     "uses it)",
                     options.distance)});
  }
  if (!parts.sources.at(options.method).is_saved && !arguments.run_folder.empty()) {
    throw Error(fmt::format("--run-dir does not go with --method {}, which is not saved on the way",
                            options.method),
                "leave it out");
  }
  if (arguments.resume && arguments.run_folder.empty()) {
    throw CLI::ValidationError("--resume", "needs the folder of the run (--run-dir DIR)");
  }
  const auto inputs = joined({arguments.dataset.files(),
                              model_files(arguments.model),
                              {distance_model, options.graphs_file}});
  const std::string run_file =
      arguments.run_folder.empty() ? "" : RunFolder::file_in(arguments.run_folder).string();
  protect_inputs(run_file, inputs);
  std::vector<std::string> outputs = arguments.exports;
  outputs.push_back(arguments.output);
  if (!is_stdout(arguments.output)) {
    protect_inputs(scripts_beside(arguments.output).string(), inputs);
  }
  if (!arguments.report.empty()) outputs.push_back(arguments.report);
  if (arguments.rules > 0) outputs.push_back(arguments.rules_file());
  for (const std::string& output : outputs) {
    if (is_stdout(output)) continue;
    if (!run_file.empty() && same_file(run_file, output)) {
      throw Error({output}, "is where the run is saved", "choose another output file");
    }
    check_writable(output);
    protect_inputs(output, inputs);
  }
}

void check_outputs(const ExplainArguments& arguments) {
  if (arguments.report == "-") throw CLI::ValidationError("--report", "needs a file to write to");
  NamedOutputs outputs{{"--output", arguments.output}};
  if (!is_stdout(arguments.output)) {
    outputs.emplace_back("edits beside --output", scripts_beside(arguments.output).string());
  }
  for (const std::string& file : arguments.exports) outputs.emplace_back("--export", file);
  if (!arguments.report.empty()) outputs.emplace_back("--report", arguments.report);
  if (arguments.rules > 0) {
    if (is_stdout(arguments.output)) {
      throw CLI::ValidationError("--rules", "writes a file beside that of --output");
    }
    outputs.emplace_back("--rules", arguments.rules_file());
  }
  check_outputs_differ(outputs);
}

/// A longer limit is none.
constexpr double kMostSeconds = 1e9;

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

/// Said before anything huge is written.
void note_size(std::uint64_t bytes, const std::string& file) {
  constexpr std::uint64_t kHuge = std::uint64_t{256} << 20;
  if (bytes < kHuge) return;
  print_notes({fmt::format("{} gets {} MB", file, grouped(bytes >> 20))});
}

/// A search may take hours: what cannot be written where it should goes to a temporary file.
/// Returns where it went; empty: nowhere. The edits come first: no explanation names a file that is
/// not there.
std::string write_result(const std::string& output, const Explanation& explanation) {
  const bool one = is_stdout(output);
  const ExplanationFiles files = one ? ExplanationFiles{explanation_json(explanation), {}, {}}
                                     : explanation_files(explanation, output);
  const bool written = attempt([&] {
    if (!files.scripts.empty()) {
      const std::string beside = scripts_beside(output).string();
      note_size(files.scripts.size(), beside);
      write_output(beside, files.scripts);
    }
    note_size(files.json.size(), one ? "standard output" : output);
    write_output(output, files.json);
  });
  if (written) return output;
  std::string rescued;
  attempt([&] {
    const std::string text = files.scripts.empty() ? files.json : explanation_json(explanation);
    rescued = write_temporary_file("fewedits-", ".json", text).string();
  });
  return rescued;
}

/// The page, unless somebody waits for the end, or the time is up, and it takes long. Who has time
/// gets what `accepted` graphs tell, too. Returns whether it was made.
bool write_page(const ExplainArguments& arguments, const Explanation& explanation,
                const std::vector<std::uint32_t>& accepted, std::vector<ReportedRules> rules,
                const std::string& result, const Dataset& data, ThreadPool& pool) {
  using Clock = StopSign::Clock;
  const auto after = [](Clock::time_point moment, double seconds) {
    return moment +
           std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  };
  // The more inputs, the longer takes what follows the last look at the clock.
  constexpr double kManyInputs = 20'000;
  const auto inputs = static_cast<double>(explanation.inputs.size());
  const double moment = std::min(1.0, kManyInputs / (1 + inputs));
  StopSign sign(&InterruptGuard::sign());
  const double limit = arguments.options.time_limit;
  if (InterruptGuard::interrupted()) {
    sign.grant_until(after(Clock::now(), moment));
  } else if (limit > 0 && limit < kMostSeconds) {
    constexpr double kLate = 4;  // seconds after the limit
    sign.set_at(
        std::max(after(program_start(), limit + kLate * moment), after(Clock::now(), moment)));
  }
  const StopScope scope(pool, &sign);
  try {
    PageSources sources{.explanations = {{explanation, result, {}, {}}}, .rules = std::move(rules)};
    if (limit == 0 && !InterruptGuard::interrupted()) sources.accepted = accepted;
    write_report(std::move(sources), data, arguments.report, pool);
    return true;
  } catch (const Stopped&) {
    return false;
  }
}

struct WrittenRules {
  bool all = true;                   ///< what there was to write was written
  std::vector<ReportedRules> lists;  ///< none, or the one that was
  std::string text;
};

/// As `fewedits rules` on the explanation that was written.
WrittenRules write_rules(const ExplainArguments& arguments, const std::string& explanation) {
  WrittenRules out;
  if (arguments.rules == 0 || explanation.empty()) return out;
  const std::string file = arguments.rules_file();
  const auto note_how = [&](const char* why) {
    print_notes({fmt::format("{}: `fewedits rules {} -R {} --seed {} -o {}` finds them", why,
                             shell_quoted(explanation), arguments.rules, arguments.options.seed,
                             shell_quoted(file))});
  };
  if (InterruptGuard::interrupted()) {
    note_how("no rules, since it was interrupted");
    return out;
  }
  RulesArguments wanted;
  wanted.on.file = explanation;
  wanted.on.threads = arguments.threads;
  wanted.options.rules = arguments.rules;
  wanted.options.seed = arguments.options.seed;
  StopSign sign(&InterruptGuard::sign());
  if (const double limit = arguments.options.time_limit; limit > 0 && limit < kMostSeconds) {
    sign.set_at(program_start() + std::chrono::duration_cast<StopSign::Clock::duration>(
                                      std::chrono::duration<double>(limit)));
  }
  out.all = attempt([&] {
    ThreadPool pool(wanted.on.threads);
    const StopScope scope(pool, &sign);
    try {
      const RuleSources sources = open_rule_sources(wanted.on, pool);
      FoundRules found = find_rules(wanted, sources, sign, pool);
      write_output(file, rules_json(found.list));
      out.text = fmt::format("\n{}wrote {}\n", rules_text(found.list, sources), file);
      out.lists.push_back({std::move(found.list), file});
    } catch (const Stopped&) {
      note_how(InterruptGuard::interrupted() ? "no rules, since it was interrupted"
                                             : "there was no time for rules");
    }
  });
  return out;
}

/// Everything that was asked for; says what could not be written, and returns whether all was.
bool write_all(const ExplainArguments& arguments, Explanation explanation,
               const std::vector<std::uint32_t>& accepted, const Dataset& data, double seconds,
               bool saved, ThreadPool& pool) {
  const std::string result = write_result(arguments.output, explanation);
  const bool in_place = result == arguments.output;
  bool all = in_place;
  for (const std::string& file : arguments.exports) {
    all &= attempt([&] { print_notes(export_counterfactuals(explanation, data.domain, file)); });
  }
  std::vector<std::string> written;
  if (!result.empty()) written.push_back(is_stdout(result) ? "to standard output" : result);
  explanation.seconds = seconds;
  WrittenRules rules = write_rules(arguments, result);
  all = all && rules.all;
  std::string note;
  if (!arguments.report.empty()) {
    const bool tried = attempt([&] {
      if (write_page(arguments, explanation, accepted, std::move(rules.lists), result, data,
                     pool)) {
        written.push_back(arguments.report);
      } else {
        note = fmt::format("there was no time for the page: `fewedits report {} -o {}` makes it",
                           shell_quoted(is_stdout(result) ? "FILE" : result),
                           shell_quoted(arguments.report));
      }
    });
    all = all && tried;
  }
  // Not among the JSON, if that went to stdout.
  fmt::print(
      is_stdout(arguments.output) ? stderr : stdout, "{}{}\n",
      explanation_report(explanation, data, seconds),
      written.empty() ? "wrote nothing" : fmt::format("wrote {}", fmt::join(written, " and ")));
  fmt::print("{}", rules.text);  // there are none beside JSON on standard output
  if (!note.empty()) print_notes({note});
  if (!in_place) {
    fmt::print(stderr, "fewedits: {}{}\n",
               result.empty() ? "the explanation could not be written"
                              : "the explanation is in " + result + " instead",
               saved ? "; --resume with another --output writes it again" : "");
  }
  return all;
}

void note_few(const Explanation& explanation, const ExplainOptions& options) {
  const std::size_t found = explanation.counterfactuals.size();
  if (found >= options.k) return;
  const auto& listed = explanation.counterfactuals;
  const bool filled = std::ranges::any_of(listed, [](const auto& c) { return c.gain == 0; });
  const char* why = !explanation.complete ? "it was ended early"
                    : filled              ? "no other accepted graph was found"
                                          : "no other was found that covers more";
  print_notes(
      {fmt::format("{} instead of {}: {}", counted(found, "counterfactual"), options.k, why)});
}

int run(const ExplainArguments& arguments) {
  check_arguments(arguments);
  std::optional<ReadingLimit> reading(arguments.options.time_limit);
  const Material material = open_material(arguments);
  ExplainOptions options = options_of(arguments, material);
  ThreadPool pool(arguments.threads);
  RejectedGraphs graphs =
      rejected_graphs(material.data, *material.classifier, pool, options.selection);
  print_notes(model_doubts(material.data, graphs.accepted));
  options = with_sample_decided(std::move(options), graphs.rejected.size(), builtin_parts());
  ExplainHooks hooks;
  hooks.save_seconds = arguments.save_seconds;
  hooks.started = program_start();
  if (arguments.rules > 0 && options.time_limit < kMostSeconds) {
    // Begun so much earlier it ends in time for the rules.
    hooks.started -= std::chrono::duration_cast<StopSign::Clock::duration>(
        std::chrono::duration<double>(kShareOfTheRules * options.time_limit));
  }
  hooks.stop = &InterruptGuard::sign();
  std::optional<RunFolder> folder;
  bool saved = false;
  const Provenance provenance = provenance_of(arguments);
  RunSettings settings;
  if (!arguments.run_folder.empty()) {
    folder.emplace(arguments.run_folder, arguments.resume);
    graphs.dataset_hash = dataset_fingerprint(material.data, options.bonds.value_or(false));
    settings = run_settings(graphs.dataset_hash, options, provenance, builtin_parts());
    const GraphView view(material.data, options.bonds.value_or(false));
    hooks.resume = folder->load(settings, num_searched(options, graphs.rejected.size()),
                                material.data.node_labels.size(), view.edge_label_names().size());
    hooks.save = [&](const SavedSearch& search) {
      saved = folder->save(settings, search, [](const std::string& told) { print_notes({told}); });
    };
  }
  const InterruptGuard guard;
  reading.reset();  // from here on the search looks at the clock
  const auto start = std::chrono::steady_clock::now();
  const char* const to_go_on = ", and --resume goes on with the run";
  Explanation explanation;
  try {
    SearchProgress progress(options.time_limit);
    hooks.progress = std::ref(progress);
    explanation = explain(material.data, *material.classifier, graphs, options, pool, hooks);
  } catch (const Error& error) {
    if (!InterruptGuard::interrupted()) throw;
    fmt::print(stderr, "fewedits: interrupted too early{}: {}\n", saved ? to_go_on : "",
               error.what());
    return kInterrupted;
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  complete(provenance, arguments.dataset, explanation.provenance);
  note_few(explanation, options);
  const bool all_written = write_all(arguments, explanation, graphs.accepted, material.data,
                                     elapsed.count(), saved || arguments.resume, pool);
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

/// So many bytes have a number.
std::string check_megabytes(const std::string& text) {
  std::string trouble = check_unsigned(text);
  constexpr std::uint64_t kMost = std::numeric_limits<std::size_t>::max() >> 20;
  if (trouble.empty() && std::stoull(text) > kMost) trouble = in_quotes(text) + " is too large";
  return trouble;
}

/// What has a place of its own in the program, in the groups of the table.
void add_other_options(CLI::App& command, ExplainArguments& a) {
  const char* const everyday = title_of(OptionGroup::kEveryday);
  const char* const domain = title_of(OptionGroup::kDomain);
  const char* const limits = title_of(OptionGroup::kLimits);
  command.add_option("--dataset", a.dataset.path, "TU folder or .zip, .smi, .csv, .sdf, .few")
      ->required()
      ->group(everyday);
  command.add_option("--model", a.model, "classifier (.pth, .pt, .safetensors, .json)")
      ->required()
      ->group(everyday);
  command.add_option("-o,--output", a.output, "explanation to write (JSON)")
      ->required()
      ->group(everyday);
  command.add_option("--report", a.report, "also write a page that shows it (HTML)")
      ->group(everyday);
  command
      .add_option("--export", a.exports, "also write the counterfactuals as .graphml, .smi or .sdf")
      ->group(everyday);
  command
      .add_option("--rules", a.rules,
                  "also find at most so many rules and write them beside the explanation "
                  "(why.rules.json for why.json); 0: none")
      ->check(CLI::Range(0, 1000))
      ->group(everyday);
  command.add_option("--seed", a.options.seed, "random seed")
      ->check(check_unsigned)
      ->capture_default_str()
      ->group(everyday);
  const auto sources = builtin_parts().sources;
  std::vector<std::string> methods;
  for (const std::string& name : sources.names()) {
    methods.push_back(fmt::format("{} ({})", name, sources.at(name).about));
  }
  command
      .add_option("--method", a.options.method,
                  fmt::format("where candidates come from: {}", fmt::join(methods, ", ")))
      ->check(CLI::IsMember(sources.names()))
      ->capture_default_str()
      ->group(domain);
  add_distance_option(command, a.options.distance)->group(domain);
  command
      .add_option("--greed-model", a.options.distance_options.model,
                  "greed: distance model (.pt, .pth, .safetensors)")
      ->group(domain);
  command
      .add_option("--constraint", a.constraints,
                  "molecule, valence, max-degree=4, max-degree=C:4, labels=C,N,O, pairs=C-C,C-N, "
                  "min-nodes=N, max-nodes=N, max-edges=N; may be repeated")
      ->check(readable_by(check_constraint))
      ->group(domain);
  command.add_option("--run-dir", a.run_folder, "folder in which the run is saved")->group(limits);
  command.add_flag("--resume", a.resume, "go on with the run in --run-dir")->group(limits);
  command
      .add_option("--save-seconds", a.save_seconds,
                  "how often it is saved; the certified refinement at sixteenths of its work at "
                  "most")
      ->check(check_not_negative)
      ->capture_default_str()
      ->group(limits);
  command.add_option("--cache-mb", a.cache_megabytes, "memory for graphs seen before")
      ->check(check_megabytes)
      ->capture_default_str()
      ->group(limits);
}

}  // namespace

void add_explain_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(
      "explain", "Find a few graphs of the desired class that are close to many of others");
  command->footer(
      "Ctrl-C ends early and writes the best so far; with --run-dir it can be resumed.\n\n"
      "Examples:\n"
      "  fewedits explain --dataset data/Mutagenicity --model gcn.pth -o explanation.json\n"
      "  fewedits explain --dataset data/Mutagenicity --model gcn.pth --constraint labels=C,N,O,H "
      "\\\n"
      "      --min-probability 0.9 -o molecules.json\n"
      "  fewedits explain --dataset data/NCI1 --model gcn.pth --distance greed \\\n"
      "      --greed-model greed.pt --no-refine --run-dir run -o paper.json\n"
      "  # after Ctrl-C, to go on:\n"
      "  fewedits explain --dataset data/NCI1 --model gcn.pth --distance greed \\\n"
      "      --greed-model greed.pt --no-refine --run-dir run --resume -o paper.json");
  auto arguments = std::make_shared<ExplainArguments>();
  add_other_options(*command, *arguments);
  for (const OptionRow& row : option_table()) add_row(*command, row, arguments->options);
  for (CLI::Option* option : arguments->dataset.add_to(*command)) {
    option->group(title_of(OptionGroup::kDomain));
  }
  add_threads(*command, arguments->threads, &arguments->dataset)
      ->group(title_of(OptionGroup::kLimits));
  command->callback([=, &action] {
    if (is_stdout(arguments->output)) arguments->output = "-";
    check_outputs(*arguments);
    action = [=] { return run(*arguments); };
  });
}

}  // namespace fewedits::cli
