// SPDX-License-Identifier: MIT
#include "explained.hpp"

#include "console.hpp"
#include "fewedits/base/error.hpp"
#include "fewedits/base/file.hpp"
#include "fewedits/classifier/model_file.hpp"
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
  const Explanation& first = out.explanations.front().explanation;
  out.dataset = arguments.dataset;
  out.data = open_recorded(out.dataset, first.provenance, !first.edge_label_names.empty(),
                           arguments.files.front());
  return out;
}

Dataset open_recorded(DatasetArguments& arguments, const Provenance& made_from, bool bonds,
                      const std::string& file) {
  arguments.take_recorded(made_from, file);
  Dataset out = arguments.open();
  if (dataset_fingerprint(out, bonds) != made_from.dataset_hash) {
    throw Error({arguments.path}, "is not the dataset that " + in_quotes(file) + " explains",
                "say where that one is: --dataset PATH");
  }
  return out;
}

std::vector<std::filesystem::path> files_behind(const Provenance& made_from,
                                                const std::string& file) {
  std::vector<std::filesystem::path> out{file, made_from.distance_model_path};
  try {
    out = joined({out, model_files(made_from.model_path)});
  } catch (const Error&) {
    // A description that cannot be read names no weights, and is a file all the same.
    out.emplace_back(made_from.model_path);
  }
  return out;
}

std::vector<std::filesystem::path> files_behind(const Explained& explained) {
  std::vector<std::filesystem::path> out = explained.dataset.files();
  for (const ReportedExplanation& one : explained.explanations) {
    out = joined({out, files_behind(one.explanation.provenance, one.file)});
  }
  return out;
}

void write_report(PageSources sources, const Dataset& data, const std::string& file,
                  ThreadPool& pool) {
  write_output(file, report_page(std::move(sources), data, pool));
}

}  // namespace fewedits::cli
