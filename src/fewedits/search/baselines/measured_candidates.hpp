// SPDX-License-Identifier: MIT
// What candidates that nobody searched for cover: the baselines' common last step.
#pragma once

#include <vector>

#include "fewedits/search/parts.hpp"

namespace fewedits {

/// The candidates with what they cover; under distances with proofs each graph once, and those that
/// k chosen ones may be among with more effort. Some cover nothing if the stage has to end.
std::vector<Candidate> measured_candidates(std::vector<Candidate> candidates,
                                           SearchContext& context);

}  // namespace fewedits
