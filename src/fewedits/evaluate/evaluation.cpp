// SPDX-License-Identifier: MIT
#include "fewedits/evaluate/evaluation.hpp"

#include <cassert>
#include <utility>

#include "fewedits/explanation/proofs.hpp"

namespace fewedits {

std::optional<double> theta_of(const GraphList& list, const std::string& distance,
                               const DistanceKind& kind) {
  const bool same_scale =
      list.distance == distance || (kind.counts_edits && list.meaning != DistanceMeaning::kOther);
  return same_scale ? list.theta : std::nullopt;
}

double coverage_under(const Explanation& explanation, Distance& distance, ThreadPool& pool) {
  assert(explanation.inputs.size() == distance.graphs().size());
  Explanation measured;
  measured.theta = explanation.theta;
  measured.inputs = explanation.inputs;
  measured.counterfactuals = explanation.counterfactuals;
  std::vector<Graph> graphs;
  for (const Counterfactual& c : explanation.counterfactuals) graphs.push_back(c.graph);
  fill_metrics(distance.rows(graphs, pool), measured);
  return measured.metrics.coverage;
}

Evaluation evaluate_graphs(std::span<const Graph> graphs, const Classifier& classifier,
                           const Goal& goal, std::vector<std::uint32_t> inputs, Distance& distance,
                           double theta, const ProvenPairs& known, ThreadPool& pool,
                           const DistanceWatch& watch) {
  assert(inputs.size() == distance.graphs().size());
  Evaluation out;
  out.judged = judge(graphs, classifier, goal, pool);
  std::vector<Graph> accepted;
  ProvenPairs maps;
  for (std::uint32_t i = 0; i < out.judged.size(); ++i) {
    if (!out.judged[i].accepted) continue;
    out.places.push_back(i);
    accepted.push_back(graphs[i]);
    if (!known.empty()) maps.push_back(known[i]);
    Counterfactual& c = out.result.counterfactuals.emplace_back();
    c.graph = graphs[i];
    c.probability = out.judged[i].probability;
    c.lead = out.judged[i].lead();
  }
  out.result.theta = theta;
  out.result.inputs = std::move(inputs);
  Prover* prover = distance.prover();
  if (prover == nullptr) {
    fill_metrics(distance.rows(accepted, pool), out.result);
    return out;
  }
  out.proof = prover->prove(accepted, by_place(maps, out.result.inputs), pool, watch);
  out.possible = out.result;
  fill_metrics(out.proof.normalized_upper(), out.result);
  fill_metrics(out.proof.normalized_lower(), *out.possible);
  return out;
}

}  // namespace fewedits
