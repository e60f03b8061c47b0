// SPDX-License-Identifier: MIT
#include "fewedits/distance/certified_distances.hpp"

#include <algorithm>
#include <utility>

#include "fewedits/distance/watched_loop.hpp"
#include "fewedits/ged/batch.hpp"
#include "fewedits/ged/solver_pool.hpp"
#include "fewedits/proof/node_map.hpp"

namespace fewedits {
namespace {

/// A pair, where its result goes, and the largest distance that is within theta.
struct Task {
  const PreparedGraph* input;
  const PreparedGraph* counterfactual;
  CertifiedPair* pair;
  std::int64_t limit;
};

void bound(GedSolver& solver, const Task& task) {
  task.pair->improve(solver.upper(*task.input, *task.counterfactual), task.limit);
}

void decide(GedSolver& solver, const Task& task) {
  task.pair->improve(solver.within(*task.input, *task.counterfactual, task.limit), task.limit);
}

void take_known(const ProvenPairs& known, std::span<const Graph> counterfactuals,
                std::span<const PreparedGraph> inputs, const EditCosts& costs,
                CertifiedDistances& out) {
  for (std::size_t c = 0; c < std::min(known.size(), counterfactuals.size()); ++c) {
    for (const ProvenPair& way : known[c]) {
      if (way.input >= inputs.size()) continue;
      const Graph& from = inputs[way.input].graph();
      if (!is_node_map(from, counterfactuals[c], way.map)) continue;
      const std::int64_t cost = induced_cost(from, counterfactuals[c], way.map, costs);
      CertifiedPair& pair = out.pairs[c][way.input];
      if (cost >= pair.upper) continue;
      pair.upper = cost;
      pair.map = way.map;
    }
  }
}

}  // namespace

CertifiedDistances certified_distances(std::span<const Graph> counterfactuals,
                                       std::span<const PreparedGraph> inputs,
                                       const CertifiedOptions& options, ThreadPool& pool,
                                       const DistanceWatch& watch, const ProvenPairs& known) {
  const auto to = prepare_graphs(counterfactuals, pool);
  const EditCosts& costs = options.ged.costs;
  CertifiedDistances out;
  out.pairs.assign(to.size(), std::vector<CertifiedPair>(inputs.size()));
  std::vector<Task> tasks;
  tasks.reserve(to.size() * inputs.size());
  for (std::size_t c = 0; c < to.size(); ++c) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const Graph& input = inputs[i].graph();
      CertifiedPair& pair = out.pairs[c][i];
      pair.largest = largest_distance(input, counterfactuals[c], costs);
      pair.upper = pair.largest;
      pair.map.assign(input.num_nodes(), kUnmatched);
      tasks.push_back({&inputs[i], &to[c], &pair,
                       distance_limit(options.theta, input, counterfactuals[c], costs)});
    }
  }
  take_known(known, counterfactuals, inputs, costs, out);
  SolverPool solvers(options.ged, pool);
  WatchedLoop loop(pool, watch, options.ged.budget.stop);
  loop.run(tasks.size(), [&](std::size_t t, int worker) { bound(solvers[worker], tasks[t]); });
  std::erase_if(tasks, [](const Task& task) { return task.pair->within != Answer::kUnknown; });
  loop.run(tasks.size(), [&](std::size_t t, int worker) { decide(solvers[worker], tasks[t]); });
  out.complete = !loop.stopped();
  return out;
}

}  // namespace fewedits
