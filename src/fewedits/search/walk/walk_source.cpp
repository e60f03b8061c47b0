// SPDX-License-Identifier: MIT
// Candidates from the paper's walk: its most visited counterfactuals.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "fewedits/base/error.hpp"
#include "fewedits/cover/greedy.hpp"
#include "fewedits/search/kept.hpp"
#include "fewedits/search/parts.hpp"
#include "fewedits/search/run_control.hpp"
#include "fewedits/search/state.hpp"
#include "fewedits/search/walk/walk.hpp"

namespace fewedits {
namespace {

using Covers = std::vector<std::uint32_t>;

/// Points of the convergence curve.
constexpr std::uint64_t kTracePoints = 50;

WalkOptions walk_options(const ExplainOptions& o, std::size_t num_edge_labels = 0) {
  return {.theta = *o.walk_theta,
          .alpha = o.alpha,
          .teleport = o.teleport,
          .candidates = o.candidates,
          .capacity = o.capacity,
          .reinforcement = o.reinforcement,
          .importance = o.importance,
          .dynamic_teleport = o.dynamic_teleport,
          .max_neighbours = o.max_neighbours,
          .seed = o.seed,
          .cache_bytes = o.cache_bytes,
          .num_edge_labels = num_edge_labels};
}

class WalkSource final : public CandidateSource {
 public:
  /// The walk can find no more than there are places for candidates.
  void check(const SearchContext& context) const override {
    const ExplainOptions& o = context.options;
    const std::size_t places = num_candidates(walk_options(o), context.num_inputs());
    if (places >= o.k) return;
    throw Error(fmt::format("k is {}, and the walk keeps {} candidates", o.k, places),
                "take a smaller k, or let the walk keep more candidates");
  }

  std::vector<Candidate> find(SearchContext& context) override {
    const auto& resume = context.control.hooks().resume;
    const ExplainTask& task = context.task;
    if (context.options.constraints.molecule) return leave_to_the_improver(context);
    const WalkOptions options = walk_options(context.options, task.num_edge_labels);
    const std::size_t labels = task.classifier.num_labels();
    Walk walk = resume ? Walk(task.evaluator, context.options.constraints, labels, options,
                              resume->state().walk)
                       : Walk(task.evaluator, context.options.constraints, labels, options);
    if (resume) {
      context.state = resume->state();
      context.state.walk = {};
    }
    try {
      run_steps(walk, context);
    } catch (const Stopped&) {
      (void)context.control.is_over();  // in the middle of a step, which was not made
    }
    if (context.control.saves()) {
      context.state.walk = walk.state();
      context.control.save(context.state);
    }
    context.result.steps = walk.steps();
    context.result.neighbours = walk.choices();
    context.result.trace = context.state.trace;
    // What was found is worth a look, also for those who cannot wait.
    context.control.begin_stage(context.options.refine ? shares(context).measure : 1);
    context.control.grant_a_moment(context.num_inputs());
    return candidates(walk, context);
  }

  [[nodiscard]] std::uint32_t origin(const SearchContext& context,
                                     const Candidate& candidate) const override {
    return context.task.inputs[candidate.origin];
  }

 private:
  /// The steps of molecules are none of the walk's: a certified refinement starts from the inputs.
  static std::vector<Candidate> leave_to_the_improver(SearchContext& context) {
    if (!context.options.refine) {
      throw Error("the walk makes single edits, which molecules are not made by",
                  "refine, or leave bonds out (option bonds: ignore)");
    }
    if (context.control.hooks().resume) context.state = context.control.hooks().resume->state();
    context.state.walk.rng =
        Rng(context.options.seed).state();  // which is saved, but not drawn from
    return {};
  }

  void run_steps(Walk& walk, SearchContext& context) {
    const ExplainOptions& o = context.options;
    SearchState& state = context.state;
    RunControl& control = context.control;
    const std::uint64_t trace_every = std::max<std::uint64_t>(1, *o.steps / kTracePoints);
    control.begin_stage(o.refine ? shares(context).walk : kImproveShare);
    const bool unfinished = walk.steps() > 0 && walk.steps() % trace_every == 0 &&
                            (state.trace.empty() || state.trace.back().step < walk.steps());
    if (unfinished) trace(walk, context);  // it was stopped in the middle of that
    while (walk.steps() < *o.steps && !control.is_over()) {
      if (is_settled(walk, context)) return control.note_end(RunEnd::kConverged);
      walk.step(context.threads);
      state.refinement.reset();  // it began from less, when time was short; the best set is kept
      if (walk.visits().covered() > state.most_covered) {
        state.most_covered = walk.visits().covered();
        state.last_progress = walk.steps();
      }
      if (walk.steps() % trace_every == 0) trace(walk, context);
      (void)control.goes_on({ExplainProgress::Stage::kWalk, walk.steps(), *o.steps,
                             walk.evaluated(), context.share(walk.visits().covered())});
      if (control.is_time_to_save()) {
        SearchState now = state;
        now.walk = walk.state();
        control.save(std::move(now));
      }
    }
  }

  /// Does it only supply graphs for a certified refinement to start from?
  static bool only_starts(const SearchContext& context) {
    return context.options.refine && context.task.evaluator.distance().prover() != nullptr;
  }

  static WalkShares shares(const SearchContext& context) {
    return only_starts(context) ? kStartsShares : kWalkShares;
  }

  /// Nothing was gained for long. A walk that only supplies graphs to start from goes on.
  static bool is_settled(const Walk& walk, const SearchContext& context) {
    const ExplainOptions& o = context.options;
    if (only_starts(context) || *o.patience <= 0) return false;
    const auto idle = static_cast<double>(walk.steps() - context.state.last_progress);
    return idle >= *o.patience * static_cast<double>(*o.steps);
  }

  /// The walk's candidates with what they cover at theta.
  std::vector<Candidate> candidates(const Walk& walk, const SearchContext& context) {
    const auto visited = walk.visits().graphs();
    auto indices = walk.visits().candidates();
    if (context.options.ties == CandidateTies::kCoverage &&
        context.task.evaluator.distance().within_is_quick()) {
      indices = by_coverage(walk.visits(), std::move(indices), context);
    } else {
      measure(visited, indices, context);
    }
    std::vector<Candidate> out;
    out.reserve(indices.size());
    for (const std::uint32_t i : indices) {
      const VisitedGraph& v = visited[i];
      const Measured measured = measured_or_seen(v, context);
      out.push_back({v.graph, v.probability, measured.covers, v.count, v.origin, measured.maps});
    }
    return out;
  }

  /// What there was no time to measure covers what the walk saw, unless that needs a proof.
  [[nodiscard]] Measured measured_or_seen(const VisitedGraph& v,
                                          const SearchContext& context) const {
    if (const auto known = measured_.find(v.hash); known != measured_.end()) return known->second;
    const bool needs_proof = context.task.evaluator.distance().prover() != nullptr;
    if (needs_proof || *context.options.walk_theta > context.theta()) return {};
    return {v.covers, {}};
  }

  /// As many as the candidates: many graphs are visited once, more than there are places; of
  /// equally visited ones, those that cover more.
  std::vector<std::uint32_t> by_coverage(const Visits& visits,
                                         std::vector<std::uint32_t> candidates,
                                         const SearchContext& context) {
    const std::size_t places = candidates.size();
    const auto more = visits.runners_up();
    candidates.insert(candidates.end(), more.begin(), more.end());
    measure(visits.graphs(), candidates, context);
    using Ranked = std::tuple<std::uint64_t, std::size_t, std::uint32_t>;
    std::vector<Ranked> order;
    order.reserve(candidates.size());
    for (const std::uint32_t i : candidates) {
      const VisitedGraph& v = visits.graphs()[i];
      order.emplace_back(v.count, measured_or_seen(v, context).covers.size(), i);
    }
    std::stable_sort(order.begin(), order.end(), [](const Ranked& a, const Ranked& b) {
      return std::pair(get<0>(a), get<1>(a)) > std::pair(get<0>(b), get<1>(b));
    });
    candidates.resize(places);
    for (std::size_t i = 0; i < places; ++i) candidates[i] = get<2>(order[i]);
    return candidates;
  }

  /// Makes measured_ what those graphs cover; what is known already is not measured again, and what
  /// there is no time for is not in it.
  void measure(std::span<const VisitedGraph> visited, std::span<const std::uint32_t> indices,
               const SearchContext& context) {
    std::unordered_map<Hash128, Measured> now;
    std::vector<Graph> unknown;
    std::vector<Hash128> hashes;
    for (const std::uint32_t i : indices) {
      const Hash128& hash = visited[i].hash;
      if (const auto known = measured_.find(hash); known != measured_.end()) {
        now[hash] = std::move(known->second);
      } else {
        unknown.push_back(visited[i].graph);
        hashes.push_back(hash);
      }
    }
    auto found = measure_covers(unknown, context);
    for (std::size_t i = 0; i < found.size(); ++i) now[hashes[i]] = std::move(found[i]);
    measured_ = std::move(now);
  }

  void trace(const Walk& walk, SearchContext& context) {
    TracePoint point{
        walk.steps(), walk.visits().num_candidates(), context.share(walk.visits().covered()), {}};
    const std::vector<Candidate> found = candidates(walk, context);
    std::vector<Covers> covers;
    covers.reserve(found.size());
    for (const Candidate& c : found) covers.push_back(c.covers);
    std::size_t covered = 0;
    std::vector<Candidate> summary;
    for (const Pick& p : greedy_summary(covers, context.num_inputs(), context.options.k)) {
      covered += p.gain;
      point.summary_coverage.push_back(context.share(covered));
      summary.push_back(found[p.candidate]);
    }
    // What is proven stays so; the paper's summary is one of what is visited most in the end.
    const bool proves = context.task.evaluator.distance().prover() != nullptr;
    if (proves) keep(summary, context.num_inputs(), context.state);
    context.threads.check_stop();  // then not all of them were measured
    context.state.trace.push_back(std::move(point));
  }

  std::unordered_map<Hash128, Measured> measured_;
};

}  // namespace

SourceKind walk_source() {
  return {.about = "the paper's vertex-reinforced walk",
          .make = [] { return std::make_unique<WalkSource>(); },
          .walks = true,
          .is_improved = true,
          .is_saved = true};
}

}  // namespace fewedits
