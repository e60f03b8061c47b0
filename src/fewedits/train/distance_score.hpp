// SPDX-License-Identifier: MIT
// How good is an estimate of the edit distance? Answered on pairs whose distance is proven.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "fewedits/base/parallel.hpp"
#include "fewedits/classifier/native/gin_embedder.hpp"
#include "fewedits/train/distance_pairs.hpp"

namespace fewedits {

/// All zero without pairs.
struct DistanceScore {
  std::size_t pairs = 0;  ///< exactly solved ones, which the rest is about
  double rmse = 0;        ///< in edits
  double mean_error = 0;  ///< mean absolute error, in edits
  double right_side = 0;  ///< share of pairs rightly put within θ, or rightly beyond it
};

struct PredictorScore {
  std::string name;
  DistanceScore edited;
  DistanceScore real;  ///< similar and random pairs
};

/// One estimate for each pair of the set.
using Estimates = std::vector<double>;

Estimates embedding_estimates(const PairSet& set, const GinEmbedder& embedder, ThreadPool& pool);
/// The lower bound of that strength taken for the distance: what needs no training at all.
Estimates bound_estimates(const PairSet& set, LowerStrength strength);

PredictorScore score_estimates(std::string name, const PairSet& set,
                               std::span<const double> estimates, double theta);

}  // namespace fewedits
