// SPDX-License-Identifier: MIT
// RCExplainer (Bajaj et al., NeurIPS'21): a network makes a mask of a graph from the features of
// its nodes; it is trained on all inputs to minimise
//   λ·mean_b σ(−p_b(G)·p_b(m)) + (1−λ)·min_b σ(p_b(G)·p_b(1−m)) + β·‖m‖₁ + μ·mean entropy(m)
// where b are the decision boundaries between the graph's class and the desired one, and p_b is the
// side of b on which the pooled features are if edges have these weights. Masks are drawn from a
// concrete relaxation whose temperature falls from 5 to 0.5. Then edges are removed, the highest
// mask first, until the model accepts what is left.
#pragma once

#include <span>
#include <vector>

#include "fewedits/classifier/weighted_model.hpp"
#include "fewedits/search/baselines/decision_boundaries.hpp"
#include "fewedits/search/baselines/local_options.hpp"

namespace fewedits {

/// On which side of each boundary the graph itself is; boundaries that have it on the wrong side
/// say nothing of it, and are left out.
struct GraphSides {
  std::vector<const Boundary*> boundaries;
  std::vector<float> sides;
};
GraphSides sides_of(const std::vector<Boundary>& boundaries, std::span<const float> pooled);

/// The loss of a mask, and its derivative by the mask.
double rc_loss(WeightedModel& model, const Graph& graph, const GraphSides& of,
               const RcOptions& options, std::span<const float> mask, std::span<float> by_mask);

}  // namespace fewedits
