// SPDX-License-Identifier: MIT
#include "fewedits/edit/moves.hpp"

#include "fewedits/chem/molecule_rules.hpp"
#include "fewedits/edit/molecule_steps.hpp"

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
  if (!constraints.molecule) return Moves(neighbours(graph, options, constraints));
  std::vector<Step> steps =
      molecule_steps(graph, *constraints.molecule, options, constraints.allowed_labels);
  Constraints others = constraints;
  others.molecule = nullptr;
  if (!others.trivial()) {
    const StepJudge judge(graph, others);
    std::erase_if(steps, [&](const Step& step) { return !judge.allows(step); });
  }
  return Moves(steps);
}

}  // namespace fewedits
