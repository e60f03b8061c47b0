// SPDX-License-Identifier: MIT
// Regenerates the paper's tables as Markdown: its figures, and ours with the published models.
// Hours with the paper's settings; every explanation is kept in --folder, and one that is there is
// not searched again. Exit status 1 if we fall short.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "fewedits/base/file.hpp"
#include "support/published.hpp"
#include "tables.hpp"

namespace fewedits::bench {
namespace {

struct Arguments {
  std::vector<std::string> datasets{kPaperDatasets.begin(), kPaperDatasets.end()};
  ExperimentOptions experiment;
  std::string output;
  std::string record;
};

int run(const Arguments& arguments) {
  if (lacks("datasets") || lacks("models")) return kSkipped;
  Record record = arguments.record.empty() ? Record{} : read_record(arguments.record);
  std::vector<Results> results;
  for (const PaperDataset& paper : kPaper) {
    if (std::count(arguments.datasets.begin(), arguments.datasets.end(), paper.name) == 0) continue;
    results.push_back(run_experiment(paper, arguments.experiment, record));
  }
  const std::string text = tables(results, arguments.experiment);
  if (arguments.output.empty()) {
    fmt::print("{}", text);
  } else {
    write_file_atomically(arguments.output, text);
    fmt::print(stderr, "wrote {}\n", arguments.output);
  }
  if (!arguments.record.empty()) write_file_atomically(arguments.record, csv(record));
  const std::vector<std::string> failures =
      compare_with_paper(results, arguments.experiment.seeds.size());
  for (const std::string& line : failures) fmt::print(stderr, "falls short: {}\n", line);
  return failures.empty() ? 0 : 1;
}

}  // namespace
}  // namespace fewedits::bench

int main(int argc, char** argv) {
  fewedits::bench::Arguments a;
  CLI::App app{"The paper's tables, its figures beside ours"};
  app.add_option("--datasets", a.datasets, "comma-separated")
      ->check(CLI::IsMember(fewedits::bench::kPaperDatasets))
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--seeds", a.experiment.seeds, "comma-separated")
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--steps", a.experiment.steps, "of each walk")->capture_default_str();
  app.add_option("--longer-steps", a.experiment.longer_steps, "of each walk of the part longer")
      ->capture_default_str();
  app.add_option("--threads", a.experiment.threads, "0: one per core")->capture_default_str();
  app.add_option("--output", a.output, "Markdown file; standard output unless given");
  app.add_option("--record", a.record,
                 "CSV file of each seed's figures, completed by this run; shown where a search is "
                 "neither in the folder nor asked for");
  app.add_option("--alphas", a.experiment.alphas,
                 "to search, comma-separated; others are shown if they are known")
      ->check(CLI::IsMember(
          std::vector<double>{fewedits::bench::kAlphas.begin(), fewedits::bench::kAlphas.end()}))
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--parts", a.experiment.parts,
                 "to search, comma-separated; others are shown if they are known")
      ->check(CLI::IsMember(fewedits::bench::kParts))
      ->delimiter(',')
      ->capture_default_str();
  app.add_flag_callback(
      "--no-search", [&] { a.experiment.parts.clear(); }, "the tables of what is known already");
  app.add_option("--folder", a.experiment.folder,
                 "where the explanations are; delete one to have it searched again")
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    return fewedits::bench::run(a);
  } catch (const std::exception& error) {
    fmt::print(stderr, "paper_tables_bench: {}\n", error.what());
    return 2;
  }
}
