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

/// How the options say that inputs were chosen among the graphs that are not predicted the desired
/// class: "correctly classified", "of the list that was given"; empty: all are explained.
std::vector<std::string> choice_in_words(const Provenance& provenance);

/// "511 of 600 graphs are predicted 1–5, not the desired class 6"; where they were chosen, "40 of
/// 60 graphs are not predicted the desired class green; 5 of them, predicted red or blue, are
/// explained: those correctly classified". `graphs` is the size of the dataset.
std::string inputs_in_words(const ExplainedClasses& classes, const Provenance& provenance,
                            std::size_t inputs, std::size_t graphs);

}  // namespace fewedits
