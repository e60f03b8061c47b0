// SPDX-License-Identifier: MIT
// The pairs of an input and a counterfactual that are worth looking at, with the edits between
// them.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "fewedits/base/parallel.hpp"
#include "fewedits/explanation/recourse_pair.hpp"

namespace fewedits {

/// For a page: about 20 bytes a node with its share of the edits, some 12 MB.
inline constexpr std::size_t kMaxReportedNodes = 500'000;
inline constexpr std::size_t kAllNodes = std::numeric_limits<std::size_t>::max();

/// listed_pairs with distances and edits; by counterfactual, nearest first. Certified explanations
/// bring the edits along; for others a quick search finds some, which need not be the fewest. The
/// inputs of the shown pairs have `max_nodes` nodes together. Beyond that, the nearest pairs go
/// before others, the covered before others, and what is nearer before what is farther; nearest
/// covered pairs are in the list all the same, not shown. Throws Error naming `file` if the
/// explanation does not fit the dataset, or a proof is not what it claims.
std::vector<RecoursePair> recourse_pairs(const Explanation& explanation, const Dataset& dataset,
                                         std::size_t max_nodes, const std::string& file,
                                         ThreadPool& pool);

}  // namespace fewedits
