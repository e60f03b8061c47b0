// SPDX-License-Identifier: MIT
// A fast hash that isomorphic graphs share: rounds of Weisfeiler-Lehman refinement, summed over
// the nodes. Different graphs can share it too (regular ones always do), so it only answers "no";
// whoever needs a "yes" goes on with Identity, which costs much more.
#pragma once

#include <cstdint>

#include "fewedits/graph/graph.hpp"

namespace fewedits {

/// Edge labels do not count.
std::uint64_t shape_hash(const Graph& graph);

}  // namespace fewedits
