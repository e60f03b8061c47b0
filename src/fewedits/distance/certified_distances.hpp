// SPDX-License-Identifier: MIT
// What is proven of the edit distances between a few counterfactuals and many inputs (SPEC §5).
//
// What somebody has maps for is taken over, and labels and degrees exclude most of the rest at
// sight. Then come the questions that search, as far as the budget allows: first about the inputs
// that nobody is known to cover (the heuristic's map, then GedSolver::within), in the end about all
// pairs, for costs and for who else covers. So whoever stops it early loses costs before coverage.
// Budgets are counted in work, so every machine and any number of threads give the same answer.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fewedits/base/parallel.hpp"
#include "fewedits/distance/distance.hpp"
#include "fewedits/distance/distance_options.hpp"
#include "fewedits/ged/solver.hpp"
#include "fewedits/proof/bounds.hpp"

namespace fewedits {

struct CertifiedOptions {
  double theta = 0.1;
  /// The budget is that of each of the two questions about a pair.
  GedOptions ged{.costs = {}, .effort = {}, .budget = {.work = kProveWork}};
};

/// `known` are maps by counterfactual, of inputs by their place; it may be empty, and what in it is
/// no map between the two graphs is passed over. `watch`, if given, is called from the calling
/// thread with the questions answered and to be answered so far; once it says false, no further one
/// is asked. Throws Error unless 0 ≤ theta ≤ 1.
CertifiedDistances certified_distances(std::span<const Graph> counterfactuals,
                                       std::span<const PreparedGraph> inputs,
                                       const CertifiedOptions& options, ThreadPool& pool,
                                       const DistanceWatch& watch = {},
                                       const ProvenPairs& known = {});

}  // namespace fewedits
