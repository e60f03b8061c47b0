// SPDX-License-Identifier: MIT
// The stages in a row: candidates, greedy summary, improvement, proofs and metrics (paper §4, SPEC
// §6). Knows nothing of files and terminals.
#pragma once

#include "fewedits/explanation/explanation.hpp"
#include "fewedits/search/parts.hpp"
#include "fewedits/search/progress.hpp"

namespace fewedits {

/// Fills everything but provenance, names and seconds. `options` have all defaults. Throws Error if
/// there is no input, or fewer than k counterfactuals were found by a search that was not cut
/// short.
Explanation run_search(const ExplainTask& task, const ExplainOptions& options, const Parts& parts,
                       ThreadPool& threads, const ExplainHooks& hooks = {});

}  // namespace fewedits
