// SPDX-License-Identifier: MIT
#include "fewedits/search/baselines/measured_candidates.hpp"

#include <algorithm>
#include <utility>

#include "fewedits/search/climb/certified_search.hpp"
#include "fewedits/search/run_control.hpp"

namespace fewedits {

std::vector<Candidate> measured_candidates(std::vector<Candidate> candidates,
                                           SearchContext& context) {
  std::vector<Graph> graphs;
  graphs.reserve(candidates.size());
  for (const Candidate& c : candidates) graphs.push_back(c.graph);
  std::size_t done = 0;
  context.control.begin_stage(kImproveShare);
  const auto go_on = [&] {
    return context.goes_on({ExplainProgress::Stage::kMeasure, done, candidates.size(), done, {}});
  };
  while (done < candidates.size() && go_on()) {
    constexpr std::size_t kSlice = 64;
    const auto slice = std::span(graphs).subspan(done, std::min(kSlice, graphs.size() - done));
    for (Measured& measured : measure_covers(slice, context)) {
      candidates[done].covers = std::move(measured.covers);
      candidates[done++].maps = std::move(measured.maps);
    }
  }
  const Prover* prover = context.task.evaluator.distance().prover();
  if (prover == nullptr) return candidates;
  return certified_covers(candidates, context.options.k, search_space(*prover, context),
                          context.threads, go_on);
}

}  // namespace fewedits
