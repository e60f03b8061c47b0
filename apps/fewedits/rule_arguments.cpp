// SPDX-License-Identifier: MIT
#include "rule_arguments.hpp"

#include <utility>

#include "console.hpp"
#include "fewedits/base/file.hpp"
#include "fewedits/classifier/class_choice.hpp"
#include "fewedits/classifier/model_file.hpp"
#include "fewedits/explanation/explanation_json.hpp"
#include "fewedits/induction/recorded_options.hpp"
#include "fewedits/search/files_used.hpp"
#include "fewedits/verification/recorded_rules.hpp"

namespace fewedits::cli {
namespace {

/// What the command line does not say is as the explanation has it.
void take_recorded(const Explanation& explanation, RuleArguments& arguments) {
  const Provenance& p = explanation.provenance;
  arguments.dataset.take_recorded(p, arguments.file);
  arguments.model = recorded_path("model", arguments.model, p.model_path, arguments.file);
  // That of a kernel is no share of edits.
  if (!arguments.theta && explanation.meaning != DistanceMeaning::kOther) {
    arguments.theta = explanation.theta;
  }
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

GraphView view_of(const RuleArguments& arguments, const Dataset& data) {
  if (arguments.bonds == "use") return {data, true};
  if (arguments.bonds == "ignore") return {};
  return {data, GraphView::knows_bonds(data)};
}

}  // namespace

void RuleArguments::add_to(CLI::App& command) {
  command.add_option("FILE", file, "an explanation: its dataset, model and options");
  command.add_option("--dataset", dataset.path, "TU folder or .zip, .smi, .csv, .sdf, .few");
  command.add_option("--model", model, "classifier (.pth, .pt, .safetensors, .json)");
  command
      .add_option("--theta", theta,
                  "most edits, as a share of the sizes of both graphs (default 0.1)")
      ->check(number_from(0, 1));
  command
      .add_option("--bonds", bonds,
                  "do labels of edges count, and are results valid molecules (default: where "
                  "they are known)")
      ->check(CLI::IsMember({"use", "ignore"}));
  command.add_flag("--plausible", plausible,
                   "only results whose neighbourhoods of radius 2 all occur in the dataset");
  command.add_option("--second-model", second_model,
                     "another classifier that must accept what comes out, too");
  command.add_option("--constraint", constraints, "what results must satisfy; may be repeated")
      ->check(readable_by(check_constraint));
  command.add_option("--source-class", source_classes,
                     "only graphs that are predicted this class; may be repeated");
  command.add_flag("--only-correct", only_correct,
                   "only graphs that are predicted the class they have");
  command.add_option("--min-lead", min_lead, "least lead of the desired class (default 0.0001)")
      ->check(check_share);
  command
      .add_option("--min-probability", min_probability,
                  "least probability of the desired class (default 0)")
      ->check(check_share);
  dataset.add_to(command);
  add_threads(command, threads, &dataset);
}

std::vector<std::filesystem::path> RuleArguments::files() const {
  return joined(
      {dataset.files(),
       model.empty() ? std::vector<std::filesystem::path>{} : model_files(model),
       second_model.empty() ? std::vector<std::filesystem::path>{} : model_files(second_model),
       {file}});
}

RuleTask RuleSources::task() const {
  RuleTask out{*classifier, Goal(desired_class(data, *classifier), acceptance), limits};
  if (second)
    out.second.emplace(SecondModel{*second, Goal(desired_class(data, *second), acceptance)});
  return out;
}

RuleSources open_rule_sources(RuleArguments& arguments, ThreadPool& pool) {
  RuleSources out;
  if (!arguments.file.empty()) {
    out.explanation =
        parse_explanation(read_file(arguments.file, kMaxExplanationBytes), arguments.file);
    take_recorded(*out.explanation, arguments);
  }
  if (arguments.dataset.path.empty() || arguments.model.empty()) {
    throw Error("a dataset and a model are needed",
                "give --dataset and --model, or an explanation that names them");
  }
  arguments.dataset.has_model = true;
  out.data = arguments.dataset.open_with_desired();
  print_notes(out.data.notes);
  out.classifier = open_classifier(arguments.model, out.data);
  print_notes(out.classifier->notes());
  if (!arguments.second_model.empty()) {
    out.second = open_classifier(arguments.second_model, out.data);
    print_notes(out.second->notes());
  }
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
  Constraints constraints;
  for (const std::string& text : arguments.constraints) {
    add_constraint(text, label_names(out.data).nodes, constraints);
  }
  if (constraints.molecules_only && !out.view.rules()) {
    throw Error("the constraint molecule needs molecules whose bonds are known and used",
                "use bonds (--bonds use), or leave the constraint out");
  }
  out.material = rule_material(out.data, out.view, out.graphs.rejected, out.graphs.accepted);
  out.limits = rule_limits(out.view, std::move(constraints), arguments.theta.value_or(0.1),
                           arguments.plausible, out.material);
  out.acceptance = {arguments.min_lead.value_or(kSafeLead), arguments.min_probability.value_or(0)};
  return out;
}

Provenance provenance_of(const RuleArguments& arguments, const RuleSources& material) {
  Provenance out;
  out.software = "fewedits " + version();
  out.dataset_name = material.data.name;
  out.dataset_hash = dataset_fingerprint(material.data, material.view.has_bonds());
  note_files(arguments.dataset.path, arguments.model, "", out);
  out.options = options_of_task(material.acceptance, arguments.constraints, material.selection);
  const auto flags = arguments.dataset.flags();
  out.options.insert(out.options.end(), flags.begin(), flags.end());
  return out;
}

}  // namespace fewedits::cli
