// SPDX-License-Identifier: MIT
// Graphs measured anew: which of them the model accepts, how many inputs these cover, at what cost,
// and each input's recourse. Nothing of an explanation is believed but its graphs; maps that it
// brings along are replayed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fewedits/classifier/classifier.hpp"
#include "fewedits/distance/distance.hpp"
#include "fewedits/distance/distances.hpp"
#include "fewedits/explanation/explanation.hpp"
#include "fewedits/explanation/explanation_json.hpp"
#include "fewedits/graph/dataset.hpp"

namespace fewedits {

/// Graphs that the classifier rejects are no counterfactuals and left out.
struct Evaluation {
  std::vector<Judgement> judged;      ///< each graph
  std::vector<std::uint32_t> places;  ///< of the counterfactuals, among the graphs
  /// Theta, inputs, counterfactuals with covers and gain, recourse and metrics.
  Explanation result;
  // Under distances with proofs:
  CertifiedDistances proof;
  std::optional<Explanation> possible;  ///< if every distance were its lower bound
};

/// The theta that an explanation was made with, where it means something under a distance of that
/// name: the explanation's own, or both count edits.
std::optional<double> theta_of(const GraphList& list, const std::string& distance,
                               const DistanceKind& kind);

/// Coverage of its counterfactuals, at its theta, as another distance sees it, which is built on
/// its inputs.
double coverage_under(const Explanation& explanation, Distance& distance, ThreadPool& pool);

/// `distance` is built on the inputs, whose dataset indices are `inputs`, in any order. `known` are
/// maps of each graph, by index into the dataset; it may be empty.
Evaluation evaluate_graphs(std::span<const Graph> graphs, const Classifier& classifier,
                           const Goal& goal, std::vector<std::uint32_t> inputs, Distance& distance,
                           double theta, const ProvenPairs& known, ThreadPool& pool,
                           const DistanceWatch& watch = {});

}  // namespace fewedits
