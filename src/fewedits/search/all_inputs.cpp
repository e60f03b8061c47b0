// SPDX-License-Identifier: MIT
#include "fewedits/search/all_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

#include "fewedits/base/error.hpp"
#include "fewedits/cover/exchange.hpp"
#include "fewedits/cover/greedy.hpp"
#include "fewedits/distance/many_inputs.hpp"
#include "fewedits/explanation/proofs.hpp"
#include "fewedits/search/run_control.hpp"

namespace fewedits {
namespace {

/// Shares of a time limit at which the set is measured, and all that is on the shortlist.
constexpr double kSetShare = 0.85;
constexpr double kShortlistShare = 0.8;
/// The same of decisions; what is left is for the costs of inputs that are not covered.
constexpr double kDecideShare = 0.92;
constexpr double kCostsShare = 0.97;
/// Of the work of the search, for decisions about pairs just outside theta.
constexpr std::uint64_t kDecisionShare = 8;
/// Sets that are tried when the final one is chosen.
constexpr std::size_t kTries = 32;

class AllInputsStage {
 public:
  AllInputsStage(const std::vector<Candidate>& chosen, const CandidateSource& source,
                 const SourceKind& kind, SearchContext& context)
      : chosen_(chosen),
        source_(source),
        kind_(kind),
        context_(context),
        all_(*context.task.all),
        inputs_(all_.graphs, options(context), context.threads) {}

  void run() {
    RunControl& control = context_.control;
    const StopScope scope(context_.threads, &control.sign());
    control.begin_stage(kSetShare);
    control.grant_a_moment(all_.graphs.size());
    for (const Candidate& c : chosen_) add(c);
    measured_ = inputs_.look(queries_, true, context_.threads, watch());
    std::vector<std::size_t> set(chosen_.size());
    std::iota(set.begin(), set.end(), std::size_t{0});
    if (measured_.complete) improve(set);
    control.begin_stage(kDecideShare);
    inputs_.decide(queries_, *context_.options.refine_work / kDecisionShare, measured_,
                   context_.threads);
    control.begin_stage(kCostsShare);
    fill(std::move(set));
  }

 private:
  static ManyInputsOptions options(const SearchContext& context) {
    ManyInputsOptions out;
    out.theta = context.theta();
    out.ged.costs = context.task.evaluator.distance().prover()->costs();
    out.ged.seed = context.options.seed;
    out.ged.budget.stop = &context.control.sign();
    return out;
  }

  [[nodiscard]] DistanceWatch watch() const {
    return [this](std::size_t done, std::size_t total) {
      return context_.goes_on({ExplainProgress::Stage::kMeasure, done, total, done, {}});
    };
  }

  /// With the maps that the search has of it, turned round. A saved run may have been tampered
  /// with, so what is no map is left out.
  [[nodiscard]] ManyInputs::Query query_of(const Candidate& candidate) const {
    ManyInputs::Query out{&candidate.graph, {}};
    for (std::size_t m = 0; m < candidate.maps.size(); ++m) {
      const std::uint32_t place = all_.searched[candidate.maps.graphs()[m]];
      const Graph& input = all_.graphs[place];
      const NodeMap map = candidate.maps.at(m);
      if (!is_node_map(candidate.graph, input, map)) continue;
      out.known.push_back({place, 0, inverse_map(map, input.num_nodes())});
    }
    return out;
  }

  void add(const Candidate& candidate) {
    candidates_.push_back(&candidate);
    queries_.push_back(query_of(candidate));
  }

  /// Exchanges members of the set for graphs of the shortlist where all inputs gain by it. Their
  /// maps are made anew then, since those of the whole shortlist would not fit: if there is no time
  /// for that, the set stays as it was.
  void improve(std::vector<std::size_t>& set) {
    context_.control.begin_stage(kShortlistShare);
    std::vector<ManyInputs::Query> others;
    for (const Candidate& c : context_.shortlist) others.push_back(query_of(c));
    const auto looked = inputs_.look(others, false, context_.threads, watch());
    CoverTable table(inputs_.size());
    const auto add_rows = [&](const BitRows& rows) {
      for (std::size_t r = 0; r < rows.size(); ++r) {
        table.rows.add_row();
        for_each_bit(rows[r], [&](std::size_t p) { table.rows.set(table.rows.size() - 1, p); });
        table.num_covered.push_back(static_cast<std::uint32_t>(count_bits(rows[r])));
      }
    };
    add_rows(measured_.covers);
    add_rows(looked.covers);
    const SolutionSet best = best_set(table, set);
    if (num_covered(table, best) <= num_covered(table, set)) return;
    take(best, others.size(), set);
  }

  [[nodiscard]] SolutionSet best_set(const CoverTable& table, const SolutionSet& set) const {
    const std::size_t k = context_.options.k;
    SolutionSet from_set = set;
    fill_up(table, from_set, k, nullptr);
    exchange(table, from_set, nullptr);
    SolutionSet greedy;
    fill_up(table, greedy, k, nullptr);
    exchange(table, greedy, nullptr);
    const SolutionSet& first =
        num_covered(table, greedy) > num_covered(table, from_set) ? greedy : from_set;
    std::vector<SolutionSet> sets(kTries, first);
    std::vector<std::size_t> covered(kTries, num_covered(table, first));
    try {
      context_.threads.for_chunks(kTries, 1, [&](std::size_t t, std::size_t, int) {
        SolutionSet tried = first;
        Rng rng(context_.options.seed, t);
        perturb(table, tried, k, rng);
        covered[t] = num_covered(table, tried);
        sets[t] = std::move(tried);
      });
    } catch (const Stopped&) {  // those that were tried by then count
    }
    const auto best = std::max_element(covered.begin(), covered.end());
    return sets[static_cast<std::size_t>(best - covered.begin())];
  }

  void take(const SolutionSet& best, std::size_t num_others, std::vector<std::size_t>& set) {
    const std::size_t old = candidates_.size();
    std::vector<std::size_t> wanted;
    std::vector<std::size_t> now;
    std::vector<ManyInputs::Query> fresh;
    for (const std::size_t at : best) {
      if (at < old) {
        now.push_back(at);
        continue;
      }
      now.push_back(old + wanted.size());
      wanted.push_back(at - old);
      fresh.push_back(query_of(context_.shortlist[at - old]));
    }
    assert(std::all_of(wanted.begin(), wanted.end(), [&](auto at) { return at < num_others; }));
    (void)num_others;
    context_.control.begin_stage(kSetShare);
    auto looked = inputs_.look(fresh, true, context_.threads, watch());
    if (!looked.complete) return;
    for (const std::size_t at : wanted) add(context_.shortlist[at]);
    BitRows covers(inputs_.size());
    for (const BitRows* rows : {&measured_.covers, &looked.covers}) {
      for (std::size_t r = 0; r < rows->size(); ++r) {
        covers.add_row();
        for_each_bit((*rows)[r], [&](std::size_t p) { covers.set(covers.size() - 1, p); });
      }
    }
    measured_.covers = std::move(covers);
    for (std::size_t b = 0; b < looked.near.size(); ++b) {
      for (NearPair& pair : looked.near[b]) {
        pair.query += static_cast<std::uint32_t>(old);
        measured_.near[b].push_back(std::move(pair));
      }
    }
    set = std::move(now);
  }

  /// The set in the order in which it is picked; without what adds nothing, unless that is wanted.
  [[nodiscard]] std::vector<std::size_t> in_order(const std::vector<std::size_t>& set) const {
    std::vector<std::vector<std::uint32_t>> covers;
    for (const std::size_t q : set) {
      auto& list = covers.emplace_back();
      for_each_bit(measured_.covers[q],
                   [&](std::size_t p) { list.push_back(static_cast<std::uint32_t>(p)); });
    }
    std::vector<std::size_t> out;
    for (const Pick& p : greedy_summary(covers, inputs_.size(), set.size())) {
      if (p.gain == 0 && !context_.options.fill && !out.empty()) break;
      out.push_back(set[p.candidate]);
    }
    return out;
  }

  void fill(std::vector<std::size_t> set) {
    Explanation& result = context_.result;
    const StopScope to_the_end(context_.threads, nullptr);
    std::vector<std::size_t> order = in_order(set);
    ManyInputs::Proven proven;
    for (bool again = true; again;) {
      fill_counterfactuals(order);
      proven =
          inputs_.prove(queries_, order, measured_, &context_.control.sign(), context_.threads);
      fill_metrics(proven.distances, result);
      // A run that was ended early may find by the way that one covers what another was to add.
      again = drop_useless(order);
    }
    result.complete = !context_.control.cut_short();
    result.ended = context_.control.ended();
    fill_scripts(std::move(proven));
  }

  bool drop_useless(std::vector<std::size_t>& order) const {
    if (context_.options.fill) return false;
    const auto& listed = context_.result.counterfactuals;
    std::vector<std::size_t> useful;
    for (std::size_t c = 0; c < order.size(); ++c) {
      if (c == 0 || listed[c].gain > 0) useful.push_back(order[c]);
    }
    const bool any = useful.size() < order.size();
    order = std::move(useful);
    return any;
  }

  void fill_counterfactuals(const std::vector<std::size_t>& order) {
    std::vector<Graph> graphs;
    for (const std::size_t q : order) graphs.push_back(candidates_[q]->graph);
    const auto judged = context_.task.evaluator.judge(graphs, context_.threads);
    if (!kind_.from_dataset) check_accepted(judged, context_.task.goal.acceptance);
    Explanation& result = context_.result;
    result.inputs = all_.indices;
    result.counterfactuals.clear();
    for (std::size_t c = 0; c < order.size(); ++c) {
      result.counterfactuals.push_back(
          counterfactual_of(*candidates_[order[c]], judged[c], source_, context_));
    }
  }

  void fill_scripts(ManyInputs::Proven proven) {
    Explanation& e = context_.result;
    const EditCosts costs = context_.task.evaluator.distance().prover()->costs();
    const std::size_t inputs = e.inputs.size();
    constexpr std::size_t kChunk = 256;
    context_.threads.for_chunks(inputs, kChunk, [&](std::size_t begin, std::size_t end, int) {
      for (std::size_t i = begin; i < end; ++i) {
        Recourse& r = e.recourse[i];
        const auto& list = proven.proofs[r.counterfactual];
        const auto proof = std::lower_bound(
            list.begin(), list.end(), i,
            [](const ProvenPair& p, std::size_t place) { return p.input < place; });
        r.proof = RecourseProof{proof->edits, proven.lower[i], proven.open[i] != 0, {}};
        if (!r.covered) continue;
        r.proof->script = checked_script(all_.graphs[i], e.counterfactuals[r.counterfactual].graph,
                                         proof->map, costs, proof->edits);
      }
    });
    std::size_t possible = 0;
    for (const Recourse& r : e.recourse) possible += r.covered || r.proof->open ? 1U : 0U;
    e.metrics.coverage_upper = static_cast<double>(possible) / static_cast<double>(inputs);
    for (std::size_t c = 0; c < proven.proofs.size(); ++c) {
      e.counterfactuals[c].proofs = std::move(proven.proofs[c]);
      for (ProvenPair& proof : e.counterfactuals[c].proofs) proof.input = e.inputs[proof.input];
    }
    e.searched = all_.searched.size();
    e.costs_are_bounds = true;
  }

  const std::vector<Candidate>& chosen_;
  const CandidateSource& source_;
  const SourceKind& kind_;
  SearchContext& context_;
  const AllInputs& all_;
  ManyInputs inputs_;
  std::vector<const Candidate*> candidates_;  ///< that are measured with their maps
  std::vector<ManyInputs::Query> queries_;    ///< of these
  ManyInputs::Looked measured_;               ///< of these
};

}  // namespace

std::size_t shortlist_for(std::size_t num_inputs) {
  constexpr std::size_t kMost = 300;
  constexpr std::size_t kLeast = 100;
  constexpr std::size_t kPairs = 30'000'000;
  return std::clamp(kPairs / std::max<std::size_t>(1, num_inputs), kLeast, kMost);
}

void explain_all_inputs(const std::vector<Candidate>& chosen, const CandidateSource& source,
                        const SourceKind& kind, SearchContext& context) {
  AllInputsStage(chosen, source, kind, context).run();
}

void check_accepted(const std::vector<Judgement>& judged, const Acceptance& rule) {
  for (const Judgement& j : judged) {
    if (rule.nearly_holds(j)) continue;
    throw Error(fmt::format("the model gives a counterfactual of the saved run the probability "
                            "{:.4f}, {:.4f} to another class",
                            j.probability, j.runner_up),
                "begin a new run in another folder");
  }
}

Counterfactual counterfactual_of(const Candidate& candidate, const Judgement& judged,
                                 const CandidateSource& source, const SearchContext& context) {
  Counterfactual out;
  out.graph = candidate.graph;
  out.probability = static_cast<float>(judged.probability);
  out.lead = std::max(0.0, judged.lead());
  out.visits = candidate.visits;
  out.origin = source.origin(context, candidate);
  return out;
}

}  // namespace fewedits
