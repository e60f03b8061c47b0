// SPDX-License-Identifier: MIT
// The edits of the graph that a change of a molecule takes. Internal to molecule_steps.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "fewedits/chem/molecule_rules.hpp"
#include "fewedits/edit/edit.hpp"
#include "fewedits/edit/molecule_change.hpp"

namespace fewedits {

/// Nodes that stay as they are, and labels that nodes may get, by node and by label; empty: none,
/// all.
struct StepLimits {
  std::span<const bool> frozen = {};
  const std::vector<bool>& allowed_labels;
};

/// `changed`: the sketch with the change made. `aromatic`: by bond, if that may have changed.
/// Unset: the limits, or labels that there are not, forbid it.
std::optional<Step> write_step(const Graph& graph, const MoleculeRules& rules,
                               const StepLimits& limits, const MoleculeSketch& changed,
                               const MoleculeChange& change, const BeforeChange& before,
                               const ChangeVerdict& verdict,
                               const std::optional<std::vector<bool>>& aromatic);

}  // namespace fewedits
