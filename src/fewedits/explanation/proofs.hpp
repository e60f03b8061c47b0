// SPDX-License-Identifier: MIT
// From proven distances to an explanation that anyone can check (fewedits-verify).
#pragma once

#include <span>

#include "fewedits/distance/certified_distances.hpp"
#include "fewedits/explanation/explanation.hpp"

namespace fewedits {

/// The edits of a map, replayed: throws std::logic_error unless they lead from a to b and cost what
/// is claimed.
EditScript checked_script(const Graph& a, const Graph& b, std::span<const Node> map,
                          const EditCosts& costs, std::int64_t claimed);

/// Adds maps, scripts (replayed before they are taken) and the upper end of the coverage.
/// `proven` is that of the counterfactuals in their order and of the inputs in theirs; fill_metrics
/// has been called with its upper distances.
void fill_proofs(const CertifiedDistances& proven, std::span<const Graph> inputs,
                 Explanation& explanation);

/// The maps that an explanation's counterfactuals bring with them, for the inputs with those
/// indices into the dataset, in any order.
KnownWays known_ways(std::span<const std::vector<ProvenPair>> proofs,
                     std::span<const std::uint32_t> inputs);

}  // namespace fewedits
