// SPDX-License-Identifier: MIT
// A lower bound of the edit distance that can be checked by eye, for those who trust no search.
#pragma once

#include <cstdint>
#include <vector>

#include "fewedits/graph/graph.hpp"

namespace fewedits {

/// What the bound looks at.
struct PlainShape {
  explicit PlainShape(const Graph& graph);
  std::vector<Label> labels;           ///< ascending
  std::vector<std::uint32_t> degrees;  ///< descending
};

/// No fewer edits of cost 1 lead from one graph to the other. Nodes: labels that the other graph
/// lacks must be changed, removed or added. Edges: each one removed or added changes two degrees by
/// one, and no pairing of the nodes differs by less than that in descending order.
std::int64_t least_edits(const PlainShape& a, const PlainShape& b);

}  // namespace fewedits
