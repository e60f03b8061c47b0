// SPDX-License-Identifier: MIT
#include "explained.hpp"

#include <filesystem>

#include "console.hpp"
#include "gcfx/base/file.hpp"
#include "gcfx/output/explanation_json.hpp"

namespace gcfx::cli {
namespace {

/// Who gave no dataset is told who did, and what to do.
void check_present(const std::string& dataset, bool given, const std::string& file) {
  std::error_code absent;
  if (given || std::filesystem::exists(dataset, absent)) return;
  throw Error({file}, "names the dataset " + quoted(dataset, 200) + ", which is not there",
              "say where it is: --dataset PATH");
}

}  // namespace

void ExplainedArguments::add_to(CLI::App& command) {
  command.add_option("--dataset", dataset.path,
                     "TU folder or .zip, .smi, .csv, .sdf; without it, the one that FILE names");
  dataset.add_to(command);
  add_threads(command, threads);
}

Explained open_explained(ExplainedArguments arguments) {
  Explained out;
  for (const std::string& file : arguments.files) {
    out.explanations.push_back(
        {parse_explanation(read_file(file, kMaxExplanationBytes), file), file, {}});
  }
  const std::string& first = arguments.files.front();
  const Provenance& provenance = out.explanations.front().explanation.provenance;
  const bool given = !arguments.dataset.path.empty();
  arguments.dataset.path =
      recorded_path("dataset", arguments.dataset.path, provenance.dataset_path, first);
  check_present(arguments.dataset.path, given, first);
  out.dataset_path = arguments.dataset.path;
  out.data = arguments.dataset.open();
  if (dataset_fingerprint(out.data) != provenance.dataset_hash) {
    throw Error({arguments.dataset.path}, "is not the dataset that " + quoted(first) + " explains",
                "give that dataset, read with the same flags (--dataset, --desired-class …)");
  }
  return out;
}

void write_report(const std::vector<ReportedExplanation>& explanations, const Dataset& data,
                  const std::string& file, ThreadPool& pool) {
  write_output(file, report_html(report_json(explanations, data, pool)));
}

}  // namespace gcfx::cli
