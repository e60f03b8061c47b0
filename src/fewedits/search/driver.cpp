// SPDX-License-Identifier: MIT
#include "fewedits/search/driver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "fewedits/base/error.hpp"
#include "fewedits/base/text.hpp"
#include "fewedits/cover/greedy.hpp"
#include "fewedits/explanation/proofs.hpp"
#include "fewedits/search/all_inputs.hpp"
#include "fewedits/search/kept.hpp"
#include "fewedits/search/run_control.hpp"
#include "fewedits/search/state.hpp"

namespace fewedits {
namespace {

using Covers = std::vector<std::uint32_t>;

std::vector<Candidate> greedy_choice(const std::vector<Candidate>& from, std::size_t k,
                                     std::size_t num_inputs) {
  std::vector<Covers> covers;
  covers.reserve(from.size());
  for (const Candidate& c : from) covers.push_back(c.covers);
  std::vector<Candidate> out;
  for (const Pick& p : greedy_summary(covers, num_inputs, k)) out.push_back(from[p.candidate]);
  return out;
}

/// How far a search came that was ended before it found anything.
std::string reached(const SourceKind& source, const SearchContext& context) {
  const Explanation& e = context.result;
  std::string end = context.control.interrupted() ? "it was ended" : "time was up";
  std::vector<std::string> parts;
  if (source.walks && e.steps > 0) {
    parts.push_back(fmt::format("{} of {} steps of the walk, which saw {} neighbours",
                                grouped(e.steps), grouped(*context.options.steps),
                                grouped(e.neighbours)));
  }
  if (!e.refinement.empty()) {
    parts.push_back(fmt::format("{:.1f} % of the refinement",
                                100 * static_cast<double>(e.refinement.back().work) /
                                    static_cast<double>(*context.options.refine_work)));
  }
  return parts.empty() ? end : fmt::format("{} after {}", end, fmt::join(parts, " and "));
}

/// Fewer than k are a result, none are not.
void check_number(std::size_t found, const SourceKind& source, const SearchContext& context) {
  if (found > 0) return;
  const bool cut_short = context.control.cut_short();
  std::string remedy = cut_short ? "let it run longer"
                                 : "take a larger theta, check the model and the desired class";
  if (source.walks && !cut_short) remedy += ", take more steps";
  if (context.options.min_probability > 0) remedy += ", ask for a smaller least probability";
  remedy += ", or relax the constraints";
  throw Error(
      "no counterfactual was found" + (cut_short ? ": " + reached(source, context) : std::string()),
      remedy);
}

/// The candidates' maps, turned round: from the inputs. A saved run may have been tampered with, so
/// what is no map is left out.
ProvenPairs maps_in_hand(const std::vector<Candidate>& chosen, std::span<const Graph> inputs) {
  ProvenPairs out;
  for (const Candidate& c : chosen) {
    auto& pairs = out.emplace_back();
    for (std::size_t i = 0; i < c.maps.size(); ++i) {
      const Graph& input = inputs[c.maps.graphs()[i]];
      const NodeMap map = c.maps.at(i);
      if (!is_node_map(c.graph, input, map)) continue;
      pairs.push_back({c.maps.graphs()[i], 0, inverse_map(map, input.num_nodes())});
    }
  }
  return out;
}

/// What the search holds is proven already. More is looked for as long as anybody waits for it.
std::optional<CertifiedDistances> prove(const std::vector<Candidate>& chosen,
                                        const std::vector<Graph>& graphs, SearchContext& context) {
  Evaluator& evaluator = context.task.evaluator;
  Prover* prover = evaluator.distance().prover();
  if (prover == nullptr) return std::nullopt;
  context.control.begin_stage(1);
  context.control.grant_a_moment(context.num_inputs());
  const auto watch = [&](std::size_t done, std::size_t total) {
    return context.goes_on({ExplainProgress::Stage::kProve, done, total, done, {}});
  };
  return prover->prove(graphs, maps_in_hand(chosen, evaluator.inputs()), context.threads, watch);
}

/// Normalised distances of the graphs to all inputs: of all, or of the first of them if there is no
/// time for more.
std::vector<std::vector<double>> distances_in_time(std::span<const Graph> graphs,
                                                   SearchContext& context) {
  RunControl& control = context.control;
  control.begin_stage(1);
  control.grant_a_moment(context.num_inputs());
  const StopScope scope(context.threads, &control.sign());
  std::vector<std::vector<double>> out;
  try {
    for (const Graph& graph : graphs) {
      out.push_back(
          std::move(context.task.evaluator.distance().rows({&graph, 1}, context.threads).front()));
    }
  } catch (const Stopped&) {
    (void)control.is_over();  // it is, and the result not what it could be
    if (out.empty()) {
      throw Error("there was no time to measure what was found", "let it run longer");
    }
  }
  return out;
}

/// The counterfactuals as candidates, with all that was proven of them in the end.
std::vector<Candidate> measured_set(std::vector<Candidate> set,
                                    const std::vector<std::vector<double>>& distances,
                                    const CertifiedDistances& proof, const SearchContext& context) {
  const std::span<const Graph> inputs = context.task.evaluator.inputs();
  for (std::size_t c = 0; c < set.size(); ++c) {
    const Node nodes = set[c].graph.num_nodes();
    set[c].covers.clear();
    set[c].maps = PackedMaps(nodes);
    for (std::uint32_t i = 0; i < inputs.size(); ++i) {
      if (distances[c][i] > context.theta()) continue;
      set[c].covers.push_back(i);
      if (proof.pairs.empty()) continue;
      set[c].maps.set(i, inverse_map(proof.pairs[c][i].map_from(inputs[i].num_nodes()), nodes));
    }
  }
  return set;
}

/// Inputs that the result covers.
std::size_t covered_by(const Explanation& result) {
  return static_cast<std::size_t>(std::count_if(result.recourse.begin(), result.recourse.end(),
                                                [](const Recourse& r) { return r.covered; }));
}

/// What counts is measured from scratch, and orders the counterfactuals. Keeps what it finds if
/// that is more than what was kept.
void measure_result(const std::vector<Candidate>& chosen, const CandidateSource& source,
                    const SourceKind& kind, SearchContext& context) {
  std::vector<Graph> graphs;
  graphs.reserve(chosen.size());
  for (const Candidate& c : chosen) graphs.push_back(c.graph);
  Evaluator& evaluator = context.task.evaluator;
  // A few graphs: whoever wants the result has to wait for that.
  const StopScope to_the_end(context.threads, nullptr);
  const std::vector<Judgement> judged = evaluator.judge(graphs, context.threads);
  if (!kind.from_dataset) check_accepted(judged, context.task.goal.acceptance);
  std::optional<CertifiedDistances> proof = prove(chosen, graphs, context);
  const auto distances = proof ? proof->normalized_upper() : distances_in_time(graphs, context);
  graphs.resize(distances.size());
  std::vector<Covers> covers(graphs.size());
  for (std::size_t c = 0; c < graphs.size(); ++c) {
    for (std::uint32_t i = 0; i < context.num_inputs(); ++i) {
      if (distances[c][i] <= context.theta()) covers[c].push_back(i);
    }
  }
  Explanation& result = context.result;
  result.counterfactuals.clear();
  std::vector<Candidate> set;
  std::vector<std::vector<double>> in_order;
  CertifiedDistances proof_in_order;
  // Under the paper's settings costs rest on all k; else what adds nothing explains nothing.
  const bool fill = context.options.fill || !proof || kind.from_dataset;
  for (const Pick& p : greedy_summary(covers, context.num_inputs(), graphs.size())) {
    if (p.gain == 0 && !fill && !result.counterfactuals.empty()) break;
    const std::size_t c = p.candidate;
    result.counterfactuals.push_back(counterfactual_of(chosen[c], judged[c], source, context));
    set.push_back(chosen[c]);
    in_order.push_back(distances[c]);
    if (proof) proof_in_order.pairs.push_back(std::move(proof->pairs[c]));
  }
  result.complete = !context.control.cut_short();
  result.ended = context.control.ended();
  fill_metrics(in_order, result);
  if (proof) {
    fill_proofs(proof_in_order, evaluator.inputs(), result, evaluator.distance().prover()->costs());
  }
  if (!kind.is_saved || !context.control.saves()) return;
  if (covered_by(result) <= covered_by(context.state.kept, context.num_inputs())) return;
  set = measured_set(std::move(set), in_order, proof_in_order, context);
  if (keep(set, context.num_inputs(), context.state)) context.control.save(context.state);
}

/// The improvement's curve ends with what is chosen.
void note_end_of_improvement(std::size_t covered, const SearchContext& context) {
  if (context.result.refinement.empty()) return;
  context.note_improvement(context.result.refinement.back().work, covered);
}

/// What is kept, if it covers more than so many inputs.
std::optional<std::vector<Candidate>> kept_beyond(std::size_t covered,
                                                  const std::vector<Candidate>& chosen,
                                                  const SearchContext& context) {
  const std::size_t inputs = context.num_inputs();
  if (covered_by(context.state.kept, inputs) <= covered) return std::nullopt;
  std::vector<Candidate> set = kept_set(context.state, chosen, context.options.k, inputs);
  const std::size_t by_kept = covered_by(set, inputs);
  if (by_kept <= covered) return std::nullopt;
  note_end_of_improvement(by_kept, context);
  return set;
}

/// A run that is resumed and stopped again may hold less than one that it goes on from: then what
/// was kept is the result. One that comes to its end gives what an uninterrupted run gives, unless
/// what was kept covers more all the same.
void measure_best(std::vector<Candidate> chosen, const CandidateSource& source,
                  const SourceKind& kind, SearchContext& context) {
  if (context.control.cut_short() || chosen.empty()) {
    const std::size_t covered = covered_by(chosen, context.num_inputs());
    if (auto kept = kept_beyond(covered, chosen, context)) chosen = *std::move(kept);
  }
  measure_result(chosen, source, kind, context);
  if (const auto kept = kept_beyond(covered_by(context.result), chosen, context)) {
    measure_result(*kept, source, kind, context);
  }
}

/// The same of a sampled search, whose set is then measured against all inputs.
void measure_all_inputs(std::vector<Candidate> chosen, const CandidateSource& source,
                        const SourceKind& kind, SearchContext& context) {
  context.control.use_all_of_the_time();
  if (context.control.cut_short() || chosen.empty()) {
    const std::size_t covered = covered_by(chosen, context.num_inputs());
    if (auto kept = kept_beyond(covered, chosen, context)) chosen = *std::move(kept);
  }
  explain_all_inputs(chosen, source, kind, context);
}

std::unique_ptr<Improver> make_improver(Distance& distance, const Parts& parts) {
  const bool proves = distance.prover() != nullptr;
  const auto names = parts.improvers.names();
  for (auto name = names.rbegin(); name != names.rend(); ++name) {
    const ImproverKind& kind = parts.improvers.at(*name);
    if (kind.needs_proofs == proves) return kind.make();
  }
  throw Error(
      fmt::format("there is no improver for distances {} proofs", proves ? "with" : "without"),
      "leave the refinement out");
}

}  // namespace

Error over_before_it_began(double time_limit) {
  return Error(fmt::format("the time limit of {} s was over before the search began", time_limit),
               "allow more time");
}

SavedSearch::SavedSearch(SearchState state)
    : state_(std::make_shared<const SearchState>(std::move(state))) {}

Explanation run_search(const ExplainTask& task, const ExplainOptions& options, const Parts& parts,
                       ThreadPool& threads, const ExplainHooks& hooks) {
  StopSign sign(hooks.stop);
  return run_search(task, options, parts, threads, hooks, sign);
}

Explanation run_search(const ExplainTask& task, const ExplainOptions& options, const Parts& parts,
                       ThreadPool& threads, const ExplainHooks& hooks, StopSign& sign) {
  check_options(options);
  if (task.inputs.empty()) {
    throw Error(
        "there is nothing to explain: no graph that was chosen is predicted anything but the "
        "desired class",
        "check the desired class, the choice of graphs, and that the model fits the dataset");
  }
  RunControl control(options.time_limit, hooks, sign);
  if (control.time_is_up()) throw over_before_it_began(options.time_limit);
  const StopScope scope(threads, &sign);
  SearchState state;
  Explanation result;
  result.inputs = task.inputs;
  result.theta = *options.theta;
  result.method = options.method;
  const SourceKind& source_kind = parts.sources.at(options.method);
  result.from_dataset = source_kind.from_dataset;
  SearchContext context{task, options, threads, control, state, result};
  if (task.all) {
    control.leave_time(kSampledSearchShare);
    context.most_shortlisted = shortlist_for(task.all->indices.size());
  }

  const auto source = source_kind.make();
  const auto improver = source_kind.is_improved && options.refine
                            ? make_improver(task.evaluator.distance(), parts)
                            : nullptr;
  // An improver may find what the source lacks.
  const bool finds_more = improver != nullptr && improver->finds_more();
  if (!finds_more) source->check(context);
  if (hooks.resume) state.kept = hooks.resume->state().kept;
  const std::vector<Candidate> found = source->find(context);
  // What a resumed run holds comes from the improver, too.
  const bool improves = improver != nullptr && (!control.stopped() || state.refinement);
  if (!(improves && finds_more)) {
    check_number(found.size() + state.kept.size(), source_kind, context);
  }
  const std::size_t inputs = context.num_inputs();
  std::vector<Candidate> chosen = greedy_choice(found, options.k, inputs);
  if (improves) {
    context.note_improvement(0, covered_by(chosen, inputs));
    chosen = improver->improve(chosen, found, context);
    note_end_of_improvement(covered_by(chosen, inputs), context);
  }
  check_number(chosen.size() + state.kept.size(), source_kind, context);
  const bool is_new = keep(chosen, inputs, state);
  // However it ended, and before it is known what more can be proven.
  if (source_kind.is_saved && (is_new || improves)) control.save(state);
  const auto measure = task.all ? measure_all_inputs : measure_best;
  measure(std::move(chosen), *source, source_kind, context);
  return result;
}

}  // namespace fewedits
