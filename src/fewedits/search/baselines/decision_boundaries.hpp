// SPDX-License-Identifier: MIT
// Where a model's head changes its mind: hyperplanes in the space of pooled features, between the
// graphs of a class and those of the desired class (Bajaj et al., NeurIPS'21, §4.1).
//
// What is undecided between the desired class and the best other one is found by bisection between
// the features of graphs on either side, and linearised there. For a head of one linear layer and
// two classes all of them are one and the same hyperplane, and exact; for several classes or layers
// they differ, and a greedy cover keeps few that separate the class from the desired one.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "fewedits/base/rng.hpp"
#include "fewedits/classifier/weighted_model.hpp"

namespace fewedits {

/// Positive on the side of the class, negative on that of the desired class.
struct Boundary {
  std::vector<float> normal;
  float offset = 0;
  std::vector<float> point;  ///< on it, where the head is undecided

  [[nodiscard]] float at(std::span<const float> pooled) const {
    float sum = offset;
    for (std::size_t i = 0; i < normal.size(); ++i) sum += normal[i] * pooled[i];
    return sum;
  }
};

/// How far the best other class is ahead of the desired one by the head: at most 0 where the
/// desired one is predicted.
float margin_of_rest(const WeightedModel& model, std::size_t desired,
                     std::span<const float> pooled);

using PooledRows = std::vector<std::vector<float>>;

/// Every boundary between a graph of one list and one of the other, each once; as many pairs as
/// `pairs` are tried.
std::vector<Boundary> boundaries_between(const WeightedModel& model, std::size_t desired,
                                         const PooledRows& rejected, const PooledRows& accepted,
                                         std::size_t pairs, Rng rng);

/// Of these, few with all accepted graphs, or as many as possible, on the other side of one of
/// them, and few rejected graphs with them. At least one, if there is any.
std::vector<Boundary> separating_boundaries(std::vector<Boundary> boundaries,
                                            const PooledRows& rejected, const PooledRows& accepted);

}  // namespace fewedits
