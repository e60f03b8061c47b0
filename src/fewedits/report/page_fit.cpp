// SPDX-License-Identifier: MIT
#include "fewedits/report/page_fit.hpp"

#include <fmt/format.h>

#include "fewedits/base/error.hpp"
#include "fewedits/explanation/figures.hpp"
#include "fewedits/graph/fingerprint.hpp"
#include "fewedits/proof/edit_script.hpp"

namespace fewedits {
namespace {

/// What the one is about and the other is not; nothing if they can be compared. The hash is over
/// graphs, classes and which of them is desired.
std::string difference_between(const Explanation& a, const Explanation& b) {
  const Provenance& p = a.provenance;
  const Provenance& q = b.provenance;
  // A fingerprint counts bonds where they are used.
  const bool same_bonds = a.edge_label_names == b.edge_label_names;
  const bool same_data =
      p.dataset_hash == q.dataset_hash || (!same_bonds && p.dataset_path == q.dataset_path);
  if (!same_data) {
    const bool other_class = p.values_of("desired-class") != q.values_of("desired-class");
    return other_class ? "has another desired class" : "explains other data or classes";
  }
  const bool same_model = p.model_hash == q.model_hash && p.black_box == q.black_box;
  if (!same_model) return "explains another model";
  if (a.inputs != b.inputs) return "explains other graphs";
  return same_bonds ? "" : "sees other bonds";
}

/// What a part is made from, and whose answers it is about.
struct Claim {
  const Provenance& provenance;
  const std::string& file;
  bool bonds = false;
};

void check_claim(const Claim& claim, const PageParts& parts, const Dataset& dataset) {
  if (dataset_fingerprint(dataset, claim.bonds) != claim.provenance.dataset_hash) {
    throw Error({claim.file},
                "is about another dataset, other classes or other bonds than the page",
                "make it from the same dataset, read in the same way");
  }
  const Provenance& subject = subject_of(parts);
  if (claim.provenance.model_hash != subject.model_hash ||
      claim.provenance.black_box != subject.black_box) {
    throw Error({claim.file}, "is about another model than the page",
                "make it with the model " + in_quotes(subject.model_path, 200));
  }
}

/// The desired class of whoever says it first; empty: nobody.
std::string desired_class_of(const PageParts& parts) {
  if (!parts.explanations.empty()) {
    const auto& classes = parts.explanations.front().explanation.classes;
    return classes ? classes->desired : "";
  }
  return parts.rules.empty() ? "" : parts.rules.front().list.classes.desired;
}

void check_class(const std::string& desired, const std::string& file, const PageParts& parts) {
  const std::string wanted = desired_class_of(parts);
  if (wanted.empty() || desired == wanted) return;
  throw Error({file},
              fmt::format("is about the class {}, the page about {}", in_quotes(desired, 200),
                          in_quotes(wanted, 200)),
              "make it with the same desired class");
}

void check_rules(const ReportedRules& one, const PageParts& parts, const Dataset& dataset) {
  const RuleList& list = one.list;
  check_claim({list.provenance, one.file, !list.edge_label_names.empty()}, parts, dataset);
  check_class(list.classes.desired, one.file, parts);
  if (list.label_names != label_names(dataset).nodes) {
    throw Error({one.file}, "the dataset has other node labels than the rules",
                "give the dataset that they were made from, read in the same way");
  }
  if (!list.inputs.empty() && list.inputs.back() >= dataset.size()) {
    throw Error({one.file}, fmt::format("is about graph {}, but the dataset has {} graphs",
                                        list.inputs.back(), dataset.size()));
  }
}

}  // namespace

const Provenance& subject_of(const PageParts& parts) {
  return parts.explanations.empty() ? parts.rules.front().list.provenance
                                    : parts.explanations.front().explanation.provenance;
}

void check_fits(const PageParts& parts, const Dataset& dataset) {
  if (parts.explanations.empty() && parts.rules.empty()) {
    throw Error("there is neither an explanation nor a list of rules to show");
  }
  if (!parts.explanations.empty()) {
    const ReportedExplanation& first = parts.explanations.front();
    check_fits(first.explanation, dataset, first.file);
  }
  for (const ReportedRules& one : parts.rules) check_rules(one, parts, dataset);
  if (!parts.fragility) return;
  const FragilityList& fragility = parts.fragility->list;
  check_claim({fragility.provenance, parts.fragility->file, fragility.bonds}, parts, dataset);
  check_class(fragility.desired, parts.fragility->file, parts);
  for (const auto* side : {&fragility.rejected, &fragility.accepted}) {
    if (side->empty() || side->back().graph < dataset.size()) continue;
    throw Error({parts.fragility->file},
                fmt::format("is about graph {}, but the dataset has {} graphs", side->back().graph,
                            dataset.size()));
  }
}

std::vector<std::string> rule_notes(const PageParts& parts) {
  std::vector<std::string> out;
  for (const ReportedRules& one : parts.rules) {
    if (one.list.second_model_path.empty()) continue;
    out.push_back(in_quotes(one.file, 200) +
                  " takes only what a second model accepts, too: " + one.list.second_model_path);
  }
  if (parts.explanations.empty()) return out;
  const Explanation& first = parts.explanations.front().explanation;
  if (parts.fragility && parts.fragility->list.bonds == first.edge_label_names.empty()) {
    out.push_back(in_quotes(parts.fragility->file, 200) +
                  (parts.fragility->list.bonds
                       ? " uses bonds; the counterfactuals leave them out"
                       : " leaves bonds out; the counterfactuals use them"));
  }
  for (const ReportedRules& one : parts.rules) {
    const auto note = [&](const std::string& what) {
      out.push_back(in_quotes(one.file, 200) + " " + what);
    };
    if (one.list.inputs != first.inputs) {
      note(
          fmt::format("is about {} other inputs than the counterfactuals", one.list.inputs.size()));
    }
    if (one.list.theta != first.theta) {
      note(fmt::format("allows θ = {}, the counterfactuals {}", theta_text(one.list.theta),
                       theta_text(first.theta)));
    }
    if (one.list.edge_label_names.empty() != first.edge_label_names.empty()) {
      note(one.list.edge_label_names.empty() ? "leaves bonds out; the counterfactuals use them"
                                             : "uses bonds; the counterfactuals leave them out");
    }
  }
  return out;
}

GraphView view_of(const PageParts& parts, const Dataset& dataset) {
  if (!parts.explanations.empty()) {
    const ReportedExplanation& first = parts.explanations.front();
    return {dataset, first.explanation.edge_label_names, first.file};
  }
  return {dataset, parts.rules.front().list.edge_label_names, parts.rules.front().file};
}

std::vector<std::string> comparison_notes(std::span<const ReportedExplanation> explanations) {
  std::vector<std::string> out;
  if (explanations.empty()) return out;
  const ReportedExplanation& first = explanations.front();
  for (const ReportedExplanation& other : explanations.subspan(1)) {
    const std::string difference = difference_between(other.explanation, first.explanation);
    if (difference.empty()) continue;
    out.push_back(fmt::format("{} {} than {}: their figures are not about the same",
                              in_quotes(other.file, 200), difference, in_quotes(first.file, 200)));
  }
  return out;
}

}  // namespace fewedits
