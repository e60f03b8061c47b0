// SPDX-License-Identifier: MIT
// One occurrence of a rule, carried out: the graph that comes of it, and whether it counts.
#pragma once

#include <memory>
#include <optional>

#include "fewedits/edit/constraints.hpp"
#include "fewedits/edit/edit.hpp"
#include "fewedits/rules/neighbourhoods.hpp"
#include "fewedits/rules/occurrences.hpp"

namespace fewedits {

/// What a rewritten graph has to be.
struct RewriteLimits {
  /// Set `connected` to false where graphs may have several parts: a result may have as many as the
  /// graph that it comes from.
  Constraints constraints = {};
  /// Edits of the rule over the sizes of both graphs are at most this.
  double theta = 0.1;
  /// Plausible results only: every neighbourhood is one of these. Null: any.
  std::shared_ptr<const KnownNeighbourhoods> known = nullptr;
};

/// Nodes keep their order; those that come are last, in the rule's order.
Graph rewritten(const Graph& graph, const Rule& rule, const Image& image);

/// The rule as one edit, where it is one: that makes the same graph.
std::optional<Edit> as_single_edit(const Graph& graph, const Rule& rule, const Image& image);

std::size_t num_components(const Graph& graph);

/// Are the edits few enough for graphs of that size? `size`: |V| + |E| of the graph.
bool is_within(double theta, const Rule& rule, std::size_t size);
/// All but theta. `components`: of the graph that `result` comes from.
bool is_allowed(const Graph& result, const Rule& rule, const RewriteLimits& limits,
                std::size_t components);

}  // namespace fewedits
