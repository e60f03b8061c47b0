// SPDX-License-Identifier: MIT
#include "workload.hpp"

#include "fewedits/base/rng.hpp"
#include "fewedits/distance/greed_distance.hpp"
#include "fewedits/search/walk/walk.hpp"

namespace fewedits::bench {
namespace {

/// Notes what it is asked and lets another one answer.
class Recorder final : public Evaluator {
 public:
  explicit Recorder(Evaluator& behind) : behind_(behind) {}

  [[nodiscard]] Distance& distance() override { return behind_.distance(); }
  Neighbourhood evaluate(const Graph& graph, std::span<const Edit> edits, double theta,
                         ThreadPool& pool) override {
    asked.push_back({graph, {edits.begin(), edits.end()}});
    return behind_.evaluate(graph, edits, theta, pool);
  }
  std::vector<Judgement> judge(std::span<const Graph> graphs, ThreadPool& pool) override {
    return behind_.judge(graphs, pool);
  }

  std::vector<Expansion> asked;

 private:
  Evaluator& behind_;
};

}  // namespace

std::unique_ptr<Distance> greed_of(const Published& models, ThreadPool& pool) {
  const RejectedGraphs graphs = rejected_graphs(models.data, *models.classifier, pool);
  return make_greed_distance(without_edge_labels(models.data, graphs.rejected), models.greed, pool);
}

ModelEvaluator evaluator_of(const Published& models, Distance& distance) {
  return {*models.classifier, models.desired_class(), distance};
}

std::vector<Expansion> expansions(Evaluator& evaluator, std::size_t num_labels, std::size_t count,
                                  ThreadPool& pool) {
  Recorder recorder(evaluator);
  const Constraints constraints;
  Walk walk(recorder, constraints, num_labels, {});
  while (recorder.asked.size() < count) walk.step(pool);
  return std::move(recorder.asked);
}

std::vector<Expansion> drawn(std::vector<Expansion> from, std::size_t entries) {
  if (entries == 0) return from;
  Rng rng(1);
  rng.shuffle(std::span(from));
  std::vector<Expansion> out;
  for (Expansion& e : from) {
    if (e.entries() > entries) continue;
    entries -= e.entries();
    out.push_back(std::move(e));
  }
  return out;
}

std::vector<Graph> entries_of(std::span<const Expansion> expansions) {
  std::vector<Graph> graphs;
  for (const Expansion& e : expansions) {
    graphs.push_back(e.graph);
    for (const Edit& edit : e.edits) graphs.push_back(apply(e.graph, edit));
  }
  return graphs;
}

}  // namespace fewedits::bench
