// SPDX-License-Identifier: MIT
// What is proven of the edit distances between a few counterfactuals and many inputs (SPEC §5).
//
// Every pair gets the heuristic's map and the cheap lower bounds. Where these leave open whether it
// is within theta, GedSolver::within goes after that question as far as the budget allows. Budgets
// are counted in work, so every machine and any number of threads give the same answer.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "fewedits/base/parallel.hpp"
#include "fewedits/ged/solver.hpp"

namespace fewedits {

struct CertifiedOptions {
  double theta = 0.1;
  /// The budget is that of each of the two questions about a pair: about 50 ms.
  GedOptions ged{.costs = {}, .effort = {}, .budget = {.work = 1'000'000}};
};

/// lower ≤ distance ≤ upper, and the edits that prove the latter.
struct CertifiedPair {
  std::int64_t lower = 0;
  std::int64_t upper = 0;
  std::int64_t largest = 0;          ///< largest_distance, the normaliser
  Answer within = Answer::kUnknown;  ///< is the distance at most theta? Yes only with a map
  /// Nodes of the input to nodes of the counterfactual, the way of the recourse; costs `upper`.
  NodeMap map;

  [[nodiscard]] double normalized_lower() const { return normalized(lower); }
  [[nodiscard]] double normalized_upper() const { return normalized(upper); }

 private:
  [[nodiscard]] double normalized(std::int64_t distance) const {
    return largest == 0 ? 0 : static_cast<double>(distance) / static_cast<double>(largest);
  }
};

struct CertifiedDistances {
  std::vector<std::vector<CertifiedPair>> pairs;  ///< [counterfactual][input]
  /// False if it was stopped. A pair whose turn did not come has the map of no node.
  bool complete = true;

  // As fill_metrics takes them: what is proven, and what could still be.
  [[nodiscard]] std::vector<std::vector<double>> normalized_upper() const;
  [[nodiscard]] std::vector<std::vector<double>> normalized_lower() const;
};

/// Maps that are known already, by counterfactual: the place of the input, and the way from it.
struct KnownWay {
  std::size_t input = 0;
  NodeMap map;
};
using KnownWays = std::vector<std::vector<KnownWay>>;

/// `known` may be empty; what in it is no map between the two graphs is passed over.
/// `watch`, if given, is called from the calling thread with the questions answered and to be
/// answered so far; once it says false, no further one is asked. Throws Error unless
/// 0 ≤ theta ≤ 1.
using CertifiedWatch = std::function<bool(std::size_t done, std::size_t total)>;
CertifiedDistances certified_distances(std::span<const Graph> counterfactuals,
                                       std::span<const Graph> inputs,
                                       const CertifiedOptions& options, ThreadPool& pool,
                                       const CertifiedWatch& watch = {},
                                       const KnownWays& known = {});

}  // namespace fewedits
