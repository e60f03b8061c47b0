// SPDX-License-Identifier: MIT
#include "support/yardstick.hpp"

#include <algorithm>

#include "fewedits/distance/greed_distance.hpp"
#include "fewedits/explanation/proofs.hpp"
#include "fewedits/ged/batch.hpp"

namespace fewedits::bench {
namespace {

/// Nothing of the explanation but its graphs.
Explanation bare(const std::vector<Graph>& graphs, double theta,
                 const std::vector<std::uint32_t>& inputs) {
  Explanation out;
  out.theta = theta;
  out.inputs = inputs;
  for (const Graph& graph : graphs) out.counterfactuals.emplace_back().graph = graph;
  return out;
}

}  // namespace

Yardstick::Yardstick(const Published& models, ThreadPool& pool, std::uint64_t prove_work)
    : models_(models),
      pool_(pool),
      inputs_(rejected_graphs(models.data, *models.classifier, pool).rejected),
      greed_(make_greed_distance(without_edge_labels(models.data, inputs_), models.greed, pool)),
      prepared_(prepare_graphs(greed_->graphs(), pool)) {
  certified_.ged.budget.work = prove_work;
}

Figures Yardstick::measure(const Explanation& explanation) {
  std::vector<Graph> graphs;
  for (const Counterfactual& c : explanation.counterfactuals) graphs.push_back(c.graph);
  check(graphs);
  Explanation result = bare(graphs, certified_.theta, inputs_);
  const auto metrics = [&](const std::vector<std::vector<double>>& distances) {
    fill_metrics(distances, result);
    return result.metrics;
  };
  ProvenPairs known;
  for (const Counterfactual& c : explanation.counterfactuals) known.push_back(c.proofs);
  const CertifiedDistances proofs =
      certified_distances(graphs, prepared_, certified_, pool_, {}, by_place(known, inputs_));
  const Metrics proven = metrics(proofs.normalized_upper());
  return {100 * metrics(greed_->rows(graphs, pool_)).coverage, 100 * proven.coverage,
          100 * metrics(proofs.normalized_lower()).coverage, proven.cost_median, proven};
}

void Yardstick::check(const std::vector<Graph>& counterfactuals) const {
  const auto judged = judge(counterfactuals, *models_.classifier, models_.desired_class(), pool_);
  const bool fine =
      std::all_of(judged.begin(), judged.end(), [](const Judgement& j) { return j.accepted; });
  if (!fine) throw Error("the classifier rejects a counterfactual: it is none");
}

}  // namespace fewedits::bench
