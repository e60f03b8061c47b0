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

/// An input that could be shown.
struct Candidate {
  std::uint32_t input = 0;
  PreparedGraph graph;
  GedBounds to_counterfactual;  ///< what is known or quickly found

  /// Less is easier to read: an edit is as much to look at as two nodes.
  [[nodiscard]] std::int64_t burden() const {
    return 2 * to_counterfactual.upper + std::int64_t{graph.graph().num_nodes()};
  }
};

std::uint32_t counterfactual_of(const Explanation& e, const CaseOptions& options) {
  if (e.counterfactuals.empty()) {
    throw Error("the explanation has no counterfactual", "explain again, with more work");
  }
  if (options.counterfactual) {
    if (*options.counterfactual < e.counterfactuals.size()) return *options.counterfactual;
    throw Error(fmt::format("there is no counterfactual {}", *options.counterfactual + 1),
                fmt::format("they are numbered from 1 to {}", e.counterfactuals.size()));
  }
  const auto most =
      std::ranges::max_element(e.counterfactuals, {}, [](const auto& c) { return c.covers.size(); });
  return static_cast<std::uint32_t>(most - e.counterfactuals.begin());
}

GedBounds proven_distance(const Counterfactual& c, std::uint32_t input) {
  const auto proof = std::ranges::lower_bound(c.proofs, input, {}, &ProvenPair::input);
  if (proof == c.proofs.end() || proof->input != input) return {};
  return {0, proof->edits, proof->map};
}

/// Each graph once, the easiest to read first.
std::vector<Candidate> candidates_of(const Counterfactual& c, const Dataset& data,
                                     ThreadPool& pool) {
  std::vector<Candidate> out;
  std::unordered_set<Identity> seen;
  for (const std::uint32_t input : c.covers) {
    Graph graph = data.graphs[input].without_edge_labels();
    if (!seen.emplace(graph).second) continue;
    GedBounds proven = proven_distance(c, input);
    if (!is_node_map(graph, c.graph, proven.map)) proven = {};
    out.push_back({input, PreparedGraph(std::move(graph)), std::move(proven)});
  }
  const PreparedGraph target(c.graph);
  SolverPool solvers(GedOptions{}, pool);
  pool.for_chunks(out.size(), 4, [&](std::size_t begin, std::size_t end, int worker) {
    for (std::size_t i = begin; i < end; ++i) {
      if (!out[i].to_counterfactual.map.empty()) continue;
      out[i].to_counterfactual = solvers[worker].upper(out[i].graph, target);
    }
  });
  std::ranges::stable_sort(out, {}, &Candidate::burden);
  return out;
}

/// Begins with the easiest. Each next one is as far as possible from those before it, less the
/// edits that it takes itself; the easier among equals.
std::vector<std::size_t> spread_out(const std::vector<Candidate>& from, std::size_t count) {
  std::vector<std::size_t> out;
  std::vector<std::int64_t> nearest(from.size(), std::numeric_limits<std::int64_t>::max() / 2);
  GedSolver solver;
  while (out.size() < std::min(count, from.size())) {
    const auto worth = [&](std::size_t i) {
      return out.empty() ? 0 : nearest[i] - from[i].to_counterfactual.upper;
    };
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < from.size(); ++i) {
      if (std::ranges::find(out, i) != out.end()) continue;
      if (!best || worth(i) > worth(*best)) best = i;
    }
    out.push_back(*best);
    for (std::size_t i = 0; i < from.size(); ++i) {
      nearest[i] = std::min(nearest[i], solver.upper(from[i].graph, from[*best].graph).upper);
    }
  }
  return out;
}

/// One distance that is to be measured.
struct Pair {
  const PreparedGraph& input;
  const PreparedGraph& target;
  GedBounds& bounds;
};

void measure(const Pair& pair, GedSolver& solver) {
  GedBounds found = solver.exact(pair.input, pair.target);
  const NodeMap& known = pair.bounds.map;
  if (is_node_map(pair.input.graph(), pair.target.graph(), known)) {
    const std::int64_t cost = induced_cost(pair.input.graph(), pair.target.graph(), known);
    if (cost <= found.upper) {
      found.upper = cost;
      found.map = known;
    }
  }
  pair.bounds = std::move(found);
}

}  // namespace

CaseStudy choose_cases(const Explanation& explanation, const Dataset& dataset,
                       const CaseOptions& options, ThreadPool& pool) {
  CaseStudy out;
  out.counterfactual = counterfactual_of(explanation, options);
  const Counterfactual& c = explanation.counterfactuals[out.counterfactual];
  if (c.covers.empty()) {
    throw Error(fmt::format("counterfactual {} covers no input", out.counterfactual + 1),
                "a case study needs one that covers several");
  }
  out.global = {c.graph, c.probability, {}};
  std::vector<Candidate> candidates = candidates_of(c, dataset, pool);
  // Among all, the most different ones would be the hardest to read.
  constexpr std::size_t kChoice = 6;
  candidates.resize(std::min(candidates.size(), kChoice * options.inputs),
                    Candidate{0, PreparedGraph(Graph()), {}});
  std::vector<std::size_t> chosen = spread_out(candidates, options.inputs);
  std::ranges::sort(chosen, {}, [&](std::size_t i) { return candidates[i].input; });
  for (const std::size_t i : chosen) {
    out.inputs.push_back(candidates[i].input);
    out.global.distances.push_back(std::move(candidates[i].to_counterfactual));
  }
  return out;
}

void measure_cases(const Dataset& dataset, const GedBudget& budget, ThreadPool& pool,
                   const CaseWatch& watch, CaseStudy& study) {
  std::vector<PreparedGraph> inputs;
  for (const std::uint32_t input : study.inputs) {
    inputs.emplace_back(dataset.graphs[input].without_edge_labels());
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
  options.budget = budget;
  SolverPool solvers(options, pool);
  std::atomic<std::size_t> done{0};
  pool.for_chunks(pairs.size(), 1, [&](std::size_t i, std::size_t, int worker) {
    measure(pairs[i], solvers[worker]);
    const std::size_t so_far = ++done;
    if (worker == 0 && watch) watch(so_far, pairs.size());
  });
}

}  // namespace fewedits
