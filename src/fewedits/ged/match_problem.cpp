// SPDX-License-Identifier: MIT
#include "fewedits/ged/match_problem.hpp"

#include <numeric>

namespace fewedits {
namespace {

std::int64_t grain_of(const EditCosts& c) {
  std::int64_t grain = 0;
  for (const std::int32_t cost : {c.insert_node, c.delete_node, c.relabel_node, c.insert_edge,
                                  c.delete_edge, c.relabel_edge}) {
    grain = std::gcd(grain, std::int64_t{cost});
  }
  return std::max<std::int64_t>(1, grain);
}

EditCosts divided(EditCosts c, std::int32_t by) {
  for (std::int32_t* cost : {&c.insert_node, &c.delete_node, &c.relabel_node, &c.insert_edge,
                             &c.delete_edge, &c.relabel_edge}) {
    *cost /= by;
  }
  return c;
}

}  // namespace

MatchProblem::MatchProblem(const PreparedGraph& a, const PreparedGraph& b, const EditCosts& costs)
    : grain_(grain_of(costs)),
      profits_(divided(costs, static_cast<std::int32_t>(grain_))),
      swapped_(a.graph().num_nodes() > b.graph().num_nodes()),
      rows_(swapped_ ? &b : &a),
      columns_(swapped_ ? &a : &b),
      total_(largest_distance(a.graph(), b.graph(), costs) / grain_) {}

std::int64_t MatchProblem::cost(Columns map) const {
  std::int64_t saved = 0;
  for (Node i = 0; i < rows().num_nodes(); ++i) {
    if (map[i] == kSkipped) continue;
    const auto u = static_cast<Node>(map[i]);
    saved += node_profit(i, u);
    for (const Node j : rows().neighbours(i)) {
      if (j > i || map[j] == kSkipped) continue;
      const auto v = static_cast<Node>(map[j]);
      if (columns().has_edge(u, v)) {
        saved += edge_profit(rows().edge_label(i, j), columns().edge_label(u, v));
      }
    }
  }
  return (total_ - saved) * grain_;
}

NodeMap MatchProblem::node_map(Columns map) const {
  NodeMap result(rows().num_nodes(), kUnmatched);
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (map[i] != kSkipped) result[i] = static_cast<Node>(map[i]);
  }
  return swapped_ ? inverse_map(result, columns().num_nodes()) : result;
}

void MatchProblem::columns_of(std::span<const Node> map, std::vector<std::int32_t>& out) const {
  out.assign(num_rows(), kSkipped);
  for (std::size_t i = 0; i < map.size(); ++i) {
    if (map[i] == kUnmatched) continue;
    if (swapped_) {
      out[map[i]] = static_cast<std::int32_t>(i);
    } else {
      out[i] = static_cast<std::int32_t>(map[i]);
    }
  }
}

}  // namespace fewedits
