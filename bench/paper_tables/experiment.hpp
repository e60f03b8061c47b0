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
#include "trials.hpp"

namespace fewedits::bench {

/// All that the page is made of.
struct Records {
  Record runs;
  Curves curves;
  Facts facts;
  Trials trials;  ///< not of this program: bench/local_explainers writes them
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
/// that is interrupted. Tells on stderr. Returns the searches that failed.
std::vector<std::string> run_experiment(const ExperimentOptions& options, Records& records,
                                        const std::function<void()>& keep);

/// What of those parts and of all datasets is not on record, and why if something else is missing
/// first: "own: AIDS (needs build/…)", "walk: PROTEINS (seed 3)".
std::vector<std::string> missing_parts(const Settings& settings,
                                       const std::vector<std::string>& parts,
                                       const Records& records);

}  // namespace fewedits::bench
