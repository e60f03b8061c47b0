// SPDX-License-Identifier: MIT
#include "fewedits/search/local/local_search.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "fewedits/edit/moves.hpp"
#include "fewedits/graph/shape_hash.hpp"

namespace fewedits {
namespace {

struct Step {
  Graph graph;
  NodeMap map;    ///< where the nodes of the input are now
  int edits = 0;  ///< cost of the way here, an upper bound of the distance
  Judgement judged = {};
};

/// The map after some more edits. Nodes after one that is removed move up.
NodeMap followed(NodeMap map, std::span<const Edit> edits) {
  for (const Edit& edit : edits) {
    if (edit.kind != Edit::Kind::kRemoveLeaf) continue;
    for (Node& image : map) {
      if (image == edit.u) {
        image = kUnmatched;
      } else if (image != kUnmatched && image > edit.u) {
        --image;
      }
    }
  }
  return map;
}

NodeMap nobody_moves(const Graph& graph) {
  NodeMap map(graph.num_nodes());
  std::iota(map.begin(), map.end(), Node{0});
  return map;
}

/// Do the frozen nodes keep their labels and the edges among them?
bool keeps(const NodeMap& map, const Graph& from, const Graph& to, std::span<const Node> frozen) {
  for (const Node u : frozen) {
    if (map[u] == kUnmatched || to.label(map[u]) != from.label(u)) return false;
  }
  for (const Node u : frozen) {
    for (const Node v : frozen) {
      if (from.has_edge(u, v) && !to.has_edge(map[u], map[v])) return false;
    }
  }
  return true;
}

class Beam {
 public:
  Beam(const Graph& input, const Classifier& classifier, const Goal& goal,
       const Constraints& constraints, const LocalOptions& options, ThreadPool& pool)
      : classifier_(classifier),
        goal_(goal),
        constraints_(constraints),
        options_(options),
        pool_(pool),
        beam_{Step{input, nobody_moves(input), 0,
                   judge({&input, 1}, classifier, goal, pool).front()}} {
    seen_.insert(shape_of(beam_.front()));
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
      // With many classes, what counts is to be ahead of the best other one.
      const auto nearer = [](const Step& a, const Step& b) {
        return a.judged.odds() > b.judged.odds();
      };
      std::partial_sort(next.begin(), next.begin() + static_cast<std::ptrdiff_t>(most), next.end(),
                        nearer);
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
      const Moves moves = moves_of(from);
      for (std::size_t m = 0; m < moves.size(); ++m) {
        Step step{apply_step(from.graph, moves[m]), followed(from.map, moves[m]),
                  from.edits + cost_of(moves[m])};
        if (!seen_.insert(shape_of(step)).second) continue;
        graphs.push_back(step.graph);
        out.push_back(std::move(step));
      }
    }
    const auto judged = judge(graphs, classifier_, goal_, pool_);
    for (std::size_t i = 0; i < out.size(); ++i) out[i].judged = judged[i];
    return out;
  }

  [[nodiscard]] Moves moves_of(const Step& step) const {
    NeighbourOptions options{.num_labels = classifier_.num_labels(), .frozen = {}};
    options.num_edge_labels = options_.num_edge_labels;
    if (options_.frozen.empty()) return moves(step.graph, options, constraints_);
    // Not std::vector<bool>, of which there are no spans.
    const auto flags = std::make_unique<bool[]>(step.graph.num_nodes());
    for (const Node u : options_.frozen) flags[step.map[u]] = true;
    options.frozen = {flags.get(), step.graph.num_nodes()};
    return moves(step.graph, options, constraints_);
  }

  /// Frozen nodes count as nodes of other labels: elsewhere, they leave other ways to go.
  [[nodiscard]] std::uint64_t shape_of(const Step& step) const {
    Graph graph = step.graph;
    const auto labels = static_cast<Label>(classifier_.num_labels());
    for (const Node u : options_.frozen) {
      const Node v = step.map[u];
      graph = graph.with_label(v, step.graph.label(v) + labels);
    }
    return shape_hash(graph);
  }

  void consider(const Step& step) {
    const Judgement& judged = step.judged;
    if (!judged.accepted) return;
    const auto rank = [](const Step& s) { return std::make_tuple(s.edits, -s.judged.probability); };
    if (best_ && rank(step) >= rank(*best_)) return;
    if (satisfies(step.graph, constraints_)) best_ = step;
  }

  [[nodiscard]] bool stopped() const {
    const auto* const stop = options_.ged.budget.stop;
    return stop != nullptr && stop->is_set();
  }

  const Classifier& classifier_;
  Goal goal_;
  const Constraints& constraints_;
  const LocalOptions& options_;
  ThreadPool& pool_;
  std::vector<Step> beam_;
  std::optional<Step> best_;
  std::unordered_set<std::uint64_t> seen_;
};

}  // namespace

LocalCounterfactual with_distance(const Graph& input, Graph found, NodeMap way,
                                  const Judgement& judged, const LocalOptions& options) {
  GedBounds distance = GedSolver(options.ged).exact(PreparedGraph(input), PreparedGraph(found));
  const std::int64_t cost = induced_cost(input, found, way, options.ged.costs);
  // The nearest way may go over frozen nodes; the one that was found does not.
  if (cost < distance.upper || !keeps(distance.map, input, found, options.frozen)) {
    distance.upper = cost;
    distance.map = std::move(way);
  }
  return {std::move(found), judged.probability, judged.lead(), std::move(distance)};
}

std::optional<LocalCounterfactual> local_counterfactual(
    const Graph& input, const Classifier& classifier, const Goal& goal,
    const Constraints& constraints, const LocalOptions& options, ThreadPool& pool) {
  auto best = Beam(input, classifier, goal, constraints, options, pool).run();
  if (!best) return std::nullopt;
  return with_distance(input, std::move(best->graph), std::move(best->map), best->judged, options);
}

}  // namespace fewedits
