// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "commands.hpp"
#include "console.hpp"
#include "distance_tools.hpp"
#include "fewedits/evaluate/evaluation.hpp"
#include "page_sources.hpp"

namespace fewedits::cli {
namespace {

struct ReportArguments {
  ExplainedArguments explained;
  std::string model;
  DistanceOptions greed;  ///< the paper's distance, to compare with
  std::string output;
};

/// Coverage of the first explanation's counterfactuals as GREED sees it.
double greed_coverage(const DistanceOptions& options, const PageFiles& files, ThreadPool& pool) {
  if (files.sources.explanations.empty()) {
    throw Error("--greed-model: there is no explanation whose coverage it could tell",
                "leave it out");
  }
  const Explanation& e = files.sources.explanations.front().explanation;
  if (e.meaning == DistanceMeaning::kOther) {
    throw Error(fmt::format("--greed-model: the theta {} of the distance {} says nothing of edits",
                            e.theta, e.distance),
                "leave it out");
  }
  const auto distance = builtin_distances().at("greed").make(
      without_edge_labels(files.data, e.inputs), files.data.node_labels.size(), options, pool);
  return coverage_under(e, *distance, pool);
}

int run(const ReportArguments& arguments) {
  const bool to_stdout = arguments.output == "-";
  if (!to_stdout) check_writable(arguments.output);
  PageFiles files = open_page_files(arguments.explained);
  protect_inputs(arguments.output,
                 joined({files.behind, {arguments.greed.model, arguments.model}}));
  print_notes(comparison_notes(files.sources.explanations));
  ThreadPool pool(arguments.explained.threads);
  files.sources.accepted = accepted_graphs(files, arguments.model, pool);
  if (!arguments.greed.model.empty()) {
    files.sources.explanations.front().greed_coverage =
        greed_coverage(arguments.greed, files, pool);
  }
  write_report(std::move(files.sources), files.data, arguments.output, pool);
  if (!to_stdout) {
    const auto bytes = static_cast<double>(std::filesystem::file_size(arguments.output));
    fmt::print("wrote {} ({:.1f} MB); open it in a browser\n", arguments.output, bytes / 1e6);
  }
  return kFine;
}

}  // namespace

void add_report_command(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("report", "Show an explanation and rules as one HTML file with pictures");
  command->footer(
      "The page needs no network and no other file. Files may be explanations, lists of rules and\n"
      "fragility (fewedits rules, fewedits fragility --json), all of one model. With several\n"
      "explanations, the first is shown in full and the others are compared with it.\n\n"
      "Examples:\n"
      "  fewedits report explanation.json -o report.html\n"
      "  fewedits report why.json rules.json plausible.json fragility.json -o report.html\n"
      "  fewedits report certified.json greed.json -o comparison.html");
  auto arguments = std::make_shared<ReportArguments>();
  command
      ->add_option("FILE", arguments->explained.files,
                   "explanations, lists of rules, fragility (JSON)")
      ->required();
  command->add_option("-o,--output", arguments->output, "page to write (HTML)")->required();
  command->add_option("--model", arguments->model,
                      "where the model is, to tell which graphs it accepts (default: the one that\n"
                      "FILE names; if that is not there, the page leaves out what needs it)");
  command->add_option("--greed-model", arguments->greed.model,
                      "also tell the coverage that the paper's distance claims");
  arguments->explained.add_to(*command);
  command->callback([=, &action] { action = [=] { return run(*arguments); }; });
}

}  // namespace fewedits::cli
