// SPDX-License-Identifier: MIT
#include "gcfx/explain/local_search.hpp"

#include <algorithm>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "gcfx/edit/neighbours.hpp"
#include "gcfx/graph/shape_hash.hpp"

namespace gcfx {
namespace {

struct Step {
  Graph graph;
  int edits = 0;  ///< cost of the way here, an upper bound of the distance
  Judgement judged = {};
};

class Beam {
 public:
  Beam(const Graph& input, const Classifier& classifier, std::size_t desired_class,
       const Constraints& constraints, const LocalOptions& options, ThreadPool& pool)
      : classifier_(classifier),
        desired_(desired_class),
        constraints_(constraints),
        options_(options),
        pool_(pool),
        beam_{Step{input, 0, judge({&input, 1}, classifier, desired_class, pool).front()}} {
    seen_.insert(shape_hash(input));
  }

  std::optional<Step> run() {
    consider(beam_.front());  // it may be accepted as it is
    if (best_) return best_;
    for (int s = 0; s < options_.steps && !beam_.empty() && !stopped(); ++s) {
      std::vector<Step> next = neighbours_of_beam();
      for (const Step& step : next) consider(step);
      // What is as far as the best already cannot lead to anything nearer.
      if (best_)
        std::erase_if(next, [&](const Step& step) { return step.edits >= best_->edits - 1; });
      const std::size_t most = std::min(next.size(), options_.beam);
      const auto likelier = [](const Step& a, const Step& b) {
        return a.judged.probability > b.judged.probability;
      };
      std::partial_sort(next.begin(), next.begin() + static_cast<std::ptrdiff_t>(most), next.end(),
                        likelier);
      next.resize(most);
      beam_ = std::move(next);
    }
    return best_;
  }

 private:
  std::vector<Step> neighbours_of_beam() {
    std::vector<Step> out;
    std::vector<Graph> graphs;
    for (const Step& from : beam_) {
      if (stopped()) break;
      for (const Edit& edit :
           neighbours(from.graph, {classifier_.num_labels(), {}, true}, constraints_)) {
        Graph graph = apply(from.graph, edit);
        if (!seen_.insert(shape_hash(graph)).second) continue;
        graphs.push_back(graph);
        out.push_back({std::move(graph), from.edits + cost_of(edit.kind)});
      }
    }
    const auto judged = judge(graphs, classifier_, desired_, pool_);
    for (std::size_t i = 0; i < out.size(); ++i) out[i].judged = judged[i];
    return out;
  }

  void consider(const Step& step) {
    const Judgement& judged = step.judged;
    if (!judged.accepted || judged.probability < options_.min_probability) return;
    const auto rank = [](const Step& s) { return std::make_tuple(s.edits, -s.judged.probability); };
    if (best_ && rank(step) >= rank(*best_)) return;
    if (satisfies(step.graph, constraints_)) best_ = step;
  }

  [[nodiscard]] bool stopped() const {
    const auto* const stop = options_.ged.budget.stop;
    return stop != nullptr && *stop;
  }

  const Classifier& classifier_;
  std::size_t desired_;
  const Constraints& constraints_;
  const LocalOptions& options_;
  ThreadPool& pool_;
  std::vector<Step> beam_;
  std::optional<Step> best_;
  std::unordered_set<std::uint64_t> seen_;
};

}  // namespace

std::optional<LocalCounterfactual> local_counterfactual(
    const Graph& input, const Classifier& classifier, std::size_t desired_class,
    const Constraints& constraints, const LocalOptions& options, ThreadPool& pool) {
  auto best = Beam(input, classifier, desired_class, constraints, options, pool).run();
  if (!best) return std::nullopt;
  GedOptions ged = options.ged;
  ged.costs = {};
  GedBounds distance = GedSolver(ged).exact(PreparedGraph(input), PreparedGraph(best->graph));
  return LocalCounterfactual{std::move(best->graph), best->judged.probability, std::move(distance)};
}

}  // namespace gcfx
