// SPDX-License-Identifier: MIT
// Chooses the inputs of a case study, and measures all distances in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "fewedits/base/parallel.hpp"
#include "fewedits/explanation/case_study.hpp"
#include "fewedits/explanation/explanation.hpp"
#include "fewedits/ged/options.hpp"
#include "fewedits/graph/dataset.hpp"

namespace fewedits {

struct CaseOptions {
  std::size_t inputs = 4;
  /// Unset: the one that covers most, the first among equals.
  std::optional<std::uint32_t> counterfactual;
};

/// The counterfactual with inputs that it covers and that people can read: few edits from it and
/// few nodes come first, no two of them the same graph, and of those each next one is far from the
/// ones before. Fewer if it does not cover as many. The distances of `global` have the maps that
/// are known. Throws Error if there is no such counterfactual or it covers nothing.
CaseStudy choose_cases(const Explanation& explanation, const Dataset& dataset,
                       const CaseOptions& options, ThreadPool& pool);

/// Called with what is done on the calling thread.
using CaseWatch = std::function<void(std::size_t done, std::size_t total)>;

/// Bounds the distance of every graph of the study to every input: exact where the budget, which
/// each pair has for itself, suffices. Maps that the study brings along are kept where they are
/// cheaper than what is found. Throws Stopped as the pool does.
void measure_cases(const Dataset& dataset, const GedBudget& budget, ThreadPool& pool,
                   const CaseWatch& watch, CaseStudy& study);

}  // namespace fewedits
