// SPDX-License-Identifier: MIT
// What came of a verification, in words.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "fewedits/explanation/explanation.hpp"
#include "fewedits/verification/verifier.hpp"

namespace fewedits::verify {

/// What is false, what was not checked and what else is worth knowing, a line for each; then what
/// was counted and what follows. `graphs` is the size of the dataset. Names are somebody's: make
/// the text safe before it is printed.
std::string in_words(const Explanation& explanation, const Report& report, std::size_t graphs);

/// A line each, and how many more there are.
std::string listed(const char* what, const std::vector<std::string>& lines, std::size_t all);

}  // namespace fewedits::verify
