// SPDX-License-Identifier: MIT
// The result of a sampled search, on all inputs: what was found on the sample is measured against
// every one of them, the final set is chosen by what it covers of all, and proven. Nothing is
// extrapolated. Internal to search.
#pragma once

#include <cstddef>
#include <vector>

#include "fewedits/search/parts.hpp"

namespace fewedits {

/// How many candidates beside the set are measured against so many inputs: fewer of very many, so
/// that the work of it does not outgrow the search.
std::size_t shortlist_for(std::size_t num_inputs);

/// Of a time limit, what the search may take if all inputs are still to be measured.
inline constexpr double kSampledSearchShare = 0.55;

/// Fills counterfactuals, recourse, metrics and proofs of the result for all inputs.
/// `chosen` covers some of the sample; the shortlist is the context's.
void explain_all_inputs(const std::vector<Candidate>& chosen, const CandidateSource& source,
                        const SourceKind& kind, SearchContext& context);

/// Only a run file that was tampered with can bring in a graph that the model rejects.
void check_accepted(const std::vector<Judgement>& judged, const Acceptance& rule);

/// What the result says of a candidate, but for what it covers.
Counterfactual counterfactual_of(const Candidate& candidate, const Judgement& judged,
                                 const CandidateSource& source, const SearchContext& context);

}  // namespace fewedits
