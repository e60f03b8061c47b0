// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "console.hpp"
#include "fewedits/base/file.hpp"
#include "fewedits/base/terminal_text.hpp"
#include "fewedits/glance/glance_json.hpp"
#include "fewedits/graph/fingerprint.hpp"
#include "fewedits/induction/fragility.hpp"
#include "fewedits/rules/fragility_list.hpp"
#include "fewedits/rules/rule_json.hpp"
#include "rule_arguments.hpp"

namespace fewedits::cli {
namespace {

struct GlanceArguments {
  RuleArguments on;
  std::vector<std::string> rules;
  bool fragility = false;
  GlanceOptions options;
  std::string output;
  bool json = false;
};

std::string percent(double share) { return fmt::format("{:.1f}", 100 * share); }

std::string as_text(const Glance& glance) {
  std::string out;
  for (const GlanceSentence& sentence : glance.opening) out += sentence.text + "\n";
  if (!glance.patterns.empty()) {
    std::vector<std::vector<std::string>> rows{{"% of the graphs that are", "rejected", "accepted",
                                                "counterfactuals", "difference", "at least"}};
    for (const PatternShare& one : glance.patterns) {
      const double least = std::max({0.0, one.interval.low, -one.interval.high});
      rows.push_back({one.name, percent(one.rejected), percent(one.accepted),
                      one.counterfactuals ? percent(*one.counterfactuals) : "–",
                      percent(one.difference), one.tells ? percent(least) : "–"});
    }
    out += "\n" + table(std::move(rows)) +
           fmt::format(
               "\n{} rejected and {} accepted graphs. Differences are sure, 95 %, for all "
               "{} patterns together that were tried.\n",
               glance.rejected, glance.accepted, glance.tried);
  }
  for (const std::string& note : glance.notes) out += "note: " + note + "\n";
  return printable_lines(out);
}

std::vector<RuleList> opened_rules(const GlanceArguments& arguments, const RuleSources& sources) {
  std::vector<RuleList> out;
  if (arguments.rules.empty()) return out;
  const Provenance own = provenance_of(arguments.on, sources);
  const std::string dataset = dataset_fingerprint(sources.data, sources.view.has_bonds());
  for (const std::string& file : arguments.rules) {
    out.push_back(parse_rules(read_file(file, kMaxRulesBytes), file));
    if (dataset != out.back().provenance.dataset_hash) {
      throw Error({file}, "these rules are of another dataset, or of one read in another way",
                  "give the dataset that they were found on, and the same --bonds");
    }
    if (own.model_hash != out.back().provenance.model_hash) {
      throw Error({file}, "these rules are of another model",
                  "give the model that they were found with");
    }
  }
  return out;
}

FragilityFigures fragility_of(const RuleSources& sources, ThreadPool& pool) {
  const auto graphs =
      fragile_graphs(sources.graphs.rejected, false, sources.material, sources.task(), pool);
  return {graphs.size(), num_with_fewest(graphs, 1)};
}

int run(GlanceArguments arguments) {
  if (!arguments.output.empty()) {
    check_writable(arguments.output);
    auto inputs = arguments.on.files();
    inputs.insert(inputs.end(), arguments.rules.begin(), arguments.rules.end());
    protect_inputs(arguments.output, inputs);
  }
  ThreadPool pool(arguments.on.threads);
  const RuleSources sources = open_rule_sources(arguments.on, pool);
  const std::vector<RuleList> lists = opened_rules(arguments, sources);
  const InterruptGuard guard;
  StopSign sign(&InterruptGuard::sign());
  const StopScope scope(pool, &sign);
  GlanceMaterial material{sources.data, sources.view, sources.graphs.rejected,
                          sources.graphs.accepted};
  if (sources.explanation) {
    for (const Counterfactual& one : sources.explanation->counterfactuals) {
      if (one.graph.has_edge_labels() == sources.view.has_bonds() || one.graph.num_edges() == 0) {
        material.counterfactuals.push_back(one.graph);
      }
    }
  }
  for (const RuleList& list : lists) material.rules.push_back(&list);
  try {
    if (arguments.fragility) material.fragility = fragility_of(sources, pool);
    const Glance seen = glance(material, arguments.options, pool);
    write_output(arguments.output, arguments.json ? glance_json(seen) : as_text(seen));
  } catch (const Stopped&) {
    fmt::print(stderr, "fewedits: ended before all graphs were looked at\n");
    return kInterrupted;
  }
  return kFine;
}

}  // namespace

void add_glance_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(
      "glance", "What tells rejected graphs from accepted ones, in a table and a few sentences");
  command->footer(
      "Looks for functional groups and small patterns among the graphs that the model rejects and\n"
      "accepts. With rules, it says what changes the verdict, too.\n\n"
      "Examples:\n"
      "  fewedits glance --dataset data/AIDS --model gcn.pth\n"
      "  fewedits rules --dataset data/AIDS --model gcn.pth -o rules.json\n"
      "  fewedits glance --dataset data/AIDS --model gcn.pth --rules rules.json --fragility");
  auto arguments = std::make_shared<GlanceArguments>();
  GlanceArguments& a = *arguments;
  a.on.add_to(*command);
  command->add_option("--rules", a.rules,
                      "rules as fewedits rules -o writes them; may be repeated");
  command->add_flag("--fragility", a.fragility,
                    "count the graphs for which one step is enough, too");
  command->add_option("--patterns", a.options.most, "patterns in the table, at most")
      ->capture_default_str();
  command->add_option("--seed", a.options.seed, "which half of the graphs patterns are chosen on")
      ->capture_default_str();
  command->add_option("-o,--output", a.output, "file to write (default: standard output)");
  command->add_flag("--json", a.json, "JSON (docs/formats.md) instead of a table");
  command->callback([=, &action] { action = [=] { return run(*arguments); }; });
}

}  // namespace fewedits::cli
