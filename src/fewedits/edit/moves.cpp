// SPDX-License-Identifier: MIT
#include "fewedits/edit/moves.hpp"

namespace fewedits {

Moves::Moves(std::span<const Step> steps) {
  begins_.reserve(steps.size() + 1);
  begins_.push_back(0);
  for (const Step& step : steps) {
    edits_.insert(edits_.end(), step.begin(), step.end());
    begins_.push_back(static_cast<std::uint32_t>(edits_.size()));
  }
}

Moves moves(const Graph& graph, const NeighbourOptions& options, const Constraints& constraints) {
  return Moves(neighbours(graph, options, constraints));
}

}  // namespace fewedits
