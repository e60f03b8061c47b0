// SPDX-License-Identifier: MIT
// The certified search as an improver: watched, saved and resumed.
#include <utility>
#include <vector>

#include "fewedits/search/climb/certified_search.hpp"
#include "fewedits/search/kept.hpp"
#include "fewedits/search/parts.hpp"
#include "fewedits/search/run_control.hpp"
#include "fewedits/search/state.hpp"

namespace fewedits {
namespace {

/// What a search holds.
std::vector<Candidate> best_set(const CertifiedSearchState& state) {
  const CandidateArchive& now = state.search.archive;
  const SolutionSet& incumbent = state.search.incumbent;
  const bool more = now.covered(incumbent) > state.found.covered(state.best);
  const CandidateArchive& archive = more ? now : state.found;
  std::vector<Candidate> out;
  for (const std::size_t at : more ? incumbent : state.best) out.push_back(archive[at]);
  return out;
}

class ClimbImprover final : public Improver {
 public:
  std::vector<Candidate> improve(const std::vector<Candidate>& chosen,
                                 const std::vector<Candidate>& pool,
                                 SearchContext& context) override {
    RunControl& control = context.control;
    SearchState& state = context.state;
    control.begin_stage(kImproveShare);
    CertifiedHooks hooks;
    hooks.go_on = [&](const ImproveProgress& p) {
      context.note_improvement(p.evaluated, p.covered);
      return control.goes_on({ExplainProgress::Stage::kRefine, p.evaluated, p.work, p.evaluated,
                              context.share(p.covered)});
    };
    if (control.saves()) {
      hooks.save = [&](CertifiedSearchState search) {
        keep(best_set(search), context.num_inputs(), state);
        state.refinement = {std::move(search), context.result.refinement};
        if (control.is_time_to_save()) control.save(state);
      };
    }
    const auto resumed = std::exchange(state.refinement, std::nullopt);
    if (resumed) {
      hooks.resume = &resumed->search;
      context.result.refinement = resumed->trace;
    }
    const Prover* prover = context.task.evaluator.distance().prover();
    const SearchSpace space = search_space(*prover, context);
    CertifiedResult found =
        certified_search(chosen, pool, context.options.k, space, context.threads, hooks);
    control.note_end(found.ended);
    context.shortlist = std::move(found.shortlist);
    return std::move(found.set);
  }

  [[nodiscard]] bool finds_more() const override { return true; }
};

}  // namespace

SearchSpace search_space(const Prover& prover, const SearchContext& context) {
  const ExplainOptions& o = context.options;
  return {prover.prepared(),
          context.task.classifier,
          context.task.goal,
          o.constraints,
          {.theta = *o.theta,
           .work = *o.refine_work,
           .seed = o.seed,
           .patience = *o.patience,
           .climbs = o.climbs,
           .shortlist = context.most_shortlisted},
          &context.control.sign(),
          prover.costs(),
          context.task.num_edge_labels};
}

ImproverKind climb_improver() {
  return {.about = "climbs that carry node maps along",
          .make = [] { return std::make_unique<ClimbImprover>(); },
          .needs_proofs = true};
}

}  // namespace fewedits
