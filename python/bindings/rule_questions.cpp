// SPDX-License-Identifier: MIT
#include "rule_questions.hpp"

#include "bindings.hpp"
#include "fewedits/base/version.hpp"
#include "fewedits/classifier/class_choice.hpp"
#include "fewedits/edit/constraints.hpp"
#include "fewedits/induction/recorded_options.hpp"
#include "fewedits/search/files_used.hpp"
#include "fewedits/verification/recorded_rules.hpp"

namespace fewedits::python {

Asked asked(const Dataset& data, const Classifier& classifier, const Classifier* second,
            const Question& question, const Explanation* explanation, ThreadPool& pool) {
  InputSelection selection;
  Acceptance acceptance{kSafeLead, 0};
  std::vector<std::string> texts = question.constraints;
  if (explanation != nullptr) {
    const Provenance& p = explanation->provenance;
    selection = recorded_selection(p, data, p.model_path, "the explanation");
    acceptance = recorded_acceptance(p, "the explanation");
    for (const std::string& text : p.values_of("constraint")) {
      if (text != "molecule") texts.push_back(text);
    }
  }
  if (!question.source_classes.empty()) selection.source_classes = question.source_classes;
  selection.only_correct |= question.only_correct;
  if (question.min_lead) acceptance.min_lead = *question.min_lead;
  if (question.min_probability) acceptance.min_probability = *question.min_probability;
  Constraints constraints;
  for (const std::string& text : texts) {
    add_constraint(text, label_names(data).nodes, constraints);
  }
  const GraphView view(data, question.bonds.value_or(GraphView::knows_bonds(data)));
  RejectedGraphs graphs = rejected_graphs(data, classifier, pool, selection);
  RuleMaterial material = rule_material(data, view, graphs.rejected, graphs.accepted);
  RuleTask task{
      classifier, Goal(desired_class(data, classifier), acceptance),
      rule_limits(view, std::move(constraints), question.theta, question.plausible, material)};
  if (second != nullptr) {
    task.second.emplace(SecondModel{*second, Goal(desired_class(data, *second), acceptance)});
  }
  return {view,
          std::move(selection),
          acceptance,
          std::move(texts),
          std::move(graphs),
          std::move(material),
          std::move(task)};
}

Provenance provenance_of(const Dataset& data, const Question& question, const Asked& asked,
                         const Explanation* explanation) {
  Provenance out;
  out.software = "fewedits " + version();
  out.dataset_name = data.name;
  out.dataset_hash = dataset_fingerprint(data, asked.view.has_bonds());
  if (!question.model_path.empty()) {
    note_files(question.dataset_path, question.model_path, "", out);
  } else if (explanation != nullptr) {
    // It is about the same model, and may call it otherwise.
    out.model_path = explanation->provenance.model_path;
    out.model_hash = explanation->provenance.model_hash;
    out.black_box = explanation->provenance.black_box;
  } else {
    out.black_box = question.black_box;
  }
  out.dataset_path = question.dataset_path;
  out.options = options_of_task(asked.acceptance, asked.constraints, asked.selection);
  out.options.insert(out.options.end(), question.recorded.begin(), question.recorded.end());
  return out;
}

}  // namespace fewedits::python
