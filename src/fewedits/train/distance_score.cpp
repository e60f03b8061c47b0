// SPDX-License-Identifier: MIT
#include "fewedits/train/distance_score.hpp"

#include <cassert>
#include <cmath>
#include <utility>

namespace fewedits {
namespace {

/// Sums until finish() divides.
struct Totals {
  DistanceScore score;

  void add(const PairSet& set, const LabelledPair& pair, double estimate, double theta) {
    const Graph& a = set.graphs[pair.a];
    const Graph& b = set.graphs[pair.b];
    const double error = estimate - static_cast<double>(pair.lower);
    const bool within = pair.lower <= distance_limit(theta, a, b);
    const bool claimed = estimate <= theta * static_cast<double>(largest_distance(a, b, {})) + 1e-9;
    ++score.pairs;
    score.rmse += error * error;
    score.mean_error += std::abs(error);
    score.right_side += within == claimed ? 1 : 0;
  }

  DistanceScore finish() {
    if (score.pairs == 0) return score;
    const auto pairs = static_cast<double>(score.pairs);
    score.rmse = std::sqrt(score.rmse / pairs);
    score.mean_error /= pairs;
    score.right_side /= pairs;
    return score;
  }
};

}  // namespace

Estimates embedding_estimates(const PairSet& set, const GinEmbedder& embedder, ThreadPool& pool) {
  const std::size_t dimension = embedder.dimension();
  std::vector<float> rows(set.graphs.size() * dimension);
  embedder.embed(set.graphs, rows, pool);
  const auto row = [&](std::size_t i) {
    return std::span<const float>(rows).subspan(i * dimension, dimension);
  };
  Estimates out;
  for (const LabelledPair& p : set.pairs) {
    out.push_back(static_cast<double>(embedding_distance(row(p.a), row(p.b))));
  }
  return out;
}

Estimates bound_estimates(const PairSet& set, LowerStrength strength) {
  GedSolver solver;
  Estimates out;
  for (const LabelledPair& p : set.pairs) {
    const PreparedGraph a(set.graphs[p.a]);
    const PreparedGraph b(set.graphs[p.b]);
    out.push_back(static_cast<double>(solver.lower(a, b, strength)));
  }
  return out;
}

PredictorScore score_estimates(std::string name, const PairSet& set,
                               std::span<const double> estimates, double theta) {
  assert(estimates.size() == set.pairs.size());
  Totals edited;
  Totals real;
  for (std::size_t i = 0; i < set.pairs.size(); ++i) {
    const LabelledPair& pair = set.pairs[i];
    if (!pair.exact()) continue;
    (pair.kind == PairKind::kEdited ? edited : real).add(set, pair, estimates[i], theta);
  }
  return {std::move(name), edited.finish(), real.finish()};
}

}  // namespace fewedits
