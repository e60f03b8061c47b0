// SPDX-License-Identifier: MIT
// The refinement under certified distances: climbs on the edit map, with a node map for every
// input near the graph carried along (search/climb/map_keeper).
//
// A climb improves one member of the chosen set given the others. It moves to the neighbour that
// is worth most to the inputs the others leave, where an input just outside theta is worth nearly
// as much as a covered one, so that there is a slope to follow; not back to a graph it has seen.
// The classifier is a penalty that rises while the climb is among rejected graphs and falls among
// accepted ones, so that it runs along the boundary; neighbours are taken in descending worth, and
// the classifier is asked until no later one (of the best few hundred) can win. Accepted graphs on
// the way are remembered with what they cover; after each round of climbs, the best k of them are
// chosen anew.
//
// A round is a fixed number of climbs that know nothing of each other, so threads need no locks and
// their number makes no difference.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "fewedits/explanation/explanation.hpp"
#include "fewedits/search/climb/search_space.hpp"
#include "fewedits/search/climb/solution_search.hpp"
#include "fewedits/search/progress.hpp"

namespace fewedits {

class Prover;
struct SearchContext;

/// How far it is; enough to go on exactly as if it had not been interrupted.
struct CertifiedSearchState {
  std::uint64_t part = 0;       ///< number of the search at hand
  std::uint64_t spent = 0;      ///< work of those before it
  std::size_t most = 0;         ///< inputs that its set covers
  std::uint64_t last_rise = 0;  ///< work when that last rose
  std::size_t most_ever = 0;    ///< inputs that any set so far covered
  std::uint64_t last_gain = 0;  ///< work when that last rose
  CandidateArchive found;       ///< by those before it
  SolutionSet best;             ///< of what they found
  SolutionSearchState search;
};

struct CertifiedHooks {
  /// Asked at every step; false: stop and give the best so far.
  std::function<bool(const ImproveProgress&)> go_on;
  /// Called now and then.
  std::function<void(CertifiedSearchState)> save;
  /// To go on from, or null.
  const CertifiedSearchState* resume = nullptr;
};

struct CertifiedResult {
  std::vector<Candidate> set;
  RunEnd ended = RunEnd::kWorkDone;  ///< unless it was stopped
  /// Others that were found, the most useful first: sets that were chosen greedily, each from what
  /// the ones before it left over. Up to ClimbOptions::shortlist.
  std::vector<Candidate> shortlist = {};
};

/// Improves `chosen` with `pool` as further starting points; what it returns covers at least as
/// much, and is k graphs if enough were found. The classifier is called from the
/// calling thread alone, with what all climbs of a round want to know.
CertifiedResult certified_search(std::span<const Candidate> chosen, std::span<const Candidate> pool,
                                 std::size_t k, const SearchSpace& space, ThreadPool& threads,
                                 const CertifiedHooks& hooks = {});

/// What the improver and baselines search in.
SearchSpace search_space(const Prover& prover, const SearchContext& context);

/// The same graphs, each once, and more of what they cover: those that k chosen ones may be among
/// are measured like members of a certified search, as long as `go_on` says so.
std::vector<Candidate> certified_covers(std::span<const Candidate> choices, std::size_t k,
                                        const SearchSpace& space, ThreadPool& threads,
                                        const std::function<bool()>& go_on);

}  // namespace fewedits
