// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "commands.hpp"
#include "console.hpp"
#include "explained.hpp"

namespace gcfx::cli {
namespace {

struct ReportArguments {
  ExplainedArguments explained;
  std::string output;
};

int run(const ReportArguments& arguments) {
  const bool to_stdout = arguments.output == "-";
  if (!to_stdout) {
    check_writable(arguments.output);
    std::vector<std::string> inputs = arguments.explained.files;
    inputs.push_back(arguments.explained.dataset.path);
    inputs.push_back(arguments.explained.dataset.metadata);
    protect_inputs(arguments.output, inputs);
  }
  const Explained explained = open_explained(arguments.explained);
  ThreadPool pool(arguments.explained.threads);
  write_report(explained.explanations, explained.data, arguments.output, pool);
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
      "  gcfx report explanation.json -o report.html\n"
      "  gcfx report certified.json greed.json -o comparison.html");
  auto arguments = std::make_shared<ReportArguments>();
  command->add_option("FILE", arguments->explained.files, "explanations (JSON)")->required();
  command->add_option("-o,--output", arguments->output, "page to write (HTML)")->required();
  arguments->explained.add_to(*command);
  command->callback([=, &action] { action = [=] { return run(*arguments); }; });
}

}  // namespace gcfx::cli
