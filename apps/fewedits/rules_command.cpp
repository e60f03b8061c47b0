// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <cmath>
#include <memory>

#include "commands.hpp"
#include "console.hpp"
#include "fewedits/base/file.hpp"
#include "fewedits/base/terminal_text.hpp"
#include "fewedits/chem/graph_view.hpp"
#include "fewedits/classifier/class_choice.hpp"
#include "fewedits/classifier/model_file.hpp"
#include "fewedits/explanation/explanation_json.hpp"
#include "fewedits/explanation/figures.hpp"
#include "fewedits/explanation/input_words.hpp"
#include "fewedits/graph/index_list.hpp"
#include "fewedits/induction/generalise.hpp"
#include "fewedits/induction/induce.hpp"
#include "fewedits/rules/rule_json.hpp"
#include "fewedits/rules/rule_words.hpp"
#include "fewedits/search/files_used.hpp"
#include "recorded_rules.hpp"

namespace fewedits::cli {
namespace {

struct RulesArguments {
  std::string file;  ///< an explanation; empty: none
  DatasetArguments dataset;
  std::string model;
  InduceOptions options;
  std::string objective = "average";
  std::optional<double> theta;
  std::string bonds;
  bool plausible = false;
  std::vector<std::string> constraints;
  std::vector<std::string> source_classes;
  bool only_correct = false;
  std::optional<double> min_lead;
  std::optional<double> min_probability;
  std::vector<std::string> tried;
  double time_limit = 0;
  std::string output;
  bool json = false;
  int threads = 0;
};

/// All that is read from disk, and what follows from it.
struct Material {
  std::optional<Explanation> explanation;
  Dataset data;
  std::unique_ptr<const Classifier> classifier;
  GraphView view;
  RejectedGraphs graphs;
  InputSelection selection;
};

/// What the command line does not say is as the explanation has it.
void take_recorded(const Explanation& explanation, RulesArguments& arguments) {
  const Provenance& p = explanation.provenance;
  arguments.dataset.take_recorded(p, arguments.file);
  arguments.model = recorded_path("model", arguments.model, p.model_path, arguments.file);
  if (!arguments.theta) arguments.theta = explanation.theta;
  if (arguments.bonds.empty()) {
    arguments.bonds = explanation.edge_label_names.empty() ? "ignore" : "use";
  }
  const Acceptance acceptance = recorded_acceptance(p, arguments.file);
  if (!arguments.min_lead) arguments.min_lead = acceptance.min_lead;
  if (!arguments.min_probability) arguments.min_probability = acceptance.min_probability;
  for (const std::string& text : p.values_of("constraint")) {
    if (text != "molecule") arguments.constraints.push_back(text);
  }
}

GraphView view_of(const RulesArguments& arguments, const Dataset& data) {
  if (arguments.bonds == "use") return {data, true};
  if (arguments.bonds == "ignore") return {};
  return {data, GraphView::knows_bonds(data)};
}

Material open_material(RulesArguments& arguments, ThreadPool& pool) {
  Material out;
  if (!arguments.file.empty()) {
    out.explanation =
        parse_explanation(read_file(arguments.file, kMaxExplanationBytes), arguments.file);
    take_recorded(*out.explanation, arguments);
  }
  if (arguments.dataset.path.empty() || arguments.model.empty()) {
    throw Error("rules needs a dataset and a model",
                "give --dataset and --model, or an explanation that names them");
  }
  arguments.dataset.has_model = true;
  out.data = arguments.dataset.open_with_desired();
  print_notes(out.data.notes);
  out.classifier = open_classifier(arguments.model, out.data);
  print_notes(out.classifier->notes());
  out.view = view_of(arguments, out.data);
  if (out.explanation) {
    const bool bonds = !out.explanation->edge_label_names.empty();
    if (dataset_fingerprint(out.data, bonds) != out.explanation->provenance.dataset_hash) {
      throw Error({arguments.dataset.path},
                  "is not the dataset that " + in_quotes(arguments.file) + " explains",
                  "say where that one is: --dataset PATH");
    }
    out.selection =
        recorded_selection(out.explanation->provenance, out.data, arguments.model, arguments.file);
  }
  if (!arguments.source_classes.empty()) out.selection.source_classes = arguments.source_classes;
  if (arguments.only_correct) out.selection.only_correct = true;
  out.graphs = rejected_graphs(out.data, *out.classifier, pool, out.selection);
  return out;
}

/// What the explanation's scripts do, as rules. Those that are no rule are left out.
std::vector<Rule> rules_in_scripts(const Material& material) {
  std::vector<Rule> out;
  if (!material.explanation) return out;
  const Explanation& e = *material.explanation;
  const GraphView seen(material.data, e.edge_label_names, "the explanation");
  if (seen.has_bonds() != material.view.has_bonds()) return out;
  for (const Recourse& recourse : e.recourse) {
    if (!recourse.covered || !recourse.proof || !recourse.proof->script) continue;
    const Graph input = seen(material.data.graphs[recourse.input]);
    const EditScript& script = *recourse.proof->script;
    const auto map =
        std::span(script.map).first(std::min<std::size_t>(script.map.size(), input.num_nodes()));
    const Graph& target = e.counterfactuals[recourse.counterfactual].graph;
    if (!is_node_map(input, target, map)) continue;
    const auto draft = draft_of(input, target, map);
    if (!draft) continue;
    if (auto rule = rule_of(*draft)) out.push_back(std::move(*rule));
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

Provenance provenance_of(const RulesArguments& arguments, const Material& material) {
  Provenance out;
  out.software = "fewedits " + version();
  out.dataset_name = material.data.name;
  out.dataset_hash = dataset_fingerprint(material.data, material.view.has_bonds());
  note_files(arguments.dataset.path, arguments.model, "", out);
  out.seed = arguments.options.seed;
  const auto note = [&](const char* name, const std::string& value) {
    out.options.emplace_back(name, value);
  };
  note("rules", std::to_string(arguments.options.rules));
  note("min-support", fmt::format("{}", arguments.options.min_support));
  note("expansions", std::to_string(arguments.options.expansions));
  note("two-steps", std::to_string(arguments.options.two_steps));
  note("min-lead", fmt::format("{}", arguments.min_lead.value_or(kSafeLead)));
  note("min-probability", fmt::format("{}", arguments.min_probability.value_or(0)));
  for (const std::string& text : arguments.constraints) note("constraint", text);
  for (const std::string& text : material.selection.source_classes) note("source-class", text);
  if (material.selection.only_correct) note("only-correct", "true");
  if (material.selection.graphs) {
    if (material.selection.split.empty()) {
      note("graphs", index_list_text(*material.selection.graphs));
    } else {
      note("split", material.selection.split);
    }
  }
  for (const std::string& text : arguments.tried) note("try", text);
  const auto flags = arguments.dataset.flags();
  out.options.insert(out.options.end(), flags.begin(), flags.end());
  return out;
}

// ---- What is said

std::string percent(double share) { return fmt::format("{:.1f}", 100 * share); }

std::string count_of_graphs(const PatternCounts& counts, std::size_t rejected,
                            std::size_t accepted) {
  const auto share = [](std::size_t part, std::size_t all) {
    return all == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(all);
  };
  return fmt::format("{} / {}", percent(share(counts.rejected, rejected)),
                     percent(share(counts.accepted, accepted)));
}

std::string share_text(std::size_t part, std::size_t all) {
  return all == 0 ? "–" : percent(static_cast<double>(part) / static_cast<double>(all));
}

std::string rules_table(const RuleList& list, std::size_t accepted) {
  std::vector<std::vector<std::string>> rows{
      {"rule", "edits", "support", "used for", "somewhere", "average", "everywhere", "list so far",
       "stays", "inverse rejects", "L in rej/acc", "R in rej/acc", "pairs"}};
  for (std::size_t r = 0; r < list.rules.size(); ++r) {
    const MeasuredRule& one = list.rules[r];
    std::string pairs = std::to_string(one.pairs);
    if (one.pairs_other_class && one.pairs > 0) {
      pairs += fmt::format(" ({} other class)", *one.pairs_other_class);
    }
    const RuleUse& use = one.on_accepted;
    rows.push_back(
        {fmt::format("{:2}  {}", r + 1, rule_text(one.rule, list.names())),
         std::to_string(one.rule.cost()), percent(one.alone.support),
         percent(one.list.support - (r == 0 ? 0 : list.rules[r - 1].list.support)),
         percent(one.alone.somewhere), percent(one.alone.on_average), percent(one.alone.everywhere),
         percent(figure_of(one.list, list.objective)), share_text(use.accepted, use.places),
         one.inverse_on_accepted
             ? share_text(one.inverse_on_accepted->places - one.inverse_on_accepted->accepted,
                          one.inverse_on_accepted->places)
             : "–",
         count_of_graphs(one.left, list.inputs.size(), accepted),
         one.right ? count_of_graphs(*one.right, list.inputs.size(), accepted) : "–", pairs});
  }
  return table(std::move(rows));
}

std::string with_interval(double share, std::size_t count) {
  const Interval interval = interval_of(share, count);
  return fmt::format("{} ({}–{})", percent(share), percent(interval.low), percent(interval.high));
}

std::vector<std::string> figures_row(const std::string& name, const RuleFigures& f) {
  return {name,
          percent(f.somewhere),
          fmt::format("{:.1f}", f.calls),
          percent(f.on_average),
          percent(f.everywhere),
          percent(f.one_try)};
}

std::string lift_text(double figure, double chance) {
  return chance > 0 ? fmt::format("{:.2f}", figure / chance) : "–";
}

std::string summary_table(const RuleList& list) {
  const RuleFigures all = list.figures();
  std::vector<std::vector<std::string>> rows{
      {"%", "somewhere", "model calls", "average", "everywhere", "one try a rule"}};
  rows.push_back(figures_row("the list, on the inputs it was chosen on", all));
  if (list.held_out) {
    const RuleFigures& f = list.held_out->figures;
    const std::size_t n = list.inputs.size();
    rows.push_back({fmt::format("held out ({} parts)", list.held_out->lists.size()),
                    with_interval(f.somewhere, n), fmt::format("{:.1f}", f.calls),
                    with_interval(f.on_average, n), with_interval(f.everywhere, n),
                    with_interval(f.one_try, n)});
  }
  if (list.baselines) {
    const RuleFigures& random = list.baselines->random_rules;
    if (!list.baselines->lists.empty()) {
      rows.push_back(figures_row("random rules of like support", random));
      rows.push_back({"lift over them", lift_text(all.somewhere, random.somewhere), "",
                      lift_text(all.on_average, random.on_average),
                      lift_text(all.everywhere, random.everywhere),
                      lift_text(all.one_try, random.one_try)});
    }
    rows.push_back({"random edits, as many model calls", percent(list.baselines->random_edits),
                    fmt::format("{:.1f}", all.calls), "–", "–", "–"});
  }
  return table(std::move(rows));
}

std::string as_text(const RuleList& list, const Material& material) {
  std::string out = fmt::format(
      "{}: {}.\ntheta {}, {}, chosen for what works {}{}.\n\n", printable(material.data.name),
      inputs_in_words(list.classes, list.provenance, list.inputs.size(), material.data.size()),
      list.theta, material.view.has_bonds() ? "bonds used" : "bonds ignored",
      list.objective == RuleObjective::kOnAverage ? "on average" : name_of(list.objective),
      list.plausible ? ", plausible results only" : "");
  if (list.rules.empty()) return out + "No short rule: none adds anything.\n";
  out += rules_table(list, material.graphs.accepted.size()) + "\n";
  for (std::size_t r = 0; r < list.rules.size(); ++r) {
    out += fmt::format("{:2}  {}\n", r + 1,
                       rule_words(list.rules[r].rule, list.names(), material.data.is_molecular()));
  }
  out += "\n" + summary_table(list);
  if (!list.complete) out += "\nIt was ended early: what is missing was not measured.\n";
  return printable_lines(out);
}

// ---- What is done

RuleList tried_list(const RulesArguments& arguments, const Material& material,
                    const RuleMaterial& on, const RuleTask& task, ThreadPool& pool) {
  RuleList out;
  out.theta = task.limits.theta;
  out.plausible = arguments.plausible;
  out.inputs = on.inputs;
  const RuleNames names{label_names(material.data).nodes, material.view.edge_label_names()};
  std::vector<Rule> rules;
  for (const std::string& text : arguments.tried) rules.push_back(parse_rule(text, names));
  out.rules = measured(rules, on, task, pool);
  RuleBaselines& baselines = out.baselines.emplace();
  baselines.random_edits = random_edits(out.rules, arguments.options.seed, on, task, pool);
  return out;
}

int run(RulesArguments arguments) {
  if (!arguments.output.empty()) {
    check_writable(arguments.output);
    protect_inputs(
        arguments.output,
        joined({arguments.dataset.files(), model_files(arguments.model), {arguments.file}}));
  }
  std::optional<ReadingLimit> reading(arguments.time_limit);
  ThreadPool pool(arguments.threads);
  const Material material = open_material(arguments, pool);
  const LabelNames names = label_names(material.data);
  Constraints constraints;
  for (const std::string& text : arguments.constraints) {
    add_constraint(text, names.nodes, constraints);
  }
  if (constraints.molecules_only && !material.view.rules()) {
    throw Error("the constraint molecule needs molecules whose bonds are known and used",
                "use bonds (--bonds use), or leave the constraint out");
  }
  const RuleMaterial on = rule_material(material.data, material.view, material.graphs.rejected,
                                        material.graphs.accepted);
  const Acceptance acceptance{arguments.min_lead.value_or(kSafeLead),
                              arguments.min_probability.value_or(0)};
  const RuleTask task{*material.classifier,
                      Goal(desired_class(material.data, *material.classifier), acceptance),
                      rule_limits(material.view, constraints, arguments.theta.value_or(0.1),
                                  arguments.plausible, on)};
  arguments.options.objective = *objective_of(arguments.objective);
  const InterruptGuard guard;
  reading.reset();
  RuleList list;
  InduceStatistics statistics;
  const auto start = std::chrono::steady_clock::now();
  if (arguments.tried.empty()) {
    arguments.options.more_candidates = rules_in_scripts(material);
    StopSign sign(&InterruptGuard::sign());
    if (arguments.time_limit > 0) {
      sign.set_at(program_start() + std::chrono::duration_cast<StopSign::Clock::duration>(
                                        std::chrono::duration<double>(arguments.time_limit)));
    }
    ProgressLine line;
    InduceHooks hooks;
    hooks.stop = &sign;
    hooks.progress = [&](const char* stage, std::size_t done, std::size_t all) {
      line.update(done, all, stage);
    };
    try {
      list = induce(on, task, arguments.options, pool, hooks, &statistics);
    } catch (const Stopped&) {
      fmt::print(stderr, "fewedits: ended before any rule was chosen\n");
      return InterruptGuard::interrupted() ? kInterrupted : kFailed;
    }
  } else {
    list = tried_list(arguments, material, on, task, pool);
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  list.provenance = provenance_of(arguments, material);
  list.classes = explained_classes(material.data, *material.classifier, material.graphs);
  list.label_names = names.nodes;
  list.edge_label_names = material.view.edge_label_names();
  if (!arguments.output.empty()) write_output(arguments.output, rules_json(list));
  if (arguments.json) {
    write_output("", rules_json(list));
  } else if (!is_stdout(arguments.output) || arguments.output.empty()) {
    write_output("", as_text(list, material));
    if (arguments.tried.empty()) {
      fmt::print(
          "\n{} steps and pairs of steps were tried on {} graphs, {} rules with more context "
          "counted; {:.1f} s.\n",
          grouped(statistics.cores), grouped(statistics.asked), grouped(statistics.candidates),
          elapsed.count());
    }
  }
  return InterruptGuard::interrupted() ? kInterrupted : kFine;
}

}  // namespace

void add_rules_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(
      "rules", "Find a few rewrites (this piece becomes that one) that make the model say yes");
  command->footer(
      "A rule's figures, in % of the inputs: some place works (a search with the model finds it), "
      "a\n"
      "random place works, every place works. A list is ordered: the first rule that applies is "
      "used.\n"
      "Held-out figures are those of lists that were chosen on other inputs.\n\n"
      "Examples:\n"
      "  fewedits rules --dataset data/AIDS --model gcn.pth -o rules.json\n"
      "  fewedits rules why.json --objective everywhere    # inputs and options of an explanation\n"
      "  fewedits rules --dataset data/AIDS --model gcn.pth --try 'O-[>Na]'\n"
      "  fewedits-verify rules.json");
  auto arguments = std::make_shared<RulesArguments>();
  RulesArguments& a = *arguments;
  command->add_option("FILE", a.file, "an explanation: its dataset, model and options");
  command->add_option("--dataset", a.dataset.path, "TU folder or .zip, .smi, .csv, .sdf");
  command->add_option("--model", a.model, "classifier (.pth, .pt, .safetensors, .json)");
  command->add_option("-R,--rules", a.options.rules, "rules to choose, at most")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_option("--objective", a.objective, "figure to choose for")
      ->check(CLI::IsMember({"average", "somewhere", "everywhere"}))
      ->capture_default_str();
  command
      ->add_option("--theta", a.theta,
                   "most edits of a rule, as a share of the sizes of both graphs (default 0.1)")
      ->check(number_from(0, 1));
  command
      ->add_option("--bonds", a.bonds,
                   "do labels of edges count, and are results valid molecules (default: where "
                   "they are known)")
      ->check(CLI::IsMember({"use", "ignore"}));
  command->add_flag("--plausible", a.plausible,
                    "only results whose neighbourhoods of radius 2 all occur in the dataset");
  command->add_option("--constraint", a.constraints, "what results must satisfy; may be repeated")
      ->check(readable_by(check_constraint));
  command->add_option("--source-class", a.source_classes,
                      "only graphs that are predicted this class; may be repeated");
  command->add_flag("--only-correct", a.only_correct,
                    "only graphs that are predicted the class they have");
  command->add_option("--min-lead", a.min_lead, "least lead of the desired class (default 0.0001)")
      ->check(check_share);
  command
      ->add_option("--min-probability", a.min_probability,
                   "least probability of the desired class (default 0)")
      ->check(check_share);
  command
      ->add_option("--try", a.tried,
                   "measure this rule, and search for none; may be repeated: an ordered list")
      // Else "[C>N]" would be a list of one.
      ->allow_extra_args(false);
  command->add_option("--folds", a.options.folds, "parts for held-out figures; 0: none")
      ->check(CLI::Range(0, 100))
      ->capture_default_str();
  command
      ->add_option("--min-support", a.options.min_support,
                   "share of the inputs that a rule must apply to")
      ->check(number_from(0, 1))
      ->capture_default_str();
  command
      ->add_option("--expansions", a.options.expansions, "rules that are tried with more context")
      ->check(check_unsigned)
      ->capture_default_str();
  command
      ->add_option("--two-steps", a.options.two_steps,
                   "inputs that no single step helps for which two are tried")
      ->check(check_unsigned)
      ->capture_default_str();
  command->add_option("--seed", a.options.seed, "of parts and random baselines")
      ->check(check_unsigned)
      ->capture_default_str();
  command->add_option("--time-limit", a.time_limit, "end after so many seconds; 0: never")
      ->check(check_not_negative)
      ->capture_default_str();
  command->add_option("-o,--output", a.output, "also write the rules (JSON)");
  command->add_flag("--json", a.json, "JSON instead of a table");
  a.dataset.add_to(*command);
  add_threads(*command, a.threads);
  command->callback([=, &action] { action = [=] { return run(*arguments); }; });
}

}  // namespace fewedits::cli
