// SPDX-License-Identifier: MIT
// The stages in a row: candidates, greedy summary, improvement, proofs and metrics (paper §4, SPEC
// §6). Knows nothing of files and terminals.
#pragma once

#include "fewedits/base/error.hpp"
#include "fewedits/explanation/explanation.hpp"
#include "fewedits/search/parts.hpp"
#include "fewedits/search/progress.hpp"

namespace fewedits {

/// Fills everything but provenance, names and seconds. `options` have all defaults. Throws Error if
/// there is no input, or no counterfactual was found. `sign` is what all work of the run looks at,
/// that of the distance, too; it is set by the hooks and by the clock.
Explanation run_search(const ExplainTask& task, const ExplainOptions& options, const Parts& parts,
                       ThreadPool& threads, const ExplainHooks& hooks, StopSign& sign);
Explanation run_search(const ExplainTask& task, const ExplainOptions& options, const Parts& parts,
                       ThreadPool& threads, const ExplainHooks& hooks = {});

/// What to throw if a time limit leaves no time to search.
Error over_before_it_began(double time_limit);

}  // namespace fewedits
