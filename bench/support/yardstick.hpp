// SPDX-License-Identifier: MIT
// One measure for all explanations, whatever they were searched under.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "fewedits/distance/certified_distances.hpp"
#include "fewedits/distance/distance.hpp"
#include "support/published.hpp"

namespace fewedits::bench {

/// How good an explanation is under the published GREED and under proven distances; coverage in
/// percent.
struct Figures {
  double claimed = 0;   ///< coverage if GREED's estimates were true
  double proven = 0;    ///< coverage by edits that are known
  double possible = 0;  ///< coverage that is not excluded
  double cost = 0;      ///< median of the proven distances
  Metrics by_proof;     ///< what is proven, for curves
};

class Yardstick {
 public:
  /// Keeps references. `prove_work` is the budget of each question about a pair.
  Yardstick(const Published& models, ThreadPool& pool, std::uint64_t prove_work = kProveWork);

  /// At the paper's theta, whatever the explanation's is. Throws Error if the classifier rejects
  /// one of the counterfactuals.
  Figures measure(const Explanation& explanation);

 private:
  void check(const std::vector<Graph>& counterfactuals) const;

  const Published& models_;
  ThreadPool& pool_;
  std::vector<std::uint32_t> inputs_;  ///< indices into the dataset
  std::unique_ptr<Distance> greed_;    ///< over the inputs
  std::vector<PreparedGraph> prepared_;
  CertifiedOptions certified_;
};

}  // namespace fewedits::bench
