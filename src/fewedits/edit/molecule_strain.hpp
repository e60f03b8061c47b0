// SPDX-License-Identifier: MIT
// Rings that are too small for their bonds. Internal to molecule_steps.
#pragma once

#include "fewedits/chem/molecule_rules.hpp"
#include "fewedits/edit/molecule_change.hpp"

namespace fewedits {

/// Has it a triple bond, or a carbon between two double bonds, in a ring of less than eight atoms?
bool has_strained_ring(const MoleculeSketch& sketch, const MoleculeRules& rules);

/// Did the change, once it is made, bring a ring that is too small for its bonds, or such bonds to
/// a ring? `was_strained`: rings that were so before do not count.
bool brings_strain(const MoleculeChange& change, const MoleculeSketch& sketch,
                   const MoleculeRules& rules, bool was_strained);

}  // namespace fewedits
