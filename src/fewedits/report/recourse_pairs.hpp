// SPDX-License-Identifier: MIT
// The pairs of an input and a counterfactual that are worth looking at, with the edits between
// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fewedits/base/parallel.hpp"
#include "fewedits/explanation/explanation.hpp"

namespace fewedits {

struct RecoursePair {
  std::uint32_t input = 0;  ///< place in Explanation::inputs
  std::uint32_t counterfactual = 0;
  bool covered = false;
  bool nearest = false;            ///< no counterfactual is nearer to the input
  bool shown = true;               ///< false: beyond the limit, only there to be counted
  std::optional<double> distance;  ///< as the explanation measures it, where it says
  EditScript script;
};

/// Every pair that is covered, and for every other input the nearest counterfactual; by
/// counterfactual, nearest first. Certified explanations bring the edits along; for others a quick
/// search finds some, which need not be the fewest. `graphs` are the inputs without edge labels;
/// those of the shown pairs have `max_nodes` nodes together. Beyond that, the nearest pairs go
/// before others, the covered before others, and what is nearer before what is farther; nearest
/// covered pairs are in the list all the same, not shown. Throws Error naming `file` if a proof is
/// not what it claims.
std::vector<RecoursePair> recourse_pairs(const Explanation& explanation,
                                         std::span<const Graph> graphs, std::size_t max_nodes,
                                         const std::string& file, ThreadPool& pool);

/// How many pairs there are without a limit.
std::size_t count_pairs(const Explanation& explanation);

}  // namespace fewedits
