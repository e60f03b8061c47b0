// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "comparison.hpp"
#include "console.hpp"
#include "fewedits/base/text.hpp"
#include "fewedits/chem/graph_view.hpp"
#include "fewedits/chem/molecule.hpp"
#include "fewedits/evaluate/recourse_answers.hpp"
#include "fewedits/explanation/figures.hpp"
#include "fewedits/explanation/proofs.hpp"
#include "fewedits/explanation/script_json.hpp"
#include "fewedits/formats/csv_cell.hpp"
#include "json_text.hpp"
#include "local_searches.hpp"

namespace fewedits::cli {
namespace {

using Json = nlohmann::ordered_json;

struct RecourseArguments {
  ComparisonArguments comparison;
  std::vector<std::uint32_t> graphs;
  bool script = false;
  std::string smiles;  ///< file to write; empty: none
  LocalArguments local;
};

/// The answer for each graph, by its place among them.
class Answers {
 public:
  /// `inputs` are indices into the dataset.
  Answers(const ComparisonMaterial& material, std::span<const std::uint32_t> inputs,
          const Evaluation& comparison, std::vector<LocalAnswer> local, ThreadPool& pool)
      : material_(material),
        comparison_(comparison),
        local_(std::move(local)),
        names_(label_names(material.data)),
        costs_(costs_with(material)),
        nearest_(material.view.of(material.data, inputs), material.graphs, comparison, costs_) {
    std::vector<Graph> graphs;
    for (std::size_t i = 0; i < nearest_.size(); ++i) graphs.push_back(nearest_.input(i));
    judged_ = judge(graphs, *material.classifier, material.goal.desired_class, pool);
    if (material.view.has_bonds()) names_.edges = material.view.edge_label_names();
  }

  [[nodiscard]] std::size_t size() const { return judged_.size(); }
  [[nodiscard]] double theta() const { return comparison_.result.theta; }
  [[nodiscard]] const Recourse& recourse(std::size_t i) const { return nearest_.recourse(i); }
  [[nodiscard]] const Judgement& judged(std::size_t i) const { return judged_[i]; }
  [[nodiscard]] bool found(std::size_t i) const { return nearest_.found(i); }
  /// In the file, from 0.
  [[nodiscard]] std::uint32_t place(std::size_t i) const { return nearest_.place(i); }
  [[nodiscard]] bool proven() const { return nearest_.proven(); }
  /// Of the nearest counterfactual; with --distance certified.
  [[nodiscard]] const CertifiedPair& pair(std::size_t i) const { return nearest_.pair(i); }
  [[nodiscard]] double lower(std::size_t i) const { return nearest_.lower(i); }
  [[nodiscard]] PairStatus status(std::size_t i) const { return nearest_.status(i); }
  [[nodiscard]] EditScript script(std::size_t i) const { return nearest_.script(i); }
  [[nodiscard]] std::vector<std::string> edits_in_words(std::size_t i) const {
    return script_in_words(nearest_.input(i), script(i), names_);
  }

  [[nodiscard]] bool local() const { return !local_.empty(); }
  [[nodiscard]] const LocalAnswer& local(std::size_t i) const { return local_[i]; }
  [[nodiscard]] double local_distance(std::size_t i) const {
    return normalized_distance(local_[i].found->distance.upper, nearest_.input(i),
                               local_[i].found->graph);
  }
  [[nodiscard]] EditScript local_script(std::size_t i) const {
    const LocalCounterfactual& c = *local_[i].found;
    return checked_script(nearest_.input(i), c.graph, c.distance.map, costs_, c.distance.upper);
  }
  /// The graph as it is in the dataset, with its bonds.
  [[nodiscard]] const Graph& input(std::size_t i) const {
    return material_.data.graphs[recourse(i).input];
  }
  [[nodiscard]] const Graph& counterfactual(std::size_t i) const {
    return nearest_.counterfactual(i);
  }
  [[nodiscard]] std::vector<std::string> local_edits_in_words(std::size_t i) const {
    return script_in_words(nearest_.input(i), local_script(i), names_);
  }

  /// False after Ctrl-C.
  [[nodiscard]] bool complete() const {
    return nearest_.complete() &&
           std::ranges::all_of(local_, [](const LocalAnswer& answer) { return answer.searched; });
  }

 private:
  static EditCosts costs_with(const ComparisonMaterial& material) {
    EditCosts out;
    out.relabel_edge = material.view.has_bonds() ? 1 : 0;
    return out;
  }

  const ComparisonMaterial& material_;
  std::vector<Judgement> judged_;
  const Evaluation& comparison_;
  std::vector<LocalAnswer> local_;  ///< empty unless asked for
  LabelNames names_;
  EditCosts costs_;
  RecourseAnswers nearest_;
};

/// Graphs that the model accepts are here only if they were asked for.
std::string probability_of(const Answers& answers, std::size_t i) {
  return probability_text(answers.judged(i).probability) +
         (answers.judged(i).accepted ? ", accepted already" : "");
}

std::string as_table(const Answers& answers) {
  std::vector<std::vector<std::string>> rows{
      {"graph", "probability", "counterfactual", "distance", "within theta"}};
  if (answers.proven()) rows[0].push_back("edits");
  if (answers.local()) rows[0].insert(rows[0].end(), {"alone: distance", "edits"});
  for (std::size_t i = 0; i < answers.size(); ++i) {
    auto& row = rows.emplace_back();
    row = {fmt::format("{}", answers.recourse(i).input), probability_of(answers, i), "none", "",
           std::string(name_of(answers.status(i)))};
    if (answers.found(i)) {
      row[2] = fmt::format("{}", answers.place(i) + 1);
      row[3] = cost_text(answers.recourse(i).distance);
    }
    if (answers.proven()) {
      row.push_back(answers.found(i) ? fmt::format("{}", answers.pair(i).upper) : "");
    }
    if (!answers.local()) continue;
    const auto& [found, searched] = answers.local(i);
    row.push_back(found      ? cost_text(answers.local_distance(i))
                  : searched ? "none"
                             : "not searched");
    row.push_back(found ? fmt::format("{}", found->distance.upper) : "");
  }
  return table(rows);
}

std::string count_of_edits(std::int64_t edits) {
  return counted(static_cast<std::uint64_t>(edits), "edit");
}

std::string local_edits(const Answers& answers, std::size_t i, const std::string& subject) {
  const auto& [found, searched] = answers.local(i);
  if (!found) {
    return searched ? fmt::format("  alone: {} finds no accepted graph\n", subject)
                    : "  alone: not searched, Ctrl-C came first\n";
  }
  if (found->distance.upper == 0) return "  alone: nothing to change\n";
  std::string out =
      fmt::format("  alone: {} to a graph with probability {}, distance {}\n",
                  count_of_edits(found->distance.upper), probability_text(found->probability),
                  cost_text(answers.local_distance(i)));
  for (const std::string& line : answers.local_edits_in_words(i)) out += "    " + line + "\n";
  return out;
}

std::string with_edits(const Answers& answers, double theta, const std::string& subject) {
  std::string out;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    out += fmt::format("graph {} (probability {}): ", answers.recourse(i).input,
                       probability_of(answers, i));
    if (answers.found(i)) {
      out +=
          fmt::format("{} to counterfactual {}, distance {}; within {}: {}\n",
                      count_of_edits(answers.pair(i).upper), answers.place(i) + 1,
                      cost_text(answers.recourse(i).distance), theta, name_of(answers.status(i)));
      for (const std::string& line : answers.edits_in_words(i)) out += "  " + line + "\n";
    } else {
      out += "no counterfactual\n";
    }
    if (answers.local()) out += local_edits(answers, i, subject);
  }
  return out;
}

std::string as_text(const RecourseArguments& arguments, const Dataset& data,
                    const Evaluation& comparison, const Answers& answers) {
  if (answers.size() == 0) {
    return fmt::format("{}: all {} graphs are predicted the desired class.\n", data.name,
                       grouped(data.size()));
  }
  const double theta = comparison.result.theta;
  std::size_t near = 0;
  for (std::size_t i = 0; i < answers.size(); ++i) near += answers.recourse(i).covered ? 1U : 0U;
  return fmt::format(
      "{}: {} of {} graphs have one of {} counterfactuals within {} ({} distance).\n"
      "\n{}",
      data.name, grouped(near), grouped(answers.size()), comparison.places.size(), theta,
      arguments.comparison.distance,
      arguments.script ? with_edits(answers, theta, arguments.local.subject()) : as_table(answers));
}

Json local_json(const Answers& answers, std::size_t i, bool script) {
  const auto& found = answers.local(i).found;
  if (!found) return {};
  const auto labels = found->graph.labels();
  Json json{{"labels", std::vector<Label>(labels.begin(), labels.end())},
            {"edges", Json::array()},
            {"probability", found->probability},
            {"lead", found->lead},
            {"edits", found->distance.upper},
            {"edits_lower", found->distance.lower},
            {"distance", answers.local_distance(i)}};
  for (const Edge& e : found->graph.edges()) json["edges"].push_back({e.u, e.v});
  if (found->graph.has_edge_labels()) {
    json["edge_labels"] = Json::array();
    for (const Edge& e : found->graph.edges()) json["edge_labels"].push_back(e.label);
  }
  if (script) add_script(answers.local_script(i), json);
  return json;
}

Json as_json(const Dataset& data, const Answers& answers, std::size_t i, bool script) {
  const Recourse& r = answers.recourse(i);
  Json json{{"graph", r.input},
            {"tu_graph", data.source_index[r.input]},
            {"probability", answers.judged(i).probability},
            {"accepted", answers.judged(i).accepted},
            {"counterfactual", answers.found(i) ? Json(answers.place(i)) : Json()},
            {"distance", r.distance},
            {"covered", r.covered}};
  if (answers.local()) {
    json["local"] = local_json(answers, i, script);
    json["local_searched"] = answers.local(i).searched;
  }
  if (!answers.proven() || !answers.found(i)) return json;
  json["edits"] = answers.pair(i).upper;
  json["distance_lower"] = answers.lower(i);
  json["status"] = name_of(answers.status(i));
  if (script) add_script(answers.script(i), json);
  return json;
}

std::string as_json(const RecourseArguments& arguments, const Dataset& data,
                    const Answers& answers) {
  Json json{{"dataset", data.name},
            {"model", arguments.comparison.model},
            {"distance", arguments.comparison.distance},
            {"theta", answers.theta()},
            {"complete", answers.complete()}};
  if (arguments.local.given()) json["local_method"] = arguments.local.method;
  if (arguments.script || arguments.local.given()) json["node_labels"] = label_names(data).nodes;
  json["recourse"] = Json::array();
  for (std::size_t i = 0; i < answers.size(); ++i) {
    json["recourse"].push_back(as_json(data, answers, i, arguments.script));
  }
  return json_text(json, 1) + "\n";
}

/// The pairs, as a table that chemistry software and spreadsheets read. Where distances count no
/// bonds, counterfactuals have none but single ones.
std::string as_smiles(const Dataset& data, const Answers& answers) {
  LabelNames names = label_names(data);
  // Both sides of a pair in one form: what their texts differ in are edits.
  const GraphView view(data, GraphView::knows_bonds(data));
  if (view.has_bonds()) names.edges = view.edge_label_names();
  const auto smiles = [&](const Graph& graph) {
    return csv_cell(
        to_smiles(graph.has_edge_labels() ? view(graph) : graph, names.nodes, names.edges));
  };
  std::string out =
      "graph,tu_graph,name,smiles,counterfactual,counterfactual_smiles,distance,covered";
  out += answers.local() ? ",local_smiles,local_distance\n" : "\n";
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const Recourse& r = answers.recourse(i);
    out += fmt::format("{},{},{},{}", r.input, data.source_index[r.input],
                       data.names.empty() ? "" : csv_cell(data.names[r.input]),
                       smiles(answers.input(i)));
    out += answers.found(i) ? fmt::format(",{},{},{},{}", answers.place(i),
                                          smiles(answers.counterfactual(i)), r.distance, r.covered)
                            : ",,,,false";
    if (answers.local()) {
      const auto& found = answers.local(i).found;
      out += found ? fmt::format(",{},{}", smiles(found->graph), answers.local_distance(i)) : ",,";
    }
    out += "\n";
  }
  return out;
}

void check_smiles(const std::string& file, const Dataset& data) {
  if (file.empty() || data.is_molecular()) return;
  throw Error({file}, "the graphs are no molecules",
              "if they are, set \"domain\": \"molecule\" in the dataset's metadata");
}

void check_arguments(const RecourseArguments& arguments) {
  arguments.comparison.check();
  if (!arguments.smiles.empty()) {
    require_rdkit(arguments.smiles);
    arguments.comparison.check_output(arguments.smiles);
  }
  if (arguments.script && !arguments.comparison.proves()) {
    throw Error(fmt::format("the {} distance makes no edits", arguments.comparison.distance),
                "--script goes with --distance certified");
  }
  arguments.local.check();
}

/// Those that were asked for, or all that are explained.
std::vector<std::uint32_t> chosen(const RecourseArguments& arguments, const Dataset& data,
                                  const RejectedGraphs& graphs) {
  for (const std::uint32_t graph : arguments.graphs) {
    if (graph < data.size()) continue;
    throw Error(fmt::format("there is no graph {}", graph),
                fmt::format("the dataset has {} graphs, counted from 0", data.size()));
  }
  return arguments.graphs.empty() ? graphs.rejected : arguments.graphs;
}

int run(RecourseArguments arguments) {
  const bool new_data = !arguments.comparison.dataset.path.empty();
  GraphList list = arguments.comparison.read_graphs();
  check_arguments(arguments);
  const ComparisonMaterial material = open_material(arguments.comparison, std::move(list));
  check_smiles(arguments.smiles, material.data);
  if (!new_data) note_other_data(arguments.comparison, material);
  const CutRules rules = local_rules(arguments.local, material);
  const Classifier& classifier = *material.classifier;
  ThreadPool pool(arguments.comparison.threads);
  const RejectedGraphs graphs =
      rejected_graphs(material.data, classifier, pool, material.selection);
  const std::vector<std::uint32_t> inputs = chosen(arguments, material.data, graphs);
  arguments.local.check_frozen(material.data, inputs);
  const Evaluation comparison = compare(arguments.comparison, material, inputs, pool);
  std::vector<LocalAnswer> local;
  if (arguments.local.given() && comparison.proof.complete) {
    local = find_for_each(arguments.local, material, rules, graphs, inputs, pool);
  } else if (arguments.local.given()) {
    local.assign(inputs.size(), {.found = {}, .searched = false});
  }
  const Answers answers(material, inputs, comparison, std::move(local), pool);
  if (!arguments.smiles.empty()) {
    write_output(arguments.smiles, as_smiles(material.data, answers));
  }
  write_output(arguments.comparison.output,
               arguments.comparison.json ? as_json(arguments, material.data, answers)
                                         : as_text(arguments, material.data, comparison, answers));
  if (comparison.proof.complete && !answers.complete()) {
    fmt::print(stderr, "fewedits: interrupted; not every graph was searched for alone\n");
    return kInterrupted;
  }
  return finish(comparison);
}

}  // namespace

void add_recourse_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(
      "recourse", "For each graph that is not predicted desired, the nearest counterfactual");
  command->footer(
      "The dataset may be new data, as long as its node labels have the names that the\n"
      "explanation knows. Counterfactuals are numbered from 1 in the order of FILE, from 0 in\n"
      "JSON; graphs from 0. A list of graphs needs --dataset and --model; an explanation names\n"
      "them.\n\n"
      "Examples:\n"
      "  fewedits recourse explanation.json\n"
      "  fewedits recourse explanation.json --dataset new.smi --graph 0 7 --script --local\n"
      "  fewedits recourse explanation.json --graph 7 --script --local --freeze 0,1,2\n"
      "  fewedits recourse explanation.json --graph 7 --script --local cff\n"
      "  fewedits recourse explanation.json --smiles pairs.csv");
  auto arguments = std::make_shared<RecourseArguments>();
  arguments->comparison.add_to(*command);
  command
      ->add_option("--graph", arguments->graphs,
                   "graphs of the dataset; without it, all that FILE explains, or that are not "
                   "predicted desired")
      ->check(check_unsigned);
  command->add_flag("--script", arguments->script,
                    "tell the edits, each replayed and checked (certified only)");
  command->add_option("--smiles", arguments->smiles,
                      "CSV file to write: each graph and its counterfactual as SMILES (molecules)");
  arguments->local.add_to(*command);
  command->callback([=, &action] {
    if (!arguments->smiles.empty()) {
      check_outputs_differ(
          {{"--output", arguments->comparison.output}, {"--smiles", arguments->smiles}});
    }
    action = [=] { return run(*arguments); };
  });
}

}  // namespace fewedits::cli
