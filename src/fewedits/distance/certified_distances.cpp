// SPDX-License-Identifier: MIT
#include "fewedits/distance/certified_distances.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

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

/// Answers questions on all threads, until the watch says stop.
class Questions {
 public:
  Questions(const GedOptions& options, ThreadPool& pool, const DistanceWatch& watch)
      : pool_(pool), watch_(watch), stop_(options.budget.stop), solvers_(options, pool) {}

  void ask(void (*question)(GedSolver&, const Task&), const std::vector<Task>& tasks) {
    total_ += tasks.size();
    // Pairs differ by orders of magnitude in effort: hand them out one by one.
    pool_.for_chunks(tasks.size(), 1, [&](std::size_t begin, std::size_t, int worker) {
      if (stopped()) return;
      question(solvers_[worker], tasks[begin]);
      const std::size_t done = ++done_;
      // Worker 0 is the calling thread.
      if (worker == 0 && watch_ && !watch_(done, total_)) stopped_ = true;
    });
  }
  [[nodiscard]] bool stopped() const { return stopped_ || (stop_ != nullptr && *stop_); }

 private:
  ThreadPool& pool_;
  const DistanceWatch& watch_;
  const std::atomic<bool>* stop_;
  SolverPool solvers_;
  std::size_t total_ = 0;
  std::atomic<std::size_t> done_{0};
  std::atomic<bool> stopped_{false};
};

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
  Questions questions(options.ged, pool, watch);
  questions.ask(bound, tasks);
  std::erase_if(tasks, [](const Task& task) { return task.pair->within != Answer::kUnknown; });
  questions.ask(decide, tasks);
  out.complete = !questions.stopped();
  return out;
}

}  // namespace fewedits
