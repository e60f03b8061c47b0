// SPDX-License-Identifier: MIT
#include "fewedits/distance/certified_distances.hpp"

#include <algorithm>
#include <utility>

#include "fewedits/distance/watched_loop.hpp"
#include "fewedits/ged/batch.hpp"
#include "fewedits/ged/lower_bound.hpp"
#include "fewedits/ged/solver_pool.hpp"
#include "fewedits/proof/node_map.hpp"

namespace fewedits {
namespace {

/// A pair, where its result goes, and the largest distance that is within theta.
struct Task {
  const PreparedGraph* from;
  const PreparedGraph* to;
  std::size_t input;
  CertifiedPair* pair;
  std::int64_t limit;
  bool was_decided = false;  ///< or the budget for that is spent

  void take(GedBounds found) const { pair->improve(std::move(found), limit); }
  [[nodiscard]] bool is_open() const { return pair->within == Answer::kUnknown && !was_decided; }
};

/// Questions about a pair, from the quickest on.
GedBounds look(GedSolver& solver, Task& task) {
  constexpr std::int64_t kHopeless = 8;
  return solver.look_for(*task.from, *task.to, task.limit, kHopeless);
}
GedBounds decide(GedSolver& solver, Task& task) {
  task.was_decided = true;
  return solver.within(*task.from, *task.to, task.limit);
}
GedBounds bound(GedSolver& solver, Task& task) { return solver.upper(*task.from, *task.to); }

class Proving {
 public:
  Proving(std::span<const Graph> counterfactuals, std::span<const PreparedGraph> inputs,
          const CertifiedOptions& options, ThreadPool& pool, const DistanceWatch& watch)
      : costs_(options.ged.costs),
        to_(prepare_graphs(counterfactuals, pool)),
        solvers_(options.ged, pool),
        loop_(pool, watch, options.ged.budget.stop),
        num_inputs_(inputs.size()) {
    out_.pairs.assign(to_.size(), std::vector<CertifiedPair>(inputs.size()));
    tasks_.reserve(to_.size() * inputs.size());
    for (std::size_t c = 0; c < to_.size(); ++c) {
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        const Graph& input = inputs[i].graph();
        CertifiedPair& pair = out_.pairs[c][i];
        pair.largest = largest_distance(input, counterfactuals[c], costs_);
        pair.upper = pair.largest;
        tasks_.push_back({&inputs[i], &to_[c], i, &pair,
                          distance_limit(options.theta, input, counterfactuals[c], costs_)});
      }
    }
  }

  /// What is no map is passed over.
  void take(const ProvenPairs& known) {
    for (std::size_t c = 0; c < std::min(known.size(), to_.size()); ++c) {
      for (const ProvenPair& way : known[c]) {
        if (way.input >= num_inputs_) continue;
        const Task& task = tasks_[c * num_inputs_ + way.input];
        const Graph& from = task.from->graph();
        const Graph& to = task.to->graph();
        if (!is_node_map(from, to, way.map)) continue;
        task.take({0, induced_cost(from, to, way.map, costs_), way.map});
      }
    }
  }

  /// Labels and degrees, of all pairs: a moment for millions of them, so nobody can stop it.
  void exclude_at_sight() {
    for (const Task& task : tasks_) {
      task.take(
          {degree_bound(task.from->profile(), task.to->profile(), costs_), task.pair->upper, {}});
    }
  }

  /// What the coverage hangs on comes first: the inputs that nobody is known to cover.
  void settle_coverage() {
    ask_about_uncovered(look);
    ask_about_uncovered(decide);
  }

  /// Who else covers an input, and at what cost.
  void settle_the_rest() {
    std::vector<Task*> all;
    for (Task& task : tasks_) all.push_back(&task);
    ask(bound, all);
    std::erase_if(all, [](const Task* task) { return !task->is_open(); });
    ask(decide, all);
  }

  CertifiedDistances take_result() {
    out_.complete = !loop_.stopped();
    return std::move(out_);
  }

 private:
  using Question = GedBounds (*)(GedSolver&, Task&);

  void ask(Question question, const std::vector<Task*>& tasks) {
    if (loop_.stopped()) return;
    loop_.run(tasks.size(), [&](std::size_t t, int worker) {
      tasks[t]->take(question(solvers_[worker], *tasks[t]));
    });
  }

  void ask_about_uncovered(Question question) {
    std::vector<bool> covered(num_inputs_, false);
    for (const Task& task : tasks_) {
      if (task.pair->within == Answer::kYes) covered[task.input] = true;
    }
    std::vector<Task*> open;
    for (Task& task : tasks_) {
      if (task.is_open() && !covered[task.input]) open.push_back(&task);
    }
    ask(question, open);
  }

  const EditCosts& costs_;
  std::vector<PreparedGraph> to_;
  SolverPool solvers_;
  WatchedLoop loop_;
  std::size_t num_inputs_;
  std::vector<Task> tasks_;
  CertifiedDistances out_;
};

}  // namespace

CertifiedDistances certified_distances(std::span<const Graph> counterfactuals,
                                       std::span<const PreparedGraph> inputs,
                                       const CertifiedOptions& options, ThreadPool& pool,
                                       const DistanceWatch& watch, const ProvenPairs& known) {
  Proving proving(counterfactuals, inputs, options, pool, watch);
  proving.take(known);
  proving.exclude_at_sight();
  proving.settle_coverage();
  proving.settle_the_rest();
  return proving.take_result();
}

}  // namespace fewedits
