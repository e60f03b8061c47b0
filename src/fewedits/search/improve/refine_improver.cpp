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
    context.control.begin_stage(kImproveShare);
    ImproveProgress last;  // that was heard of
    ImproveProgress gain;  // when it last rose
    const auto go_on = [&](const ImproveProgress& p) {
      last = p;
      if (p.covered > gain.covered) gain = p;
      context.note_improvement(p.evaluated, p.covered);
      const bool told = context.control.goes_on({ExplainProgress::Stage::kRefine, p.evaluated,
                                                 p.work, p.evaluated, context.share(p.covered)});
      return told && !is_settled(p, gain, *o.patience);
    };
    auto found = refine(chosen, pool, context.task.evaluator, o.constraints,
                        context.task.classifier.num_labels(), options, context.threads, go_on);
    // Else it found nothing more to try.
    context.control.note_end(last.covered == context.num_inputs() ? RunEnd::kAllCovered
                             : last.evaluated >= last.work        ? RunEnd::kWorkDone
                                                                  : RunEnd::kConverged);
    return found;
  }

 private:
  static bool is_settled(const ImproveProgress& now, const ImproveProgress& gain, double patience) {
    const auto idle = static_cast<double>(now.evaluated - gain.evaluated);
    return patience > 0 && idle >= patience * static_cast<double>(now.work);
  }
};

}  // namespace

ImproverKind refine_improver() {
  return {.about = "hill climbing on coverage, one member at a time",
          .make = [] { return std::make_unique<RefineImprover>(); }};
}

}  // namespace fewedits
