// SPDX-License-Identifier: MIT
// A fast hash that isomorphic graphs share: rounds of Weisfeiler-Lehman refinement, summed over
// the nodes. Different graphs can share it too (regular ones of one size and degree always do):
// only "not the same" is certain. The walk and the verifier ask Identity where hashes are equal,
// which costs much more. Climbs take an equal hash for a graph that they have met and pass it by:
// they may miss a neighbour, but claim nothing that is false.
#pragma once

#include <cstdint>

#include "fewedits/graph/graph.hpp"

namespace fewedits {

/// Edge labels count, where there are any.
std::uint64_t shape_hash(const Graph& graph);

}  // namespace fewedits
