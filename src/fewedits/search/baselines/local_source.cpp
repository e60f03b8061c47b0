// SPDX-License-Identifier: MIT
// Candidates that each input has for itself: the counterfactuals of an explainer that cuts edges.
#include <algorithm>
#include <memory>
#include <unordered_set>
#include <utility>

#include "fewedits/graph/identity.hpp"
#include "fewedits/search/baselines/edge_explainer.hpp"
#include "fewedits/search/baselines/measured_candidates.hpp"
#include "fewedits/search/parts.hpp"
#include "fewedits/search/run_control.hpp"
#include "fewedits/search/state.hpp"

namespace fewedits {
namespace {

using Stage = ExplainProgress::Stage;

class LocalSource final : public CandidateSource {
 public:
  explicit LocalSource(EdgeExplainerKind kind) : kind_(std::move(kind)) {}

  void check(const SearchContext& context) const override {
    if (kind_.needs_gradients) check_gradients(context.task.classifier);
  }

  std::vector<Candidate> find(SearchContext& context) override {
    const ExplainTask& task = context.task;
    const ExplainOptions& o = context.options;
    const std::span<const Graph> inputs = task.evaluator.inputs();
    context.control.begin_stage(kWalkShares.walk);
    const auto& resume = context.control.hooks().resume;
    const bool goes_on = resume && resume->state().local;
    context.state.local = goes_on ? *resume->state().local : LocalRunState();
    std::vector<LocalFind> found;
    try {
      const auto explainer = kind_.make({task.classifier,
                                         {task.goal, o.constraints, o.keep_isolated},
                                         inputs,
                                         task.inputs,
                                         task.accepted_graphs,
                                         o.seed},
                                        o.local, context.threads);
      if (goes_on && explainer->rounds() > 0) explainer->restore(context.state.local->training);
      const bool trained = train(*explainer, context);
      found = explain(*explainer, trained, context);
    } catch (const Stopped&) {
      (void)context.control.is_over();  // before there was anything to ask
    }
    return measured_candidates(each_once(found), context);
  }

  [[nodiscard]] std::uint32_t origin(const SearchContext& context,
                                     const Candidate& candidate) const override {
    return context.task.inputs[candidate.origin];
  }

 private:
  /// False if there was no time for all of it.
  static bool train(EdgeExplainer& explainer, SearchContext& context) {
    const auto rounds_done = [&] { return explainer.training().rounds; };
    const std::uint64_t rounds = explainer.rounds();
    try {
      while (rounds_done() < rounds &&
             context.goes_on({Stage::kTrain, rounds_done(), rounds, 0, {}})) {
        explainer.train(context.threads);
        if (context.control.is_time_to_save()) save(explainer, context);
      }
    } catch (const Stopped&) {
      (void)context.control.is_over();
    }
    save(explainer, context);
    return rounds_done() == rounds;
  }

  static void save(const EdgeExplainer& explainer, SearchContext& context) {
    if (!context.control.saves()) return;
    context.state.local->training = explainer.training();
    context.control.save(context.state);
  }

  /// What a training that was cut short leads to is a result, but nothing to go on from.
  static std::vector<LocalFind> explain(EdgeExplainer& explainer, bool trained,
                                        SearchContext& context) {
    LocalRunState rough;
    LocalRunState& run = trained ? *context.state.local : rough;
    context.control.begin_stage(kWalkShares.measure);
    if (explainer.rounds() > 0) context.control.grant_a_moment(context.num_inputs());
    const auto graphs = context.task.evaluator.inputs();
    const std::span numbers(context.task.inputs);
    const std::size_t slice = 8 * static_cast<std::size_t>(context.threads.size());
    try {
      while (run.done < graphs.size() &&
             context.goes_on({Stage::kLocal, run.done, graphs.size(), 0, {}})) {
        const std::size_t count = std::min<std::size_t>(slice, graphs.size() - run.done);
        add(explainer.explain(graphs.subspan(run.done, count), numbers.subspan(run.done, count),
                              context.threads),
            run);
        if (trained && context.control.is_time_to_save()) save(explainer, context);
      }
    } catch (const Stopped&) {
      (void)context.control.is_over();  // what was under way is left out
    }
    if (trained) save(explainer, context);
    context.control.grant_a_moment(context.num_inputs());  // what was found is worth a look
    return run.found;
  }

  static void add(std::vector<std::optional<EdgeCut>> cuts, LocalRunState& run) {
    for (auto& cut : cuts) {
      if (cut) {
        run.found.push_back({std::move(cut->graph), static_cast<float>(cut->judged.probability),
                             static_cast<std::uint32_t>(run.done)});
      }
      ++run.done;
    }
  }

  /// Inputs may have the same one.
  static std::vector<Candidate> each_once(const std::vector<LocalFind>& found) {
    std::vector<Candidate> out;
    std::unordered_set<Identity> known;
    for (const LocalFind& f : found) {
      if (!known.emplace(f.graph).second) continue;
      out.push_back({f.graph, f.probability, {}, 0, f.origin});
    }
    return out;
  }

  EdgeExplainerKind kind_;
};

}  // namespace

SourceKind edge_cutting_source(const EdgeExplainerKind& explainer) {
  return {.about = explainer.about,
          .make = [explainer] { return std::make_unique<LocalSource>(explainer); },
          .is_saved = true,
          .cuts_edges = true,
          .explainer = explainer};
}

}  // namespace fewedits
