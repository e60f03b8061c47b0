// SPDX-License-Identifier: MIT
// How easily a model is talked out of its verdict: is one step of the edit map enough? All steps
// are asked, so a no is a proof.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "fewedits/rules/fragility_list.hpp"
#include "fewedits/rules/measure.hpp"

namespace fewedits {

/// Neighbours whose neighbours are looked at.
inline constexpr std::size_t kFragileBeam = 8;

/// Of rejected graphs the verdict is changed by an accepted result; of accepted ones (`accepted`)
/// by one of which the desired class is not predicted. Steps that symmetries of the graph map onto
/// each other count once. Results satisfy the constraints, and theta holds for both steps together.
/// `progress` hears how many graphs are done. Throws Stopped if the pool is told to stop.
std::vector<FragileGraph> fragile_graphs(std::span<const std::uint32_t> graphs, bool accepted,
                                         const RuleMaterial& material, const RuleTask& task,
                                         ThreadPool& pool,
                                         const std::function<void(std::size_t)>& progress = {});

}  // namespace fewedits
