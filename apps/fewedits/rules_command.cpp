// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <chrono>
#include <memory>

#include "console.hpp"
#include "fewedits/rules/rule_json.hpp"
#include "rules_search.hpp"
#include "rules_text.hpp"

namespace fewedits::cli {
namespace {

int run(RulesArguments arguments) {
  if (!arguments.output.empty()) {
    check_writable(arguments.output);
    protect_inputs(arguments.output, joined({arguments.on.files(), {arguments.measured}}));
  }
  std::optional<ReadingLimit> reading(arguments.time_limit);
  ThreadPool pool(arguments.on.threads);
  const RuleSources sources = open_rule_sources(arguments.on, pool);
  const InterruptGuard guard;
  reading.reset();
  StopSign sign(&InterruptGuard::sign());
  if (arguments.time_limit > 0) {
    sign.set_at(program_start() + std::chrono::duration_cast<StopSign::Clock::duration>(
                                      std::chrono::duration<double>(arguments.time_limit)));
  }
  FoundRules found;
  try {
    found = find_rules(arguments, sources, sign, pool);
  } catch (const Stopped&) {
    fmt::print(stderr, "fewedits: ended before any rule was tried\n");
    return InterruptGuard::interrupted() ? kInterrupted : kFailed;
  }
  if (!arguments.output.empty()) write_output(arguments.output, rules_json(found.list));
  if (arguments.json) {
    write_output("", rules_json(found.list));
  } else if (!is_stdout(arguments.output) || arguments.output.empty()) {
    write_output("", rules_text(found.list, sources));
    if (arguments.searches()) {
      fmt::print(
          "\n{} rules were tried on {} graphs, {} rules with more context counted; {:.1f} s.\n",
          grouped(found.statistics.cores), grouped(found.statistics.asked),
          grouped(found.statistics.candidates), found.seconds);
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
      "  fewedits rules --dataset data/AIDS --model other.pt --measure rules.json   # another "
      "model\n"
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
  command->add_option("--measure", a.measured,
                      "measure the rules of this file, and search for none: on another model, say");
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
