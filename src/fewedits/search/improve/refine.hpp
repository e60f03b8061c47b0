// SPDX-License-Identifier: MIT
// Closes the gap the walk leaves (beyond the paper): local search on what the chosen set covers
// together at the evaluation theta.
//
// One member of the set at a time walks uphill on the edit map: to the neighbour that covers most
// of what the other members leave, not back to a graph it has seen, until it found nothing better
// for a while. Whatever it passed is remembered; when no member gets any further, remembered graphs
// are swapped in where that covers more, and the search goes on from there.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "fewedits/cover/candidate.hpp"
#include "fewedits/edit/constraints.hpp"
#include "fewedits/graph/identity.hpp"
#include "fewedits/search/evaluator.hpp"
#include "fewedits/search/progress.hpp"

namespace fewedits {

struct RefineOptions {
  double theta = 0.1;
  /// Neighbours to evaluate at most, not seconds, so that a seed means one answer; a graph that
  /// was met before costs nothing.
  std::uint64_t work = 4'000'000;
  /// Moves without a better graph after which a climb ends.
  int patience = 6;
  /// At most so many neighbours of a graph, drawn once for each graph; 0: all.
  std::size_t max_neighbours = 0;
  std::uint64_t seed = 1;
  std::size_t cache_bytes = std::size_t{1} << 30;  ///< for graphs seen before
};

/// Improves `chosen` with `pool` as further starting points; what it returns
/// covers at least as much. `go_on`, if given, is asked after every neighbourhood.
std::vector<Candidate> refine(const std::vector<Candidate>& chosen, std::span<const Candidate> pool,
                              Evaluator& evaluator, const Constraints& constraints,
                              std::size_t num_labels, const RefineOptions& options,
                              ThreadPool& threads,
                              const std::function<bool(const ImproveProgress&)>& go_on = {});

}  // namespace fewedits
