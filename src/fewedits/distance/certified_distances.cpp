// SPDX-License-Identifier: MIT
#include "fewedits/distance/certified_distances.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "fewedits/ged/batch.hpp"
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

void settle(CertifiedPair& pair, std::int64_t limit) {
  if (pair.upper <= limit) pair.within = Answer::kYes;
  if (pair.lower > limit) pair.within = Answer::kNo;
}

/// What was found, where it says more than is known.
template <typename Found>
void take(Found found, const Task& task) {
  CertifiedPair& pair = *task.pair;
  pair.lower = std::max(pair.lower, found.lower);
  if (found.upper < pair.upper) {
    pair.upper = found.upper;
    pair.map = std::move(found.map);
  }
  settle(pair, task.limit);
}

void bound(GedSolver& solver, const Task& task) {
  take(solver.upper(*task.input, *task.counterfactual), task);
}

void decide(GedSolver& solver, const Task& task) {
  take(solver.within(*task.input, *task.counterfactual, task.limit), task);
}

void take_known(const KnownWays& known, std::span<const Graph> counterfactuals,
                std::span<const Graph> inputs, const EditCosts& costs, CertifiedDistances& out) {
  for (std::size_t c = 0; c < std::min(known.size(), counterfactuals.size()); ++c) {
    for (const KnownWay& way : known[c]) {
      if (way.input >= inputs.size()) continue;
      const Graph& from = inputs[way.input];
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
class Crew {
 public:
  Crew(const GedOptions& options, ThreadPool& pool, const CertifiedWatch& watch)
      : pool_(pool), watch_(watch), stop_(options.budget.stop) {
    for (int t = 0; t < pool.size(); ++t) solvers_.emplace_back(options);
  }

  void ask(void (*question)(GedSolver&, const Task&), const std::vector<Task>& tasks) {
    total_ += tasks.size();
    // Pairs differ by orders of magnitude in effort: hand them out one by one.
    pool_.for_chunks(tasks.size(), 1, [&](std::size_t begin, std::size_t, int worker) {
      if (stopped()) return;
      question(solvers_[static_cast<std::size_t>(worker)], tasks[begin]);
      const std::size_t done = ++done_;
      // Worker 0 is the calling thread.
      if (worker == 0 && watch_ && !watch_(done, total_)) stopped_ = true;
    });
  }
  [[nodiscard]] bool stopped() const { return stopped_ || (stop_ != nullptr && *stop_); }

 private:
  ThreadPool& pool_;
  const CertifiedWatch& watch_;
  const std::atomic<bool>* stop_;
  std::vector<GedSolver> solvers_;
  std::size_t total_ = 0;
  std::atomic<std::size_t> done_{0};
  std::atomic<bool> stopped_{false};
};

std::vector<std::vector<double>> table(const CertifiedDistances& distances,
                                       double (CertifiedPair::*value)() const) {
  std::vector<std::vector<double>> out;
  for (const auto& pairs : distances.pairs) {
    auto& row = out.emplace_back();
    for (const CertifiedPair& pair : pairs) row.push_back((pair.*value)());
  }
  return out;
}

}  // namespace

std::vector<std::vector<double>> CertifiedDistances::normalized_upper() const {
  return table(*this, &CertifiedPair::normalized_upper);
}

std::vector<std::vector<double>> CertifiedDistances::normalized_lower() const {
  return table(*this, &CertifiedPair::normalized_lower);
}

CertifiedDistances certified_distances(std::span<const Graph> counterfactuals,
                                       std::span<const Graph> inputs,
                                       const CertifiedOptions& options, ThreadPool& pool,
                                       const CertifiedWatch& watch, const KnownWays& known) {
  const auto from = prepare_graphs(inputs, pool);
  const auto to = prepare_graphs(counterfactuals, pool);
  const EditCosts& costs = options.ged.costs;
  CertifiedDistances out;
  out.pairs.assign(to.size(), std::vector<CertifiedPair>(from.size()));
  std::vector<Task> tasks;
  tasks.reserve(to.size() * from.size());
  for (std::size_t c = 0; c < to.size(); ++c) {
    for (std::size_t i = 0; i < from.size(); ++i) {
      CertifiedPair& pair = out.pairs[c][i];
      pair.largest = largest_distance(inputs[i], counterfactuals[c], costs);
      pair.upper = pair.largest;
      pair.map.assign(inputs[i].num_nodes(), kUnmatched);
      tasks.push_back({&from[i], &to[c], &pair,
                       distance_limit(options.theta, inputs[i], counterfactuals[c], costs)});
    }
  }
  take_known(known, counterfactuals, inputs, costs, out);
  Crew crew(options.ged, pool, watch);
  crew.ask(bound, tasks);
  std::erase_if(tasks, [](const Task& task) { return task.pair->within != Answer::kUnknown; });
  crew.ask(decide, tasks);
  out.complete = !crew.stopped();
  return out;
}

}  // namespace fewedits
