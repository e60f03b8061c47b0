// SPDX-License-Identifier: MIT
// What is saved of a run that makes a counterfactual for each input alone.
#pragma once

#include <cstdint>
#include <vector>

#include "fewedits/graph/graph.hpp"
#include "fewedits/search/baselines/edge_explainer.hpp"

namespace fewedits {

struct LocalFind {
  Graph graph;
  float probability = 0;     ///< of the desired class
  std::uint32_t origin = 0;  ///< place among the inputs
  friend bool operator==(const LocalFind&, const LocalFind&) = default;
};

struct LocalRunState {
  TrainingState training;
  std::uint64_t done = 0;  ///< so many inputs, the first ones; only of a training that has ended
  std::vector<LocalFind> found;
  friend bool operator==(const LocalRunState&, const LocalRunState&) = default;
};

}  // namespace fewedits
