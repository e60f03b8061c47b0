// SPDX-License-Identifier: MIT
#include "explained.hpp"

#include "console.hpp"
#include "fewedits/base/error.hpp"
#include "fewedits/base/file.hpp"
#include "fewedits/classifier/model_file.hpp"
#include "fewedits/evaluate/recourse_pairs.hpp"
#include "fewedits/explanation/explanation_json.hpp"

namespace fewedits::cli {

void ExplainedArguments::add_to(CLI::App& command) {
  command.add_option(
      "--dataset", dataset.path,
      "TU folder or .zip, .smi, .csv, .sdf, .few; without it, the one that FILE names");
  dataset.add_to(command);
  add_threads(command, threads, &dataset);
}

Explained open_explained(ExplainedArguments arguments) {
  Explained out;
  for (const std::string& file : arguments.files) {
    out.explanations.push_back(
        {parse_explanation(read_file(file, kMaxExplanationBytes), file), file, {}, {}});
  }
  const std::string& first = arguments.files.front();
  const Explanation& explanation = out.explanations.front().explanation;
  const Provenance& provenance = explanation.provenance;
  arguments.dataset.take_recorded(provenance, first);
  out.dataset = arguments.dataset;
  out.data = out.dataset.open();
  const bool bonds = !explanation.edge_label_names.empty();
  if (dataset_fingerprint(out.data, bonds) != provenance.dataset_hash) {
    throw Error({out.dataset.path}, "is not the dataset that " + in_quotes(first) + " explains",
                "say where that one is: --dataset PATH");
  }
  return out;
}

std::vector<std::filesystem::path> files_behind(const Explained& explained) {
  std::vector<std::filesystem::path> out = explained.dataset.files();
  for (const ReportedExplanation& one : explained.explanations) {
    const Provenance& made_from = one.explanation.provenance;
    out.insert(out.end(), {one.file, made_from.distance_model_path});
    try {
      out = joined({out, model_files(made_from.model_path)});
    } catch (const Error&) {
      // A description that cannot be read names no weights, and is a file all the same.
      out.emplace_back(made_from.model_path);
    }
  }
  return out;
}

void write_report(std::vector<ReportedExplanation> explanations, const Dataset& data,
                  const std::string& file, ThreadPool& pool) {
  ReportedExplanation& first = explanations.front();
  first.pairs = recourse_pairs(first.explanation, data, kMaxReportedNodes, first.file, pool);
  const std::string json = report_json(explanations, data, pool);
  pool.check_stop();
  write_output(file, report_html(json));
}

}  // namespace fewedits::cli
