// SPDX-License-Identifier: MIT
// The local view: an accepted graph as close as possible to one graph alone.
//
// A beam of graphs moves away from the input, one edit of the map at a time: those that the
// classifier likes best. The first accepted graphs are about the nearest there are; a few steps
// more see whether a leaf less (which counts two edits) makes up for a later one.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fewedits/classifier/classifier.hpp"
#include "fewedits/edit/constraints.hpp"
#include "fewedits/ged/solver.hpp"

namespace fewedits {

struct LocalOptions {
  std::size_t beam = 12;
  int steps = 8;  ///< of the edit map at most, each of one or two edits
  /// Nodes of the input that keep their labels and the edges among them, see NeighbourOptions;
  /// what is found has them all, where its map says.
  std::vector<Node> frozen;
  std::size_t num_edge_labels = 0;  ///< that edges may get; 0: they have none
  /// For the map to what was found; costs are 1, but for labels of edges. Its budget's `stop` ends
  /// the beam, too.
  GedOptions ged{.costs = {}, .effort = {}, .budget = {.work = 1'000'000}};
};

struct LocalCounterfactual {
  Graph graph;
  double probability = 0;  ///< of the desired class
  double lead = 0;         ///< over the next class
  /// Its map goes from the input to the graph; no map has a lower cost than `lower`, one that keeps
  /// the frozen nodes or not.
  GedBounds distance;
};

/// A graph that was found, with its distance from the input. `way` is a map to it that keeps the
/// frozen nodes; a map of lower cost is looked for.
LocalCounterfactual with_distance(const Graph& input, Graph found, NodeMap way,
                                  const Judgement& judged, const LocalOptions& options);

/// None if no step of the beam is accepted and allowed. `input` has edge labels if they count, and
/// all frozen nodes.
std::optional<LocalCounterfactual> local_counterfactual(
    const Graph& input, const Classifier& classifier, const Goal& goal,
    const Constraints& constraints, const LocalOptions& options, ThreadPool& pool);

}  // namespace fewedits
