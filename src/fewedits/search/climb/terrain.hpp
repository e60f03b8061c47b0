// SPDX-License-Identifier: MIT
// What all parts of the certified search share.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "fewedits/classifier/classifier.hpp"
#include "fewedits/edit/constraints.hpp"
#include "fewedits/edit/neighbours.hpp"
#include "fewedits/ged/prepared_graph.hpp"
#include "fewedits/search/improve/refine.hpp"

namespace fewedits {

struct Terrain {
  std::span<const PreparedGraph> inputs;
  const Classifier& classifier;
  std::size_t desired_class;
  const Constraints& constraints;
  RefineOptions options;

  [[nodiscard]] std::vector<Edit> neighbours_of(const Graph& graph) const {
    // Symmetric edits lead to one graph, but not by one map.
    return neighbours(graph, {classifier.num_labels(), {}, false}, constraints);
  }
  /// The largest distance within theta.
  [[nodiscard]] std::int64_t limit(const PreparedGraph& graph, const PreparedGraph& input) const {
    return distance_limit(options.theta, graph.graph(), input.graph());
  }
};

}  // namespace fewedits
