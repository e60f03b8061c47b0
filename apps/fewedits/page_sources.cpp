// SPDX-License-Identifier: MIT
#include "page_sources.hpp"

#include <algorithm>
#include <utility>

#include "console.hpp"
#include "fewedits/base/error.hpp"
#include "fewedits/base/file.hpp"
#include "fewedits/classifier/model_file.hpp"
#include "fewedits/explanation/explanation_json.hpp"
#include "fewedits/rules/rule_json.hpp"

namespace fewedits::cli {
namespace {

void read_into(PageSources& sources, const std::string& file) {
  const std::string text = read_file(file, std::max(kMaxExplanationBytes, kMaxRulesBytes));
  if (is_rules_json(text)) {
    sources.rules.push_back({parse_rules(text, file), file});
  } else if (is_fragility_json(text)) {
    if (sources.fragility) {
      throw Error({file}, "is a second list of fragility", "a page shows one: leave one out");
    }
    sources.fragility = ReportedFragility{parse_fragility(text, file), file};
  } else {
    sources.explanations.push_back({parse_explanation(text, file), file, {}, {}});
  }
}

/// What the page is about.
struct Subject {
  const Provenance& provenance;
  const std::string& file;
  bool bonds = false;
};

Subject subject_of(const PageSources& sources) {
  if (!sources.explanations.empty()) {
    const ReportedExplanation& first = sources.explanations.front();
    return {first.explanation.provenance, first.file, !first.explanation.edge_label_names.empty()};
  }
  const ReportedRules& first = sources.rules.front();
  return {first.list.provenance, first.file, !first.list.edge_label_names.empty()};
}

}  // namespace

PageFiles open_page_files(const ExplainedArguments& arguments) {
  PageFiles out;
  for (const std::string& file : arguments.files) read_into(out.sources, file);
  const PageSources& sources = out.sources;
  if (sources.explanations.empty() && sources.rules.empty()) {
    throw Error({arguments.files.front()}, "tells of fragility alone",
                "give an explanation or rules, too: fewedits explain, fewedits rules");
  }
  const Subject subject = subject_of(sources);
  out.dataset = arguments.dataset;
  out.data = open_recorded(out.dataset, subject.provenance, subject.bonds, subject.file);
  out.behind = out.dataset.files();
  const auto add = [&](const Provenance& made_from, const std::string& file) {
    out.behind = joined({out.behind, files_behind(made_from, file)});
  };
  for (const auto& one : sources.explanations) add(one.explanation.provenance, one.file);
  for (const auto& one : sources.rules) add(one.list.provenance, one.file);
  if (sources.fragility) add(sources.fragility->list.provenance, sources.fragility->file);
  return out;
}

std::optional<std::vector<std::uint32_t>> accepted_graphs(const PageFiles& files,
                                                          const std::string& given,
                                                          ThreadPool& pool) {
  const Subject subject = subject_of(files.sources);
  if (given.empty() && !subject.provenance.black_box.empty()) return std::nullopt;
  try {
    const std::string model =
        recorded_path("model", given, subject.provenance.model_path, subject.file);
    if (model_hash(model) != subject.provenance.model_hash) {
      throw Error({model}, "is not the model that " + in_quotes(subject.file) + " is about",
                  "say where that one is: --model PATH");
    }
    const auto classifier = open_classifier(model, files.data);
    return rejected_graphs(files.data, *classifier, pool).accepted;
  } catch (const Error&) {
    // A page does without; it says so.
    if (given.empty()) return std::nullopt;
    throw;
  }
}

}  // namespace fewedits::cli
