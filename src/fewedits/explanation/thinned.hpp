// SPDX-License-Identifier: MIT
// An explanation with some of its inputs only, for what shows inputs one by one: nobody pages
// through half a million, and no browser holds them.
#pragma once

#include <cstddef>
#include <optional>

#include "fewedits/explanation/explanation.hpp"

namespace fewedits {

/// The same counterfactuals with recourse, covers and proofs of at most so many inputs, evenly
/// spaced in their order: covered ones go before others, but leave these a fifth. Figures are those
/// of the whole. None if there are no more inputs than that.
std::optional<Explanation> thinned(const Explanation& explanation, std::size_t most);

}  // namespace fewedits
