// SPDX-License-Identifier: MIT
// Lower bounds of the edit distance, from cheap to strong. Each is sound for every cost model and
// at least as large as the one before (GedSolver::lower takes the largest).
//
// All have one form: the distance is largest_distance − (profit of the best node map), where
// mapping a node or an edge onto another saves its deletion and the other's insertion less the
// relabelling; a bound overestimates that profit.
//
//   size_bound    numbers of nodes and edges                             ~10 ns
//   label_bound   nodes by label counts, edges by their number             ~50 ns
//   degree_bound  edges also by the sorted degrees                         ~50 ns
//   branch_bound  assignment of nodes with their half edges                 ~3 µs, O(n³)
//                 (Riesen & Bunke 2009; Blumenthal & Gamper 2018, "BRANCH")
//   DualBound     splits every edge's profit freely between its two ends
//                 (dual_bound.hpp)                                       ~0.3 ms
#pragma once

#include <cstdint>

#include "fewedits/ged/assignment.hpp"
#include "fewedits/ged/prepared_graph.hpp"
#include "fewedits/proof/edit_costs.hpp"

namespace fewedits {

std::int64_t size_bound(const GraphProfile& a, const GraphProfile& b, const EditCosts& costs);
std::int64_t label_bound(const GraphProfile& a, const GraphProfile& b, const EditCosts& costs);
std::int64_t degree_bound(const GraphProfile& a, const GraphProfile& b, const EditCosts& costs);
/// That of the degrees if time runs out before the assignment is made.
std::int64_t branch_bound(const PreparedGraph& a, const PreparedGraph& b, const EditCosts& costs,
                          Allowance* allowance = nullptr);

}  // namespace fewedits
