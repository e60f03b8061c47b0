// SPDX-License-Identifier: MIT
// Which graphs an explanation is about, in words.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "fewedits/explanation/explanation.hpp"

namespace fewedits {

/// "mutagen", "red or blue", "1–5", "one of 14 classes".
std::string classes_in_words(const std::vector<std::string>& names);

/// "511 of 600 graphs are predicted 1–5, not the desired class 6", and how they were chosen, if
/// they were; `graphs` is the size of the dataset.
std::string inputs_in_words(const ExplainedClasses& classes, const Provenance& provenance,
                            std::size_t inputs, std::size_t graphs);

}  // namespace fewedits
