// SPDX-License-Identifier: MIT
#include "fewedits/evaluate/case_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <unordered_set>
#include <utility>

#include "fewedits/base/error.hpp"
#include "fewedits/ged/solver_pool.hpp"
#include "fewedits/graph/identity.hpp"

namespace fewedits {
namespace {

/// Methods are asked about so many inputs for each that is shown: among more, those that differ
/// most would be the hardest to read.
constexpr std::size_t kAskedForEach = 12;

std::uint32_t counterfactual_of(const Explanation& e, const CaseOptions& options) {
  if (e.counterfactuals.empty()) {
    throw Error("the explanation has no counterfactual", "explain again, with more work");
  }
  if (options.counterfactual) {
    if (*options.counterfactual < e.counterfactuals.size()) return *options.counterfactual;
    throw Error(fmt::format("there is no counterfactual {}", *options.counterfactual + 1),
                fmt::format("they are numbered from 1 to {}", e.counterfactuals.size()));
  }
  const auto most = std::ranges::max_element(e.counterfactuals, {},
                                             [](const auto& c) { return c.covers.size(); });
  return static_cast<std::uint32_t>(most - e.counterfactuals.begin());
}

GedBounds proven_distance(const Counterfactual& c, std::uint32_t input) {
  const auto proof = std::ranges::lower_bound(c.proofs, input, {}, &ProvenPair::input);
  if (proof == c.proofs.end() || proof->input != input) return {};
  return {0, proof->edits, proof->map};
}

/// One distance that is to be measured.
struct Pair {
  const PreparedGraph& input;
  const PreparedGraph& target;
  GedBounds& bounds;
};

void measure(const Pair& pair, const EditCosts& costs, GedSolver& solver) {
  GedBounds found = solver.exact(pair.input, pair.target);
  const NodeMap& known = pair.bounds.map;
  if (is_node_map(pair.input.graph(), pair.target.graph(), known)) {
    const std::int64_t cost = induced_cost(pair.input.graph(), pair.target.graph(), known, costs);
    if (cost <= found.upper) {
      found.upper = cost;
      found.map = known;
    }
  }
  pair.bounds = std::move(found);
}

}  // namespace

CaseCandidates::CaseCandidates(const Explanation& explanation, const Dataset& dataset,
                               const CaseOptions& options, ThreadPool& pool)
    : options_(options),
      costs_(costs_of(explanation)),
      counterfactual_(counterfactual_of(explanation, options)) {
  const Counterfactual& c = explanation.counterfactuals[counterfactual_];
  if (c.covers.empty()) {
    throw Error(fmt::format("counterfactual {} covers no input", counterfactual_ + 1),
                "a case study needs one that covers several");
  }
  global_ = {c.graph, c.probability, {}};
  add(c, dataset, GraphView(dataset, explanation.edge_label_names, "the explanation"), pool);
}

void CaseCandidates::add(const Counterfactual& counterfactual, const Dataset& dataset,
                         const GraphView& view, ThreadPool& pool) {
  struct Covered {
    std::uint32_t input;
    Candidate candidate;
  };
  std::vector<Covered> all;
  std::unordered_set<Identity> seen;
  for (const std::uint32_t input : counterfactual.covers) {
    Graph graph = view(dataset.graphs[input]);
    if (!seen.emplace(graph).second) continue;
    GedBounds proven = proven_distance(counterfactual, input);
    if (!is_node_map(graph, counterfactual.graph, proven.map)) proven = {};
    all.push_back({input, {PreparedGraph(std::move(graph)), std::move(proven)}});
  }
  const PreparedGraph target(counterfactual.graph);
  GedOptions solving;
  solving.costs = costs_;
  SolverPool solvers(solving, pool);
  pool.for_chunks(all.size(), 4, [&](std::size_t begin, std::size_t end, int worker) {
    for (std::size_t i = begin; i < end; ++i) {
      Candidate& candidate = all[i].candidate;
      if (!candidate.to_counterfactual.map.empty()) continue;
      candidate.to_counterfactual = solvers[worker].upper(candidate.graph, target);
    }
  });
  // An edit is as much to look at as two nodes.
  std::ranges::stable_sort(all, {}, [](const Covered& c) {
    return 2 * c.candidate.to_counterfactual.upper +
           std::int64_t{c.candidate.graph.graph().num_nodes()};
  });
  for (Covered& covered : all) {
    if (inputs_.size() == kAskedForEach * options_.inputs) break;
    inputs_.push_back(covered.input);
    candidates_.push_back(std::move(covered.candidate));
  }
}

/// `found`: how many methods find something for each.
std::vector<std::size_t> CaseCandidates::spread_out(const std::vector<std::size_t>& found) const {
  std::vector<std::size_t> out;
  std::vector<std::int64_t> nearest(candidates_.size(), 0);
  GedOptions solving;
  solving.costs = costs_;
  GedSolver solver(solving);
  while (out.size() < std::min(options_.inputs, candidates_.size())) {
    const auto worth = [&](std::size_t i) {
      const std::int64_t edits = candidates_[i].to_counterfactual.upper;
      return std::pair(found[i], out.empty() ? 0 : nearest[i] - edits);
    };
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      if (std::ranges::find(out, i) != out.end()) continue;
      if (!best || worth(i) > worth(*best)) best = i;
    }
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      const std::int64_t away = solver.upper(candidates_[i].graph, candidates_[*best].graph).upper;
      nearest[i] = out.empty() ? away : std::min(nearest[i], away);
    }
    out.push_back(*best);
  }
  return out;
}

CaseStudy CaseCandidates::choose(std::vector<LocalCases> locals) const {
  std::vector<std::size_t> found(candidates_.size(), 0);
  for (LocalCases& local : locals) {
    for (std::size_t i = 0; i < local.graphs.size(); ++i) {
      if (!local.graphs[i]) continue;
      ++found[i];
      ++local.found;
    }
  }
  std::vector<std::size_t> chosen = spread_out(found);
  std::ranges::sort(chosen, {}, [&](std::size_t i) { return inputs_[i]; });
  CaseStudy out;
  out.counterfactual = counterfactual_;
  out.asked = inputs_.size();
  out.global = global_;
  for (const std::size_t i : chosen) {
    out.inputs.push_back(inputs_[i]);
    out.global.distances.push_back(candidates_[i].to_counterfactual);
  }
  for (LocalCases& local : locals) {
    std::vector<std::optional<CaseGraph>> kept;
    for (std::size_t own = 0; own < chosen.size() && !local.graphs.empty(); ++own) {
      auto& graph = kept.emplace_back(std::move(local.graphs[chosen[own]]));
      if (!graph) continue;
      std::vector<GedBounds> distances(chosen.size());
      if (!graph->distances.empty()) distances[own] = std::move(graph->distances.front());
      graph->distances = std::move(distances);
    }
    local.graphs = std::move(kept);
    out.locals.push_back(std::move(local));
  }
  return out;
}

void measure_cases(const Dataset& dataset, const GedBudget& budget, ThreadPool& pool,
                   const CaseWatch& watch, CaseStudy& study, const GraphView& view) {
  std::vector<PreparedGraph> inputs;
  for (const std::uint32_t input : study.inputs) {
    inputs.emplace_back(view(dataset.graphs[input]));
  }
  std::vector<CaseGraph*> rows{&study.global};
  for (LocalCases& local : study.locals) {
    for (auto& found : local.graphs) {
      if (found) rows.push_back(&*found);
    }
  }
  std::vector<PreparedGraph> targets;
  for (CaseGraph* row : rows) {
    row->distances.resize(inputs.size());
    targets.emplace_back(row->graph);
  }
  std::vector<Pair> pairs;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      pairs.push_back({inputs[i], targets[r], rows[r]->distances[i]});
    }
  }
  GedOptions options;
  options.costs.relabel_edge = view.has_bonds() ? 1 : 0;
  options.budget = budget;
  SolverPool solvers(options, pool);
  std::atomic<std::size_t> done{0};
  pool.for_chunks(pairs.size(), 1, [&](std::size_t i, std::size_t, int worker) {
    measure(pairs[i], options.costs, solvers[worker]);
    const std::size_t so_far = ++done;
    if (worker == 0 && watch) watch(so_far, pairs.size());
  });
}

}  // namespace fewedits
