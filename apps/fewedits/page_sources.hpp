// SPDX-License-Identifier: MIT
// The files that one page is made from, told apart by what they say they are.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "explained.hpp"

namespace fewedits::cli {

struct PageFiles {
  PageSources sources;       ///< without the graphs that the model accepts
  DatasetArguments dataset;  ///< as it was read
  Dataset data;
  std::vector<std::filesystem::path> behind;  ///< all that the page rests on
};

/// Explanations, lists of rules, and at most one of fragility. Throws Error if there is neither an
/// explanation nor a list of rules, or the dataset is not theirs.
PageFiles open_page_files(const ExplainedArguments& arguments);

/// Which graphs the model accepts: the one at `given`, else the one that the page's first file
/// names, if it is there and still the same. Throws Error if the given one is another.
std::optional<std::vector<std::uint32_t>> accepted_graphs(const PageFiles& files,
                                                          const std::string& given,
                                                          ThreadPool& pool);

}  // namespace fewedits::cli
