// SPDX-License-Identifier: MIT
// Steps of the edit map that are within theta. Internal to induction.
#pragma once

#include <span>

#include "fewedits/edit/moves.hpp"
#include "fewedits/rules/measure.hpp"

namespace fewedits {

inline NeighbourOptions neighbour_options(const RuleMaterial& material) {
  return {.num_labels = material.num_labels, .num_edge_labels = material.num_edge_labels};
}

inline bool is_near(const Graph& graph, std::span<const Edit> step, double theta) {
  const auto both =
      static_cast<double>(2 * static_cast<std::ptrdiff_t>(graph.size()) + size_change(step));
  return cost_of(step) / both <= theta;
}

}  // namespace fewedits
