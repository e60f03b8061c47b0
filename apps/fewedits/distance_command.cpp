// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <array>
#include <chrono>
#include <memory>
#include <unordered_map>

#include "commands.hpp"
#include "console.hpp"
#include "distance_tools.hpp"
#include "fewedits/base/text.hpp"
#include "fewedits/chem/graph_view.hpp"
#include "fewedits/distance/ged_distance.hpp"
#include "fewedits/distance/pair_file.hpp"
#include "fewedits/explanation/figures.hpp"
#include "fewedits/explanation/proofs.hpp"
#include "fewedits/explanation/script_json.hpp"
#include "json_text.hpp"
#include "option_rows.hpp"

namespace fewedits::cli {
namespace {

/// About a second a pair; unlike a time limit it gives the same answer on every machine.
constexpr std::uint64_t kDefaultWork = 20'000'000;

struct DistanceArguments {
  DatasetArguments dataset;
  std::string pairs;
  std::vector<std::uint32_t> pair;
  std::string method = "exact";
  std::string bonds = "ignore";
  std::string output;
  std::optional<double> budget_ms;
  std::optional<std::uint64_t> budget_work;
  std::vector<std::string> costs;
  GedDistanceOptions ged;
  ExplainOptions options;  ///< the distance's own
  bool script = false;
  bool json = false;
  int threads = 0;
};

/// What came of the pairs.
struct Results {
  std::vector<GraphPair> pairs;
  std::vector<Measure> measures;
  bool interrupted = false;
};

struct NamedCost {
  const char* name;
  std::int32_t EditCosts::*cost;
};
constexpr std::array<NamedCost, 6> kCosts = {{{"insert-node", &EditCosts::insert_node},
                                              {"delete-node", &EditCosts::delete_node},
                                              {"relabel-node", &EditCosts::relabel_node},
                                              {"insert-edge", &EditCosts::insert_edge},
                                              {"delete-edge", &EditCosts::delete_edge},
                                              {"relabel-edge", &EditCosts::relabel_edge}}};

void set_cost(const std::string& text, EditCosts& costs) {
  const std::size_t equals = text.find('=');
  for (const NamedCost& known : kCosts) {
    if (equals == std::string::npos || text.substr(0, equals) != known.name) continue;
    const auto value = number_in<std::int32_t>(text.substr(equals + 1));
    if (!value) break;
    costs.*known.cost = *value;
    return;
  }
  throw Error(fmt::format("--cost does not understand {}", in_quotes(text)),
              "write NAME=N with a whole number N and one of insert-node, delete-node, "
              "relabel-node, insert-edge, delete-edge, relabel-edge");
}

std::optional<GedMethod> ged_method(const std::string& name) {
  if (name == "lower") return GedMethod::kLower;
  if (name == "upper") return GedMethod::kUpper;
  if (name == "exact") return GedMethod::kExact;
  if (name == "within") return GedMethod::kWithin;
  return std::nullopt;
}

std::vector<GraphPair> pairs_of(const DistanceArguments& arguments, const Dataset& data) {
  if (arguments.pairs.empty() == arguments.pair.empty()) {
    throw Error("say which graphs to compare", "give either --pairs FILE or --pair A B");
  }
  if (!arguments.pairs.empty()) return read_pairs(arguments.pairs, data.size());
  for (const std::uint32_t graph : arguments.pair) {
    if (graph >= data.size()) {
      throw Error(fmt::format("there is no graph {}", graph),
                  fmt::format("the dataset has {} graphs, counted from 0", data.size()));
    }
  }
  return {{arguments.pair[0], arguments.pair[1]}};
}

/// The graphs that pairs mention, each once, and the pairs as indices into these.
struct Selection {
  std::vector<Graph> graphs;
  std::vector<GraphPair> pairs;
};

Selection select(const Dataset& data, const std::vector<GraphPair>& pairs) {
  Selection selection;
  std::unordered_map<std::uint32_t, std::uint32_t> index;
  const auto index_of = [&](std::uint32_t graph) {
    const auto next = static_cast<std::uint32_t>(selection.graphs.size());
    const auto [at, is_new] = index.try_emplace(graph, next);
    if (is_new) selection.graphs.push_back(data.graphs[graph]);
    return at->second;
  };
  for (const GraphPair& pair : pairs) {
    selection.pairs.push_back({index_of(pair.a), index_of(pair.b)});
  }
  return selection;
}

GedDistanceOptions ged_options(const DistanceArguments& arguments, GedMethod method) {
  GedDistanceOptions options = arguments.ged;
  options.method = method;
  if (arguments.bonds == "use") options.ged.costs.relabel_edge = 1;
  for (const std::string& cost : arguments.costs) set_cost(cost, options.ged.costs);
  options.ged.costs.check();
  GedBudget& budget = options.ged.budget;
  if (arguments.budget_ms) budget.milliseconds = *arguments.budget_ms;
  if (arguments.budget_work) budget.work = *arguments.budget_work;
  if (!arguments.budget_ms && !arguments.budget_work) budget.work = kDefaultWork;
  budget.stop = &InterruptGuard::sign();
  return options;
}

/// Whatever the method is called: one that measures edits, or a registered distance.
std::unique_ptr<Distance> make_distance(const DistanceArguments& arguments,
                                        const std::optional<GedMethod>& method, const Dataset& data,
                                        std::vector<Graph> graphs, ThreadPool& pool) {
  if (method) {
    return std::make_unique<GedDistance>(std::move(graphs), ged_options(arguments, *method), pool);
  }
  const DistanceRegistry known = builtin_distances();
  return known.at(arguments.method)
      .make(std::move(graphs), data.node_labels.size(), arguments.options.distance_options, pool);
}

Results measured(const DistanceArguments& arguments, const std::optional<GedMethod>& method,
                 const Dataset& data, const std::vector<GraphPair>& pairs, ThreadPool& pool) {
  Selection selection = select(data, pairs);
  const auto distance = make_distance(arguments, method, data, std::move(selection.graphs), pool);
  std::vector<Measure> found(pairs.size());
  Results results;
  {
    const InterruptGuard guard;
    ProgressLine progress;
    distance->measure(selection.pairs, found, pool, [&](std::size_t done, std::size_t total) {
      progress.update(done, total, {});
      return !InterruptGuard::interrupted();
    });
    results.interrupted = InterruptGuard::interrupted();
  }
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    if (!found[p].done) continue;
    results.pairs.push_back(pairs[p]);
    results.measures.push_back(std::move(found[p]));
  }
  return results;
}

std::string as_csv(const Results& results) {
  fmt::memory_buffer out;
  const auto to = std::back_inserter(out);
  fmt::format_to(to, "graph_a,graph_b,distance,normalized,lower,upper,status\n");
  for (std::size_t p = 0; p < results.pairs.size(); ++p) {
    const Measure& m = results.measures[p];
    fmt::format_to(to, "{},{},{},{},{},{},{}\n", results.pairs[p].a, results.pairs[p].b, m.distance,
                   m.normalized, m.lower, m.upper, name_of(m.status));
  }
  return fmt::to_string(out);
}

/// Whether a map stands behind the row: a pair that a bound alone decided has none.
bool has_script(const Dataset& data, const Results& results, std::size_t p) {
  const NodeMap& map = results.measures[p].map;
  return !map.empty() && map.size() == data.graphs[results.pairs[p].a].num_nodes();
}

EditScript script_of(const Dataset& data, const Results& results, std::size_t p,
                     const EditCosts& costs) {
  const GraphPair& pair = results.pairs[p];
  const Measure& m = results.measures[p];
  return checked_script(data.graphs[pair.a], data.graphs[pair.b], m.map, costs,
                        static_cast<std::int64_t>(m.upper));
}

std::string as_text(const DistanceArguments& arguments, const Dataset& data, const EditCosts& costs,
                    const Results& results) {
  const LabelNames names = label_names(data);
  fmt::memory_buffer out;
  const auto to = std::back_inserter(out);
  for (std::size_t p = 0; p < results.pairs.size(); ++p) {
    const GraphPair& pair = results.pairs[p];
    const Measure& m = results.measures[p];
    fmt::format_to(to, "graph {} to graph {}: {} {} ({}), normalized {}, between {} and {}\n",
                   pair.a, pair.b, arguments.method, m.distance, name_of(m.status),
                   cost_text(m.normalized), m.lower, m.upper);
    if (m.stage != GedStage::kNone) {
      fmt::format_to(to, "  decided by {}\n", name_of(m.stage));
    }
    if (!has_script(data, results, p)) {
      fmt::format_to(to, "  no edits: a bound decided the pair without a map\n");
      continue;
    }
    if (m.distance != m.upper) fmt::format_to(to, "  the best edits found cost {}:\n", m.upper);
    const EditScript script = script_of(data, results, p, costs);
    for (const std::string& line : script_in_words(data.graphs[pair.a], script, names)) {
      fmt::format_to(to, "  {}\n", line);
    }
  }
  return fmt::to_string(out);
}

std::string as_json(const DistanceArguments& arguments, const Dataset& data, const EditCosts& costs,
                    const Results& results) {
  nlohmann::ordered_json json{
      {"dataset", data.name}, {"method", arguments.method}, {"complete", !results.interrupted}};
  if (ged_method(arguments.method)) {
    for (const NamedCost& known : kCosts) json["costs"][known.name] = costs.*known.cost;
    json["seed"] = arguments.ged.ged.seed;
    if (arguments.method == "within") json["theta"] = arguments.ged.theta;
  }
  if (arguments.script) {
    const LabelNames names = label_names(data);
    json["node_labels"] = names.nodes;
    json["edge_labels"] = names.edges;
  }
  json["pairs"] = nlohmann::ordered_json::array();
  for (std::size_t p = 0; p < results.pairs.size(); ++p) {
    const Measure& m = results.measures[p];
    nlohmann::ordered_json row{{"graph_a", results.pairs[p].a},
                               {"graph_b", results.pairs[p].b},
                               {"distance", m.distance},
                               {"normalized", m.normalized},
                               {"lower", m.lower},
                               {"upper", m.upper},
                               {"status", name_of(m.status)}};
    if (m.stage != GedStage::kNone) {
      row["decided_by"] = name_of(m.stage);
    }
    if (arguments.script && has_script(data, results, p)) {
      add_script(script_of(data, results, p, costs), row);
    }
    json["pairs"].push_back(std::move(row));
  }
  return json_text(json, 1) + "\n";
}

std::string summary(const Results& results, double seconds, const std::string& output) {
  std::map<std::string_view, std::size_t> count;
  for (const Measure& m : results.measures) ++count[name_of(m.status)];
  std::string statuses;
  for (const auto& [status, number] : count) {
    statuses += fmt::format("{}{} {}", statuses.empty() ? "" : ", ", grouped(number), status);
  }
  return fmt::format("measured {} pairs in {:.2f} s ({}); wrote {}\n",
                     grouped(results.pairs.size()), seconds, statuses, output);
}

/// The graphs as an explanation that uses bonds sees them: molecules in canonical form, with a name
/// for the bonds that are aromatic.
void see_bonds(Dataset& data) {
  const GraphView view(data, true);
  for (Graph& graph : data.graphs) graph = view(graph);
  for (std::size_t label = data.edge_labels.size(); label < view.edge_label_names().size();
       ++label) {
    data.edge_labels.push_back({static_cast<std::int64_t>(label), view.edge_label_names()[label]});
  }
}

int run(const DistanceArguments& arguments) {
  const bool to_file = !arguments.output.empty() && arguments.output != "-";
  const auto method = ged_method(arguments.method);
  if (arguments.script && (!method || method == GedMethod::kLower)) {
    throw Error(fmt::format("--method {} makes no edits", arguments.method),
                "--script goes with upper, exact and within");
  }
  if (!arguments.costs.empty() && !method) {
    throw Error(fmt::format("--method {} knows no edit costs", arguments.method),
                "--cost goes with lower, upper, exact and within");
  }
  if (arguments.bonds == "use" && !method) {
    throw Error(fmt::format("--method {} knows no bonds", arguments.method),
                "--bonds use goes with lower, upper, exact and within");
  }
  if (!method) check_distance_model(arguments.method, arguments.options.distance_options.model);
  if (to_file) check_writable(arguments.output);
  protect_inputs(arguments.output,
                 joined({arguments.dataset.files(),
                         {arguments.pairs, arguments.options.distance_options.model}}));
  Dataset data = arguments.dataset.open();
  print_notes(data.notes);
  if (arguments.bonds == "use") see_bonds(data);
  const std::vector<GraphPair> pairs = pairs_of(arguments, data);
  const EditCosts costs = ged_options(arguments, method.value_or(GedMethod::kExact)).ged.costs;
  ThreadPool pool(arguments.threads);
  const auto start = std::chrono::steady_clock::now();
  const Results results = measured(arguments, method, data, pairs, pool);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  if (arguments.json) {
    write_output(arguments.output, as_json(arguments, data, costs, results));
  } else if (to_file || !arguments.script) {
    write_output(arguments.output, as_csv(results));
  }
  if (arguments.script && !arguments.json) {
    write_output("", as_text(arguments, data, costs, results));
  }
  if (to_file) fmt::print("{}", summary(results, elapsed.count(), arguments.output));
  if (!results.interrupted) return kFine;
  fmt::print(stderr, "fewedits: interrupted after {} of {} pairs; what was measured is written\n",
             results.pairs.size(), pairs.size());
  return kInterrupted;
}

void add_ged_options(CLI::App& command, DistanceArguments& arguments) {
  command.add_option("--theta", arguments.ged.theta, "within: limit on the normalised distance")
      ->check(number_from(0, 1))
      ->capture_default_str();
  command
      .add_option("--budget-ms", arguments.budget_ms,
                  "edit distance: milliseconds after which a pair is given up")
      ->check(check_not_negative);
  command
      .add_option("--budget-work", arguments.budget_work,
                  fmt::format("the same as an amount of work, so that every machine gives the same "
                              "answer; {} (about a second) if neither is given",
                              kDefaultWork))
      ->check(check_unsigned);
  command
      .add_option("--starts", arguments.ged.ged.effort.starts, "upper, exact, within: start maps")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command
      .add_option("--kicks", arguments.ged.ged.effort.kicks,
                  "upper, exact, within: kicks after each start map")
      ->check(CLI::Range(0, 1000000))
      ->capture_default_str();
  command.add_option("--seed", arguments.ged.ged.seed, "upper, exact, within: seed of the kicks")
      ->check(check_unsigned)
      ->capture_default_str();
  command
      .add_option("--cost", arguments.costs,
                  "NAME=N: cost of insert-node, delete-node, relabel-node, insert-edge, "
                  "delete-edge (1 each) or relabel-edge (1 with --bonds use, else 0)")
      ->check(readable_by([](const std::string& text) {
        EditCosts scratch;
        set_cost(text, scratch);
        scratch.check();
      }));
}

/// The distances there are, and the ways to ask about the edit distance.
std::vector<std::string> methods() {
  std::vector<std::string> out{"lower", "upper", "exact", "within"};
  const DistanceRegistry distances = builtin_distances();
  for (const std::string& name : distances.names()) {
    if (!distances.at(name).proves) out.push_back(name);
  }
  return out;
}

}  // namespace

void add_distance_command(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("distance", "Measure how far graphs are apart, with proof");
  command->footer(
      "Methods: lower (proven bound), upper (edits found), exact (both meet), within (is it at\n"
      "most theta?), greed (neural estimate), wl, rw, nspd (graph kernels).\n"
      "Writes CSV (graph_a,graph_b,distance,normalized,lower,upper,status), to standard output\n"
      "without -o. Ctrl-C ends early and writes the pairs measured so far.\n\n"
      "Examples:\n"
      "  fewedits distance --dataset data/AIDS --pair 12 40 --script\n"
      "  fewedits distance --dataset data/AIDS --pairs pairs.csv --method exact --budget-ms 1000 "
      "-o out.csv\n"
      "  fewedits distance --dataset data/AIDS --pairs pairs.csv --method greed --greed-model "
      "greed.pt");
  auto arguments = std::make_shared<DistanceArguments>();
  command
      ->add_option("--dataset", arguments->dataset.path,
                   "TU folder or .zip, .smi, .csv, .sdf, .few")
      ->required();
  command->add_option("--pairs", arguments->pairs,
                      "CSV with columns graph_a,graph_b: indices into the filtered dataset");
  command->add_option("--pair", arguments->pair, "two graphs of the dataset")
      ->expected(2)
      ->check(check_unsigned);
  command->add_option("--method", arguments->method, "how to measure")
      ->check(CLI::IsMember(methods()))
      ->capture_default_str();
  command
      ->add_option("--bonds", arguments->bonds,
                   "use: another bond is an edit, however a ring was written, as explain counts; "
                   "ignore: labels of edges cost nothing")
      ->check(CLI::IsMember({"use", "ignore"}))
      ->capture_default_str();
  command->add_option("--greed-model", arguments->options.distance_options.model,
                      "greed: checkpoint (.pt, .pth, .safetensors)");
  command->add_option("-o,--output", arguments->output, "file to write");
  command->add_flag("--script", arguments->script,
                    "print the edits of every pair, each replayed and checked");
  command->add_flag("--json", arguments->json, "JSON instead of CSV; --script adds the edits");
  add_ged_options(*command, *arguments);
  for (const OptionRow& row : option_table()) {
    if (!row.distance.empty()) add_row(*command, row, arguments->options);
  }
  arguments->dataset.add_to(*command);
  add_threads(*command, arguments->threads, &arguments->dataset);
  command->callback([=, &action] { action = [=] { return run(*arguments); }; });
}

}  // namespace fewedits::cli
