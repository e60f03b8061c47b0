// SPDX-License-Identifier: MIT
// CFF, the counterfactual and factual explainer (Tan et al., WebConf'22), on one graph: a mask m
// over its edges that minimises
//   ‖m‖₁ + λ·[ α·relu(γ + ½ − p(m)) + (1−α)·relu(γ + p(1−m) − ½) ]
// by Adam, where p is the probability of not being in the desired class if edges have these
// weights. What the mask marks is the reason for the prediction; without it, the prediction should
// change.
#pragma once

#include <span>
#include <vector>

#include "fewedits/base/rng.hpp"
#include "fewedits/base/stop_sign.hpp"
#include "fewedits/classifier/weighted_model.hpp"
#include "fewedits/search/baselines/local_options.hpp"

namespace fewedits {

/// The mask of each edge of graph.edges(), from 0 to 1; edges above ½ are to go. Throws Stopped
/// once the sign is set, if there is one.
std::vector<float> cff_mask(WeightedModel& model, const Graph& graph, std::size_t desired,
                            const CffOptions& options, Rng rng, const StopSign* stop = nullptr);

/// The loss of a mask, and its derivative by the mask.
double cff_loss(WeightedModel& model, const Graph& graph, std::size_t desired,
                const CffOptions& options, std::span<const float> mask, std::span<float> by_mask);

}  // namespace fewedits
