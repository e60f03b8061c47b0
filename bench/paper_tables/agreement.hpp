// SPDX-License-Identifier: MIT
// How far choices that were made under different metrics are the same.
#pragma once

#include <string>
#include <vector>

#include "fewedits/explanation/explanation.hpp"
#include "record.hpp"

namespace fewedits::bench {

struct MetricChoice {
  std::string metric;
  Explanation explanation;  ///< under it
};

/// Edits up to which two chosen graphs count as nearly the same.
inline constexpr int kFewEdits = 4;

/// Under "theta-M" and "walk-theta-M" the metric's thetas; for each pair of metrics "jaccard-A-B",
/// the inputs that both cover over those that one does, each under its own metric; "same-A-B" and
/// "near-A-B", the graphs of A of which B has an isomorphic one, or one within kFewEdits.
void note_agreement(const std::string& dataset, std::uint64_t seed,
                    const std::vector<MetricChoice>& choices, Facts& facts);

}  // namespace fewedits::bench
