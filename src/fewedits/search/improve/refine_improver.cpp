// SPDX-License-Identifier: MIT
// The refinement under any distance, as an improver.
#include "fewedits/search/improve/refine.hpp"
#include "fewedits/search/parts.hpp"
#include "fewedits/search/run_control.hpp"

namespace fewedits {
namespace {

class RefineImprover final : public Improver {
 public:
  std::vector<Candidate> improve(const std::vector<Candidate>& chosen,
                                 const std::vector<Candidate>& pool,
                                 SearchContext& context) override {
    const ExplainOptions& o = context.options;
    const RefineOptions options{.theta = *o.theta,
                                .work = *o.refine_work,
                                .max_neighbours = o.max_neighbours,
                                .seed = o.seed,
                                .cache_bytes = o.cache_bytes};
    return refine(chosen, pool, context.task.evaluator, o.constraints,
                  context.task.classifier.num_labels(), options, context.threads,
                  [&](const ImproveProgress& p) {
                    context.note_improvement(p.evaluated, p.covered);
                    return context.control.goes_on({ExplainProgress::Stage::kRefine, p.evaluated,
                                                    p.work, p.evaluated, context.share(p.covered)});
                  });
  }
};

}  // namespace

ImproverKind refine_improver() {
  return {.about = "hill climbing on coverage, one member at a time",
          .make = [] { return std::make_unique<RefineImprover>(); }};
}

}  // namespace fewedits
