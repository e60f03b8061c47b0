// SPDX-License-Identifier: MIT
#include "rules_search.hpp"

#include <chrono>
#include <utility>

#include "console.hpp"
#include "fewedits/base/file.hpp"
#include "fewedits/classifier/model_file.hpp"
#include "fewedits/explanation/explanation_json.hpp"
#include "fewedits/induction/brought_rules.hpp"
#include "fewedits/induction/recorded_options.hpp"
#include "fewedits/rules/rule_json.hpp"
#include "fewedits/rules/rule_text.hpp"

namespace fewedits::cli {
namespace {

Provenance recorded(const RulesArguments& arguments, const RuleSources& material) {
  Provenance out = provenance_of(arguments.on, material);
  const InduceOptions& options = arguments.options;
  out.seed = options.seed;
  RecordedOptions own = options_of_search(options);
  for (const std::string& text : arguments.tried) own.emplace_back("try", text);
  if (!arguments.measured.empty()) own.emplace_back("measure", arguments.measured);
  // Its scripts were tried, too.
  if (!arguments.on.file.empty()) own.emplace_back("explanation", arguments.on.file);
  out.options.insert(out.options.begin(), own.begin(), own.end());
  return out;
}

/// The rules that are to be measured, in order. Labels of a file go by their names.
std::vector<std::string> texts_of(const RulesArguments& arguments) {
  std::vector<std::string> out = arguments.tried;
  if (arguments.measured.empty()) return out;
  const RuleList list =
      parse_rules(read_file(arguments.measured, kMaxExplanationBytes), arguments.measured);
  for (const MeasuredRule& one : list.rules) out.push_back(rule_text(one.rule, list.names()));
  if (out.empty()) throw Error({arguments.measured}, "has no rules");
  return out;
}

RuleList tried_list(const RulesArguments& arguments, const RuleSources& material,
                    const RuleMaterial& on, const RuleTask& task, ThreadPool& pool) {
  const RuleNames names{label_names(material.data).nodes, material.view.edge_label_names()};
  std::vector<Rule> rules;
  for (const std::string& text : texts_of(arguments)) rules.push_back(parse_rule(text, names));
  return measured_list(rules, arguments.options.seed, on, task, pool);
}

}  // namespace

FoundRules find_rules(RulesArguments& arguments, const RuleSources& sources, const StopSign& stop,
                      ThreadPool& pool) {
  FoundRules out;
  const RuleTask task = sources.task();
  arguments.options.objective = *objective_of(arguments.objective);
  const auto start = std::chrono::steady_clock::now();
  if (arguments.searches()) {
    if (sources.explanation) {
      arguments.options.more_candidates =
          rules_in_scripts(*sources.explanation, sources.data, sources.view);
    }
    ProgressLine line;
    InduceHooks hooks;
    hooks.stop = &stop;
    hooks.progress = [&](const char* stage, std::size_t done, std::size_t all) {
      line.update(done, all, stage);
    };
    out.list = induce(sources.material, task, arguments.options, pool, hooks, &out.statistics);
  } else {
    out.list = tried_list(arguments, sources, sources.material, task, pool);
    arguments.options.rules = out.list.rules.size();  // of those, at most
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  out.seconds = elapsed.count();
  out.list.provenance = recorded(arguments, sources);
  out.list.classes = explained_classes(sources.data, *sources.classifier, sources.graphs);
  if (sources.second) {
    out.list.second_model_path = arguments.on.second_model;
    out.list.second_model_hash = model_hash(arguments.on.second_model);
  }
  out.list.label_names = label_names(sources.data).nodes;
  out.list.edge_label_names = sources.view.edge_label_names();
  return out;
}

}  // namespace fewedits::cli
