// SPDX-License-Identifier: MIT
// From proven distances to an explanation that anyone can check (fewedits-verify).
#pragma once

#include <span>

#include "fewedits/explanation/explanation.hpp"
#include "fewedits/proof/bounds.hpp"

namespace fewedits {

/// The edits of a map, replayed: throws Error unless they lead from a to b and cost what is
/// claimed. That they do not is a slip of ours, which must not become a claim.
EditScript checked_script(const Graph& a, const Graph& b, std::span<const Node> map,
                          const EditCosts& costs, std::int64_t claimed);

/// Adds maps, scripts (replayed before they are taken) and the upper end of the coverage.
/// `proven` is that of the counterfactuals in their order and of the inputs in theirs, at those
/// costs; fill_metrics has been called with its upper distances.
void fill_proofs(const CertifiedDistances& proven, std::span<const Graph> inputs,
                 Explanation& explanation, const EditCosts& costs = {});

/// The maps that an explanation's counterfactuals bring with them, of the inputs with those indices
/// into the dataset (in any order), named by their places among these.
ProvenPairs by_place(const ProvenPairs& proofs, std::span<const std::uint32_t> inputs);

}  // namespace fewedits
