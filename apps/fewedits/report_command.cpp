// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "commands.hpp"
#include "console.hpp"
#include "distance_tools.hpp"
#include "explained.hpp"
#include "fewedits/evaluate/evaluation.hpp"

namespace fewedits::cli {
namespace {

struct ReportArguments {
  ExplainedArguments explained;
  DistanceOptions greed;  ///< the paper's distance, to compare with
  std::string output;
};

/// Coverage of the first explanation's counterfactuals as GREED sees it.
double greed_coverage(const DistanceOptions& options, const Explained& explained,
                      ThreadPool& pool) {
  const Explanation& e = explained.explanations.front().explanation;
  const auto distance =
      builtin_distances().at("greed").make(without_edge_labels(explained.data, e.inputs),
                                           explained.data.node_labels.size(), options, pool);
  return coverage_under(e, *distance, pool);
}

int run(const ReportArguments& arguments) {
  const bool to_stdout = arguments.output == "-";
  if (!to_stdout) check_writable(arguments.output);
  Explained explained = open_explained(arguments.explained);
  protect_inputs(arguments.output, joined({files_behind(explained), {arguments.greed.model}}));
  print_notes(comparison_notes(explained.explanations));
  ThreadPool pool(arguments.explained.threads);
  if (!arguments.greed.model.empty()) {
    const Explanation& first = explained.explanations.front().explanation;
    if (first.meaning == DistanceMeaning::kOther) {
      throw Error(
          fmt::format("--greed-model: the theta {} of the distance {} says nothing of edits",
                      first.theta, first.distance),
          "leave it out");
    }
    explained.explanations.front().greed_coverage =
        greed_coverage(arguments.greed, explained, pool);
  }
  write_report(std::move(explained.explanations), explained.data, arguments.output, pool);
  if (!to_stdout) {
    const auto bytes = static_cast<double>(std::filesystem::file_size(arguments.output));
    fmt::print("wrote {} ({:.1f} MB); open it in a browser\n", arguments.output, bytes / 1e6);
  }
  return kFine;
}

}  // namespace

void add_report_command(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("report", "Show an explanation as one HTML file with pictures and curves");
  command->footer(
      "The page needs no network and no other file. With several explanations, the first is shown\n"
      "in full and the others are compared with it.\n\n"
      "Examples:\n"
      "  fewedits report explanation.json -o report.html\n"
      "  fewedits report certified.json greed.json -o comparison.html");
  auto arguments = std::make_shared<ReportArguments>();
  command->add_option("FILE", arguments->explained.files, "explanations (JSON)")->required();
  command->add_option("-o,--output", arguments->output, "page to write (HTML)")->required();
  command->add_option("--greed-model", arguments->greed.model,
                      "also tell the coverage that the paper's distance claims");
  arguments->explained.add_to(*command);
  command->callback([=, &action] { action = [=] { return run(*arguments); }; });
}

}  // namespace fewedits::cli
