// SPDX-License-Identifier: MIT
#include "fewedits/search/explainer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "fewedits/base/error.hpp"
#include "fewedits/cover/greedy.hpp"
#include "fewedits/explanation/proofs.hpp"
#include "fewedits/search/improve/refine.hpp"

namespace fewedits {
namespace {

using Clock = std::chrono::steady_clock;
using Covers = std::vector<std::uint32_t>;

/// Points of the convergence curve.
constexpr std::uint64_t kTracePoints = 50;
/// Of a time limit: the walk's, if a refinement follows.
constexpr double kWalkShare = 0.6;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::vector<Choice> pick(const std::vector<Choice>& from, std::size_t k, std::size_t num_inputs) {
  std::vector<Covers> covers;
  covers.reserve(from.size());
  for (const Choice& c : from) covers.push_back(c.covers);
  std::vector<Choice> out;
  for (const Pick& p : greedy_summary(covers, num_inputs, k)) out.push_back(from[p.candidate]);
  return out;
}

/// More than that the model accepts a graph.
bool asks_for_margin(const ExplainOptions& options) {
  return options.min_probability > SearchOptions{}.min_probability;
}

class Explainer {
 public:
  Explainer(const ExplainTask& task, const ExplainOptions& options, ThreadPool& pool,
            const ExplainHooks& hooks)
      : task_(task),
        options_(options),
        pool_(pool),
        hooks_(hooks),
        steps_(options.walk_steps()),
        start_(Clock::now()) {}

  Explanation run() {
    result_.inputs = task_.inputs;
    result_.theta = options_.theta;
    const bool search = options_.method == ExplainMethod::kGcf;
    result_.method = search ? "gcf" : "ground-truth";
    // The certified refinement may find what the walk lacks.
    if (search && !(options_.refine && task_.certified)) check_places();
    const std::vector<Choice> found = search ? walk() : accepted_graphs();
    const bool refines = search && options_.refine && !stopped_;
    if (!refines || !task_.certified) check_number(found.size());
    std::vector<Choice> chosen = pick(found, options_.k, task_.inputs.size());
    if (refines) chosen = refined(std::move(chosen), found);
    check_number(chosen.size());
    finish(chosen);
    return std::move(result_);
  }

 private:
  std::vector<Choice> accepted_graphs() {
    Constraints constraints = options_.constraints;
    constraints.connected = false;  // the baseline takes the data as it is
    std::vector<Choice> out;
    std::vector<Graph> graphs;
    std::vector<float> probability;
    if (asks_for_margin(options_)) {
      probability = task_.evaluator.probabilities(task_.accepted, pool_);
    }
    for (std::size_t i = 0; i < task_.accepted.size(); ++i) {
      if (!satisfies(task_.accepted[i], constraints)) continue;
      if (!probability.empty() && probability[i] < options_.min_probability) continue;
      graphs.push_back(task_.accepted[i]);
      out.push_back({task_.accepted[i], 0, {}, 0, static_cast<std::uint32_t>(i)});
    }
    std::size_t done = 0;
    const auto go_on = [&] {
      if (time_is_up()) stopped_ = true;
      if (hooks_.progress &&
          !hooks_.progress({ExplainProgress::Stage::kMeasure, done, out.size(), done, {}})) {
        stopped_ = true;
      }
      return !stopped_;
    };
    while (done < out.size() && go_on()) {
      constexpr std::size_t kSlice = 64;
      const auto slice = std::span(graphs).subspan(done, std::min(kSlice, out.size() - done));
      for (auto& covers : task_.evaluator.covers(slice, options_.theta, pool_)) {
        out[done++].covers = std::move(covers);
      }
    }
    return task_.certified ? task_.certified->covers(out, go_on) : out;
  }

  std::vector<Choice> walk() {
    Walk walk = hooks_.resume
                    ? Walk(task_.evaluator, options_.constraints, task_.num_labels, options_,
                           hooks_.resume->walk)
                    : Walk(task_.evaluator, options_.constraints, task_.num_labels, options_);
    if (hooks_.resume) {
      state_ = *hooks_.resume;
      state_.walk = {};
    }
    run_steps(walk);
    if (hooks_.save) {
      state_.walk = walk.state();
      hooks_.save(state_);
    }
    result_.steps = walk.steps();
    result_.neighbours = walk.choices();
    result_.trace = state_.trace;
    return candidates(walk);
  }

  void run_steps(Walk& walk) {
    const std::uint64_t trace_every = std::max<std::uint64_t>(1, steps_ / kTracePoints);
    while (walk.steps() < steps_ && !stopped_ && !hurried_) {
      if (options_.patience > 0 && walk.steps() - state_.last_progress >= options_.patience) {
        return;
      }
      walk.step(pool_);
      state_.refinement.reset();  // it began from less, when time was short
      if (walk.visits().covered() > state_.most_covered) {
        state_.most_covered = walk.visits().covered();
        state_.last_progress = walk.steps();
      }
      if (walk.steps() % trace_every == 0) trace(walk);
      if (hooks_.progress && !hooks_.progress(progress_of(walk))) stopped_ = true;
      hurried_ = time_is_up(options_.refine ? kWalkShare : 1);
      if (is_time_to_save()) {
        SearchState state = state_;
        state.walk = walk.state();
        hooks_.save(state);
      }
    }
  }

  /// True once in a while, if anyone wants the state.
  bool is_time_to_save() {
    if (!hooks_.save || seconds_since(last_save_) < hooks_.save_seconds) return false;
    last_save_ = Clock::now();
    return true;
  }

  [[nodiscard]] bool time_is_up(double share = 1) const {
    return options_.time_limit > 0 && seconds_since(start_) >= share * options_.time_limit;
  }

  [[nodiscard]] ExplainProgress progress_of(const Walk& walk) const {
    return {ExplainProgress::Stage::kWalk, walk.steps(), steps_, walk.evaluated(),
            share(walk.visits().covered())};
  }

  [[nodiscard]] double share(std::size_t inputs) const {
    return static_cast<double>(inputs) / static_cast<double>(task_.inputs.size());
  }

  /// The walk's candidates with what they cover at the evaluation theta.
  std::vector<Choice> candidates(const Walk& walk) {
    const auto visited = walk.visits().graphs();
    auto indices = walk.visits().candidates();
    if (options_.ties == CandidateTies::kCoverage && task_.evaluator.covers_quickly()) {
      indices = by_coverage(walk.visits(), std::move(indices));
    } else {
      measure(visited, indices);
    }
    std::vector<Choice> out;
    out.reserve(indices.size());
    for (const std::uint32_t i : indices) {
      const VisitedGraph& v = visited[i];
      out.push_back({v.graph, v.probability, covers_.at(v.hash), v.count, v.origin});
    }
    return out;
  }

  /// As many as the candidates: many graphs are visited once, more than there are places; of
  /// equally visited ones, those that cover more.
  std::vector<std::uint32_t> by_coverage(const Visits& visits,
                                         std::vector<std::uint32_t> candidates) {
    const std::size_t places = candidates.size();
    const auto more = visits.runners_up();
    candidates.insert(candidates.end(), more.begin(), more.end());
    measure(visits.graphs(), candidates);
    using Ranked = std::tuple<std::uint64_t, std::size_t, std::uint32_t>;
    std::vector<Ranked> order;
    order.reserve(candidates.size());
    for (const std::uint32_t i : candidates) {
      const VisitedGraph& v = visits.graphs()[i];
      order.emplace_back(v.count, covers_.at(v.hash).size(), i);
    }
    std::stable_sort(order.begin(), order.end(), [](const Ranked& a, const Ranked& b) {
      return std::pair(get<0>(a), get<1>(a)) > std::pair(get<0>(b), get<1>(b));
    });
    candidates.resize(places);
    for (std::size_t i = 0; i < places; ++i) candidates[i] = get<2>(order[i]);
    return candidates;
  }

  /// Makes covers_ what those graphs cover; what is known already is not measured again.
  void measure(std::span<const VisitedGraph> visited, std::span<const std::uint32_t> indices) {
    std::unordered_map<Hash128, Covers> now;
    std::vector<Graph> unknown;
    std::vector<Hash128> hashes;
    for (const std::uint32_t i : indices) {
      const Hash128& hash = visited[i].hash;
      if (const auto known = covers_.find(hash); known != covers_.end()) {
        now[hash] = std::move(known->second);
      } else {
        unknown.push_back(visited[i].graph);
        hashes.push_back(hash);
      }
    }
    auto covers = task_.evaluator.covers(unknown, options_.theta, pool_);
    for (std::size_t i = 0; i < unknown.size(); ++i) now[hashes[i]] = std::move(covers[i]);
    covers_ = std::move(now);
  }

  void trace(const Walk& walk) {
    TracePoint point{
        walk.steps(), walk.visits().num_candidates(), share(walk.visits().covered()), {}};
    std::vector<Covers> covers;
    for (Choice& c : candidates(walk)) covers.push_back(std::move(c.covers));
    std::size_t covered = 0;
    for (const Pick& p : greedy_summary(covers, task_.inputs.size(), options_.k)) {
      covered += p.gain;
      point.summary_coverage.push_back(share(covered));
    }
    state_.trace.push_back(std::move(point));
  }

  [[nodiscard]] bool cut_short() const { return stopped_ || hurried_; }

  /// The walk can find no more than there are places for candidates.
  void check_places() const {
    const std::size_t places = num_candidates(options_, task_.inputs.size());
    if (places >= options_.k) return;
    throw Error(fmt::format("k is {}, and the walk keeps {} candidates", options_.k, places),
                "take a smaller k, or set the number of candidates (--candidates)");
  }

  void check_number(std::size_t found) const {
    if (found >= options_.k || (cut_short() && found > 0)) return;
    std::string remedy = cut_short() ? "let it run longer" : "take a smaller k";
    if (options_.method == ExplainMethod::kGcf && !cut_short()) remedy += " or more steps";
    if (asks_for_margin(options_)) remedy += ", ask for a smaller least probability";
    remedy += ", or relax the constraints";
    throw Error(fmt::format("{} {} found, and k is {}", found,
                            found == 1 ? "counterfactual was" : "counterfactuals were", options_.k),
                remedy);
  }

  std::vector<Choice> refined(std::vector<Choice> chosen, const std::vector<Choice>& pool) {
    note(0, covered_by(chosen));
    if (task_.certified) {
      chosen = searched(chosen, pool);
    } else {
      chosen = refine(std::move(chosen), pool, task_.evaluator, options_.constraints,
                      task_.num_labels, refine_options(options_), pool_,
                      [&](const RefineProgress& p) { return goes_on(p); });
    }
    note(result_.refinement.back().work, covered_by(chosen));
    return chosen;
  }

  std::vector<Choice> searched(const std::vector<Choice>& chosen, const std::vector<Choice>& pool) {
    CertifiedHooks hooks;
    hooks.go_on = [&](const RefineProgress& p) { return goes_on(p); };
    if (hooks_.save) {
      hooks.save = [&](CertifiedSearchState state) {
        state_.refinement = {std::move(state), result_.refinement};
        if (is_time_to_save()) hooks_.save(state_);
      };
    }
    const auto resumed = std::exchange(state_.refinement, std::nullopt);
    if (resumed) {
      hooks.resume = &resumed->search;
      result_.refinement = resumed->trace;
    }
    auto found = task_.certified->search(chosen, pool, hooks);
    if (stopped_ && state_.refinement) hooks_.save(state_);
    return found;
  }

  bool goes_on(const RefineProgress& p) {
    note(p.evaluated, p.covered);
    stopped_ = stopped_ || time_is_up();
    if (!hooks_.progress) return !stopped_;
    const bool more = hooks_.progress(
        {ExplainProgress::Stage::kRefine, p.evaluated, p.work, p.evaluated, share(p.covered)});
    stopped_ = stopped_ || !more;
    return !stopped_;
  }

  [[nodiscard]] std::size_t covered_by(const std::vector<Choice>& chosen) const {
    return ChosenSet(chosen, task_.inputs.size()).covered();
  }

  /// The last point moves on until the coverage rises.
  void note(std::uint64_t work, std::size_t covered) {
    const RefinementPoint now{work, share(covered)};
    auto& points = result_.refinement;
    const bool level = points.size() > 1 && points.back().coverage == now.coverage &&
                       points[points.size() - 2].coverage == now.coverage;
    if (level) points.pop_back();
    points.push_back(now);
  }

  [[nodiscard]] std::uint32_t origin_of(const Choice& choice) const {
    const bool search = options_.method == ExplainMethod::kGcf;
    return (search ? task_.inputs : task_.accepted_indices)[choice.origin];
  }

  /// Only a run file that was tampered with can bring in a graph that the model rejects.
  void check_accepted(const std::vector<float>& probability) const {
    if (options_.method != ExplainMethod::kGcf) return;
    constexpr double kRounding = 1e-4;
    for (const float p : probability) {
      if (p + kRounding >= options_.min_probability) continue;
      throw Error(fmt::format("the model gives a counterfactual of the saved run {:.4f} only", p),
                  "begin a new run in another folder");
    }
  }

  /// What counts is measured from scratch, and orders the counterfactuals.
  void finish(const std::vector<Choice>& chosen) {
    std::vector<Graph> graphs;
    graphs.reserve(chosen.size());
    for (const Choice& c : chosen) graphs.push_back(c.graph);
    const std::vector<float> probability = task_.evaluator.probabilities(graphs, pool_);
    check_accepted(probability);
    std::optional<CertifiedDistances> proof = prove(graphs);
    const auto distances =
        proof ? proof->normalized_upper() : task_.evaluator.distances(graphs, pool_);
    std::vector<Covers> covers(graphs.size());
    for (std::size_t c = 0; c < graphs.size(); ++c) {
      for (std::size_t i = 0; i < task_.inputs.size(); ++i) {
        if (distances[c][i] <= options_.theta) covers[c].push_back(static_cast<std::uint32_t>(i));
      }
    }
    std::vector<std::vector<double>> in_order;
    CertifiedDistances proof_in_order;
    for (const Pick& p : greedy_summary(covers, task_.inputs.size(), graphs.size())) {
      const std::size_t c = p.candidate;
      result_.counterfactuals.push_back(
          {graphs[c], probability[c], {}, 0, chosen[c].visits, origin_of(chosen[c])});
      in_order.push_back(distances[c]);
      if (proof) proof_in_order.pairs.push_back(std::move(proof->pairs[c]));
    }
    result_.complete = !cut_short();
    fill_metrics(in_order, result_);
    if (proof) fill_proofs(proof_in_order, task_.evaluator.inputs(), result_);
  }

  /// Every pair is looked at, or the result would say that hardly anything is covered; what is
  /// then still undecided stays so if nobody wants to wait for it.
  std::optional<CertifiedDistances> prove(const std::vector<Graph>& graphs) {
    const std::size_t pairs = graphs.size() * task_.inputs.size();
    const auto watch = [&](std::size_t done, std::size_t total) {
      stopped_ = stopped_ || time_is_up();
      if (hooks_.progress &&
          !hooks_.progress({ExplainProgress::Stage::kProve, done, total, done, std::nullopt})) {
        stopped_ = true;
      }
      return !stopped_ || done < pairs;
    };
    return task_.evaluator.prove(graphs, pool_, watch);
  }

  const ExplainTask& task_;
  const ExplainOptions& options_;
  ThreadPool& pool_;
  const ExplainHooks& hooks_;
  std::uint64_t steps_;
  Clock::time_point start_;
  Clock::time_point last_save_ = Clock::now();
  SearchState state_;  ///< without the walk's own part, as long as it walks
  std::unordered_map<Hash128, Covers> covers_;
  bool stopped_ = false;
  bool hurried_ = false;  ///< the walk ended early, so that there is time for the refinement
  Explanation result_;
};

}  // namespace

std::uint64_t ExplainOptions::walk_steps() const {
  constexpr std::uint64_t kStartingPoints = 300;
  return steps.value_or(greed == nullptr && refine ? kStartingPoints : kPaperSteps);
}

std::uint64_t ExplainOptions::refinement_work() const {
  constexpr std::uint64_t kCertified = 1'900'000'000;
  return refine_work.value_or(greed == nullptr ? kCertified : RefineOptions{}.work);
}

RefineOptions refine_options(const ExplainOptions& o) {
  RefineOptions refine;
  static_cast<SearchOptions&>(refine) = o;
  refine.theta = o.theta;
  refine.work = o.refinement_work();
  return refine;
}

void check(const ExplainOptions& o) {
  const auto need = [](bool holds, const char* what) {
    if (!holds) throw Error(what);
  };
  need(o.k >= 1, "k must be at least 1");
  need(o.theta > 0 && o.theta < 1, "theta must be between 0 and 1, both excluded");
  need(o.walk_theta > 0 && o.walk_theta < 1,
       "the walk's theta must be between 0 and 1, both excluded");
  need(o.walk_steps() >= 1, "the walk needs at least one step");
  need(o.alpha >= 0 && o.alpha <= 1, "alpha must be from 0 to 1");
  need(o.teleport > 0 && o.teleport <= 1, "the chance to teleport must be above 0 and at most 1");
  need(o.capacity >= 1, "the capacity must be at least 1");
  need(o.min_probability >= 0.5 && o.min_probability < 1,
       "the least probability must be at least 0.5 and below 1");
  need(std::isfinite(o.time_limit) && o.time_limit >= 0, "the time limit must be 0 or more");
}

std::vector<std::pair<std::string, std::string>> describe(const ExplainOptions& o) {
  const auto text = [](const auto& value) { return fmt::format("{}", value); };
  std::vector<std::pair<std::string, std::string>> out{{"k", text(o.k)}, {"theta", text(o.theta)}};
  if (o.greed == nullptr && o.prove_work != ExplainOptions{}.prove_work) {
    out.emplace_back("prove-work", text(o.prove_work));
  }
  if (o.method == ExplainMethod::kGroundTruth) {
    if (asks_for_margin(o)) out.emplace_back("min-probability", text(o.min_probability));
    if (o.time_limit > 0) out.emplace_back("time-limit", text(o.time_limit));
    return out;
  }
  out.insert(out.end(), {{"walk-theta", text(o.walk_theta)},
                         {"steps", text(o.walk_steps())},
                         {"alpha", text(o.alpha)},
                         {"teleport", text(o.teleport)},
                         {"candidates", text(o.candidates)},
                         {"capacity", text(o.capacity)},
                         {"max-neighbours", text(o.max_neighbours)},
                         {"min-probability", text(o.min_probability)}});
  if (!o.reinforcement) out.emplace_back("no-reinforcement", "");
  if (!o.importance) out.emplace_back("no-importance", "");
  if (!o.dynamic_teleport) out.emplace_back("uniform-teleport", "");
  const bool breaks_ties = o.greed != nullptr;
  if (breaks_ties && o.ties == CandidateTies::kEarliest) out.emplace_back("ties", "earliest");
  if (o.patience > 0) out.emplace_back("patience", text(o.patience));
  if (o.time_limit > 0) out.emplace_back("time-limit", text(o.time_limit));
  if (o.refine) {
    out.emplace_back("refine-work", text(o.refinement_work()));
  } else {
    out.emplace_back("no-refine", "");
  }
  return out;
}

Explanation run_explainer(const ExplainTask& task, const ExplainOptions& options, ThreadPool& pool,
                          const ExplainHooks& hooks) {
  check(options);
  if (task.inputs.empty()) {
    throw Error("the model rejects none of the graphs: there is nothing to explain",
                "check the desired class (--desired-class) and that the model fits the dataset");
  }
  return Explainer(task, options, pool, hooks).run();
}

}  // namespace fewedits
