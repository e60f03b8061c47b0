// SPDX-License-Identifier: MIT
// The edit distance of one pair of graphs.
#pragma once

#include "fewedits/ged/options.hpp"
#include "fewedits/proof/bounds.hpp"

namespace fewedits {

/// Exact, or the best bounds when the budget ends; with the map.
GedBounds edit_distance(const Graph& a, const Graph& b, const GedOptions& options = {});

}  // namespace fewedits
