// SPDX-License-Identifier: MIT
// The baseline GROUND-TRUTH: graphs of the dataset that are predicted desired.
#include <algorithm>

#include "fewedits/search/climb/certified_search.hpp"
#include "fewedits/search/parts.hpp"
#include "fewedits/search/run_control.hpp"

namespace fewedits {
namespace {

class GroundTruth final : public CandidateSource {
 public:
  std::vector<Candidate> find(SearchContext& context) override {
    std::vector<Candidate> out = allowed(context);
    std::vector<Graph> graphs;
    for (const Candidate& c : out) graphs.push_back(c.graph);
    Distance& distance = context.task.evaluator.distance();
    std::size_t done = 0;
    context.control.begin_stage(kImproveShare);
    const auto go_on = [&] {
      return context.control.goes_on(
          {ExplainProgress::Stage::kMeasure, done, out.size(), done, {}});
    };
    while (done < out.size() && go_on()) {
      constexpr std::size_t kSlice = 64;
      const auto slice = std::span(graphs).subspan(done, std::min(kSlice, out.size() - done));
      for (Measured& measured : measure_covers(slice, context)) {
        out[done].covers = std::move(measured.covers);
        out[done++].maps = std::move(measured.maps);
      }
    }
    const Prover* prover = distance.prover();
    if (prover == nullptr) return out;
    return certified_covers(out, context.options.k, search_space(*prover, context), context.threads,
                            go_on);
  }

  [[nodiscard]] std::uint32_t origin(const SearchContext& context,
                                     const Candidate& candidate) const override {
    return context.task.accepted[candidate.origin];
  }

 private:
  /// Those that satisfy the constraints, have the lead and are probable enough.
  static std::vector<Candidate> allowed(SearchContext& context) {
    const ExplainTask& task = context.task;
    Constraints constraints = context.options.constraints;
    constraints.connected = false;  // the baseline takes the data as it is
    const auto& [min_lead, min_probability] = task.goal.acceptance;
    std::vector<Judgement> judged;
    if (min_lead > 0 || min_probability > 0) {
      judged = task.evaluator.judge(task.accepted_graphs, context.threads);
    }
    std::vector<Candidate> out;
    for (std::uint32_t i = 0; i < task.accepted_graphs.size(); ++i) {
      if (!satisfies(task.accepted_graphs[i], constraints)) continue;
      if (!judged.empty() && !judged[i].accepted) continue;
      out.push_back({task.accepted_graphs[i], 0, {}, 0, i});
    }
    return out;
  }
};

}  // namespace

SourceKind ground_truth_source() {
  return {.about = "the baseline: accepted graphs of the dataset",
          .make = [] { return std::make_unique<GroundTruth>(); },
          .from_dataset = true};
}

}  // namespace fewedits
