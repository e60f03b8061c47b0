// SPDX-License-Identifier: MIT
// How easily a model is talked out of its verdict: is one step of the edit map enough? All steps
// are asked, so a no is a proof.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "fewedits/rules/measure.hpp"

namespace fewedits {

/// Of one graph.
struct FragileGraph {
  std::uint32_t graph = 0;
  std::uint64_t steps = 0;   ///< of the edit map, within theta
  std::uint64_t enough = 0;  ///< of them, those that alone change the verdict
  /// The fewest steps that are known to change it: 1 if `enough`, else 2 if some pair of steps was
  /// found (the best neighbours' neighbours were looked at), else 0: not known.
  std::uint32_t fewest_known = 0;
  friend bool operator==(const FragileGraph&, const FragileGraph&) = default;
};

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
