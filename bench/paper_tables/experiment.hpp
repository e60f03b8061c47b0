// SPDX-License-Identifier: MIT
// The runs behind the tables: which there are, and their means over the seeds.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "gcfx/explain/explainer.hpp"
#include "paper.hpp"
#include "run_cache.hpp"

namespace gcfx::bench {

/// The same options with several seeds.
struct Sample {
  std::vector<Run> runs;

  struct Figure {
    double mean = 0;
    double deviation = 0;  ///< standard deviation of the runs; 0 for one
  };
  [[nodiscard]] Figure of(double Run::*part) const;
  [[nodiscard]] Figure coverage() const { return of(&Run::coverage); }
  [[nodiscard]] Figure cost() const { return of(&Run::cost); }
};

/// The paper's figures for a dataset and ours.
struct Results {
  PaperDataset paper;
  Sample ground_truth;
  std::array<Sample, 3> by_alpha;  ///< kAlphas; no refinement
  std::size_t best = 0;            ///< of by_alpha: the largest mean coverage
  // With the best alpha:
  Sample refined;
  std::array<Sample, 3> ablations;  ///< NVR, NIF, NDT

  [[nodiscard]] const Sample& best_alpha() const { return by_alpha.at(best); }
};

struct ExperimentOptions {
  std::vector<std::uint64_t> seeds = {1, 2, 3};
  std::uint64_t steps = 50'000;
  std::uint64_t refine_work = RefineOptions{}.work;
  int threads = 0;
};

/// Runs what is not in the cache; tells on stderr.
Results run_experiment(const PaperDataset& paper, const ExperimentOptions& options,
                       RunCache& cache);

}  // namespace gcfx::bench
