// SPDX-License-Identifier: MIT
// What all parts of the certified search share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fewedits/base/stop_sign.hpp"
#include "fewedits/classifier/classifier.hpp"
#include "fewedits/edit/constraints.hpp"
#include "fewedits/edit/moves.hpp"
#include "fewedits/ged/prepared_graph.hpp"
#include "fewedits/proof/edit_costs.hpp"

namespace fewedits {

struct ClimbOptions {
  double theta = 0.1;
  std::uint64_t work = 1'900'000'000;  ///< in units of GedBudget
  std::uint64_t seed = 1;
  /// Ends once nothing was gained during that share of the work; 0: never.
  double patience = 0;
  /// Side by side; one batch of the classifier answers all of them.
  std::size_t climbs = 8;
  /// Candidates to hand out beside the set; see CertifiedResult.
  std::size_t shortlist = 0;
};

struct SearchSpace {
  std::span<const PreparedGraph> inputs;
  const Classifier& classifier;
  Goal goal;
  const Constraints& constraints;
  ClimbOptions options;
  const StopSign* stop = nullptr;   ///< ends steps in the middle
  EditCosts costs = {};             ///< 1 each, but for labels of edges
  std::size_t num_edge_labels = 0;  ///< that edges may get; 0: they have none

  [[nodiscard]] Moves moves_of(const Graph& graph) const {
    // Symmetric edits lead to one graph, but not by one map.
    NeighbourOptions what{classifier.num_labels(), {}, false};
    what.num_edge_labels = num_edge_labels;
    return moves(graph, what, constraints);
  }
  /// The largest distance within theta.
  [[nodiscard]] std::int64_t limit(const PreparedGraph& graph, const PreparedGraph& input) const {
    return distance_limit(options.theta, graph.graph(), input.graph(), costs);
  }
};

}  // namespace fewedits
