// SPDX-License-Identifier: MIT
// Does a model fit a dataset? One of another dataset with as many labels cannot be told by its
// shape, but it hardly beats always giving the same answer.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fewedits/graph/dataset.hpp"

namespace fewedits {

/// Notes; none if there is nothing to doubt, or if nobody knows the classes. `accepted` are the
/// graphs that the model predicts to be desired.
std::vector<std::string> model_doubts(const Dataset& dataset,
                                      std::span<const std::uint32_t> accepted);

}  // namespace fewedits
