// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <cmath>
#include <memory>

#include "console.hpp"
#include "fewedits/base/terminal_text.hpp"
#include "fewedits/chem/graph_view.hpp"
#include "fewedits/explanation/figures.hpp"
#include "fewedits/explanation/input_words.hpp"
#include "fewedits/induction/generalise.hpp"
#include "fewedits/induction/induce.hpp"
#include "fewedits/rules/rule_json.hpp"
#include "fewedits/rules/rule_reading.hpp"
#include "fewedits/rules/rule_words.hpp"
#include "rule_arguments.hpp"

namespace fewedits::cli {
namespace {

struct RulesArguments {
  RuleArguments on;
  InduceOptions options;
  std::string objective = "average";
  std::vector<std::string> tried;
  double time_limit = 0;
  std::string output;
  bool json = false;
};

/// That reading_of looks at, at least: L, R, a label that is lost and one that is won.
constexpr std::size_t kPatternsOfARule = 4;

/// What the explanation's scripts do, as rules. Those that are no rule are left out.
std::vector<BroughtRule> rules_in_scripts(const RuleSources& material) {
  std::vector<Rule> out;
  if (!material.explanation) return {};
  const Explanation& e = *material.explanation;
  const GraphView seen(material.data, e.edge_label_names, "the explanation");
  if (seen.has_bonds() != material.view.has_bonds()) return {};
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
  // Which graphs were found, and chosen, has to do with every input.
  std::vector<BroughtRule> brought;
  for (Rule& rule : out) brought.push_back({std::move(rule)});
  return brought;
}

Provenance recorded(const RulesArguments& arguments, const RuleSources& material) {
  Provenance out = provenance_of(arguments.on, material);
  const InduceOptions& options = arguments.options;
  out.seed = options.seed;
  std::vector<std::pair<std::string, std::string>> own{
      {"rules", std::to_string(options.rules)},
      {"min-support", fmt::format("{}", options.min_support)},
      {"expansions", std::to_string(options.expansions)},
      {"two-steps", std::to_string(options.two_steps)},
      {"more-changes", std::to_string(options.more_changes)}};
  for (const std::string& text : arguments.tried) own.emplace_back("try", text);
  out.options.insert(out.options.begin(), own.begin(), own.end());
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

std::string as_text(const RuleList& list, const RuleSources& material) {
  std::string out = fmt::format(
      "{}: {}.\ntheta {}, {}, chosen for what works {}{}.\n\n", printable(material.data.name),
      inputs_in_words(list.classes, list.provenance, list.inputs.size(), material.data.size()),
      list.theta, material.view.has_bonds() ? "bonds used" : "bonds ignored",
      list.objective == RuleObjective::kOnAverage ? "on average" : name_of(list.objective),
      list.plausible ? ", plausible results only" : "");
  if (list.rules.empty()) return out + "No short rule: none adds anything.\n";
  out += rules_table(list, material.graphs.accepted.size()) + "\n";
  for (std::size_t r = 0; r < list.rules.size(); ++r) {
    const RuleReading reading =
        reading_of(list.rules[r], list.inputs.size(), material.graphs.accepted.size(),
                   kPatternsOfARule * list.rules.size());
    out += fmt::format("{:2}  {}: {}\n", r + 1,
                       rule_words(list.rules[r].rule, list.names(), material.data.is_molecular()),
                       in_words(reading));
  }
  out += "\n" + summary_table(list);
  if (list.held_out) {
    out +=
        "\nHeld out: that part had no say in what its list was chosen from, nor in the choice.\n";
  }
  if (!list.complete) out += "\nIt was ended early: what is missing was not measured.\n";
  return printable_lines(out);
}

// ---- What is done

RuleList tried_list(const RulesArguments& arguments, const RuleSources& material,
                    const RuleMaterial& on, const RuleTask& task, ThreadPool& pool) {
  RuleList out;
  out.theta = task.limits.theta;
  out.plausible = arguments.on.plausible;
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
    protect_inputs(arguments.output, arguments.on.files());
  }
  std::optional<ReadingLimit> reading(arguments.time_limit);
  ThreadPool pool(arguments.on.threads);
  const RuleSources material = open_rule_sources(arguments.on, pool);
  const RuleMaterial& on = material.material;
  const RuleTask task = material.task();
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
  list.provenance = recorded(arguments, material);
  list.classes = explained_classes(material.data, *material.classifier, material.graphs);
  list.label_names = label_names(material.data).nodes;
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
  a.on.add_to(*command);
  command->add_option("-R,--rules", a.options.rules, "rules to choose, at most")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_option("--objective", a.objective, "figure to choose for")
      ->check(CLI::IsMember({"average", "somewhere", "everywhere"}))
      ->capture_default_str();
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
  command
      ->add_option("--more-changes", a.options.more_changes,
                   "times that the best rules get one change more, for inputs that are not well "
                   "served")
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
  command->callback([=, &action] { action = [=] { return run(*arguments); }; });
}

}  // namespace fewedits::cli
