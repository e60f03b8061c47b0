// SPDX-License-Identifier: MIT
// What commands that show an explanation share: the file, the dataset it is about, the page.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "commands.hpp"
#include "fewedits/report/report.hpp"

namespace fewedits::cli {

struct ExplainedArguments {
  std::vector<std::string> files;  ///< the first one names the dataset
  DatasetArguments dataset;
  int threads = 0;

  void add_to(CLI::App& command);
};

struct Explained {
  std::vector<ReportedExplanation> explanations;
  DatasetArguments dataset;  ///< of the first one, as it was read
  Dataset data;
};

/// All that the explanations rest on: they themselves, the dataset, models that they name. Nothing
/// may be written over these.
std::vector<std::filesystem::path> files_behind(const Explained& explained);

/// Throws Error if the dataset is not the one that the first explanation is about.
Explained open_explained(ExplainedArguments arguments);

/// Writes the page. Without a name for the explanation's file, the page gives none. Throws Stopped
/// if the sign that the pool obeys is set, before anything is written.
void write_report(std::vector<ReportedExplanation> explanations, const Dataset& data,
                  const std::string& file, ThreadPool& pool);

}  // namespace fewedits::cli
