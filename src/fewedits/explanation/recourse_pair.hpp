// SPDX-License-Identifier: MIT
// A pair of an input and a counterfactual that is worth looking at, with the edits between them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fewedits/explanation/explanation.hpp"
#include "fewedits/graph/dataset.hpp"

namespace fewedits {

struct RecoursePair {
  std::uint32_t input = 0;  ///< place in Explanation::inputs
  std::uint32_t counterfactual = 0;
  bool covered = false;
  bool nearest = false;            ///< no counterfactual is nearer to the input
  bool shown = true;               ///< false: beyond a limit, only there to be counted
  std::optional<double> distance;  ///< as the explanation measures it, where it says
  EditScript script;
};

/// Every pair that is covered, and for every other input the nearest counterfactual; without
/// distances and scripts.
std::vector<RecoursePair> listed_pairs(const Explanation& explanation);

/// Throws Error naming `file` unless the explanation can be one of this dataset.
void check_fits(const Explanation& explanation, const Dataset& dataset, const std::string& file);

}  // namespace fewedits
