// SPDX-License-Identifier: MIT
// The baseline GROUND-TRUTH: graphs of the dataset that are predicted desired.
#include "fewedits/search/baselines/measured_candidates.hpp"
#include "fewedits/search/parts.hpp"

namespace fewedits {
namespace {

class GroundTruth final : public CandidateSource {
 public:
  std::vector<Candidate> find(SearchContext& context) override {
    return measured_candidates(allowed(context), context);
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
