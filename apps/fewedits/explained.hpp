// SPDX-License-Identifier: MIT
// What commands that show an explanation share: the file, the dataset it is about, the page.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "commands.hpp"
#include "fewedits/report_page.hpp"

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
/// The same of one file: it, and the models that it names.
std::vector<std::filesystem::path> files_behind(const Provenance& made_from,
                                                const std::string& file);

/// Throws Error if the dataset is not the one that the first explanation is about.
Explained open_explained(ExplainedArguments arguments);

/// The dataset that `file` was made from, where the arguments or the file say it is; the arguments
/// then are as it was read. Throws Error if it is another one.
Dataset open_recorded(DatasetArguments& arguments, const Provenance& made_from, bool bonds,
                      const std::string& file);

/// Writes the page. Without a name for the explanation's file, the page gives none. Throws Stopped
/// if the sign that the pool obeys is set, before anything is written.
void write_report(PageSources sources, const Dataset& data, const std::string& file,
                  ThreadPool& pool);

}  // namespace fewedits::cli
