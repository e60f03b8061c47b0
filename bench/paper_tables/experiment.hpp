// SPDX-License-Identifier: MIT
// From explanations to the record: searches what is asked for and not on record yet, and measures
// it. What is on record is never searched again.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "methods.hpp"
#include "record.hpp"
#include "support/searches.hpp"

namespace fewedits::bench {

/// All that the page is made of.
struct Records {
  Record runs;
  Curves curves;
  Facts facts;
};

struct ExperimentOptions {
  Settings settings;
  std::vector<std::string> datasets;
  std::vector<std::string> parts;  ///< of part_names()
  std::string folder = kResultsFolder;
  double minutes = 0;  ///< after which no further search begins; 0: no limit
  int threads = 0;
};

/// Completes the records; `keep` is called after each addition, so that nothing is lost with a run
/// that is interrupted. Tells on stderr. Returns what is still missing: for lack of time, or since
/// its search failed.
std::vector<std::string> run_experiment(const ExperimentOptions& options, Records& records,
                                        const std::function<void()>& keep);

}  // namespace fewedits::bench
