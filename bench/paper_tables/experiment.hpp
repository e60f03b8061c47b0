// SPDX-License-Identifier: MIT
// The explanations behind the tables: which there are, and their means over the seeds.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "fewedits/search/options.hpp"
#include "paper.hpp"
#include "record.hpp"
#include "support/searches.hpp"

namespace fewedits::bench {

/// The same options with several seeds.
struct Sample {
  std::vector<Run> runs;  ///< fewer than seeds if not all were searched

  struct Figure {
    double mean = 0;
    double deviation = 0;  ///< standard deviation of the runs; 0 for one or none
  };
  [[nodiscard]] Figure of(double Run::*part) const;
  [[nodiscard]] Figure coverage() const { return of(&Run::coverage); }
  [[nodiscard]] Figure cost() const { return of(&Run::cost); }
};

/// Walks that look at all neighbours, or at no more than the paper's faster variant does.
struct Walks {
  std::array<Sample, 3> by_alpha;  ///< kAlphas; no refinement
  // With the best alpha:
  Sample refined;
  std::array<Sample, 3> ablations;  ///< NVR, NIF, NDT
};

/// The paper's figures for a dataset and ours.
struct Results {
  PaperDataset paper;
  Sample ground_truth;
  Walks full;
  Walks sampled;         ///< of kPaperSample neighbours a step
  std::size_t best = 0;  ///< of full.by_alpha with the most seeds: the largest mean coverage
  // With the best alpha, no refinement:
  Sample earliest;                 ///< CandidateTies::kEarliest
  Sample longer;                   ///< ExperimentOptions::longer_steps instead of steps
  std::vector<std::string> notes;  ///< explanations that are not as the options have it

  [[nodiscard]] const Sample& best_alpha() const { return full.by_alpha.at(best); }
};

/// What may be searched; the rest is shown if it is in the folder or on record. "sampled": with the
/// default alpha.
inline const std::vector<std::string> kParts{
    "alphas",  "refined",        "ablations",       "earliest",         "longer",
    "sampled", "sampled-alphas", "sampled-refined", "sampled-ablations"};

struct ExperimentOptions {
  std::vector<std::uint64_t> seeds = {1, 2, 3};
  std::uint64_t steps = kPaperSteps;
  std::uint64_t longer_steps = 200 * kPaperSteps;
  std::string folder = kResultsFolder;
  std::vector<std::string> parts{"alphas", "earliest", "refined", "ablations",
                                 "sampled"};                   ///< of kParts
  std::vector<double> alphas{kAlphas.begin(), kAlphas.end()};  ///< of "alphas" and "sampled-alphas"
  int threads = 0;
};

/// Searches what is not in the folder yet, if it may; tells on stderr. What it may not is taken
/// from the record; what it finds goes there.
Results run_experiment(const PaperDataset& paper, const ExperimentOptions& options, Record& record);

}  // namespace fewedits::bench
