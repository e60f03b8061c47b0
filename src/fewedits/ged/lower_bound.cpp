// SPDX-License-Identifier: MIT
#include "fewedits/ged/lower_bound.hpp"

#include <algorithm>

#include "fewedits/ged/match_problem.hpp"

namespace fewedits {
namespace {

std::int64_t total(const GraphProfile& a, const GraphProfile& b, const EditCosts& costs) {
  return std::int64_t{costs.delete_node} * a.nodes + std::int64_t{costs.insert_node} * b.nodes +
         std::int64_t{costs.delete_edge} * a.edges + std::int64_t{costs.insert_edge} * b.edges;
}

/// Size of the intersection of two multisets.
std::int64_t common(const LabelTally& a, const LabelTally& b) {
  std::int64_t count = 0;
  auto x = a.begin();
  auto y = b.begin();
  while (x != a.end() && y != b.end()) {
    if (x->first < y->first) {
      ++x;
    } else if (y->first < x->first) {
      ++y;
    } else {
      count += std::min(x++->second, y++->second);
    }
  }
  return count;
}

std::int64_t most_node_profit(const GraphProfile& a, const GraphProfile& b, const Profits& p) {
  const std::int64_t equal = common(a.labels, b.labels);
  const std::int64_t others = std::min(a.nodes, b.nodes) - equal;
  return equal * p.equal_node + others * std::max(0, p.other_node);
}

/// At most `pairs` edges of one graph can lie on edges of the other.
std::int64_t most_edge_profit(const GraphProfile& a, const GraphProfile& b, std::int64_t pairs,
                              const Profits& p) {
  if (p.equal_edge == p.other_edge) return pairs * p.equal_edge;
  const std::int64_t equal = std::min(pairs, common(a.edge_labels, b.edge_labels));
  return equal * p.equal_edge + (pairs - equal) * p.other_edge;
}

/// Nodes mapped in order of degree share the most half edges: Σ min of the sorted degrees, which
/// is Σ over t of the smaller number of nodes with degree above t.
std::int64_t most_common_edges(const GraphProfile& a, const GraphProfile& b) {
  std::int64_t halves = 0;
  const std::size_t top = std::min(a.degree_above.size(), b.degree_above.size());
  for (std::size_t t = 0; t < top; ++t) halves += std::min(a.degree_above[t], b.degree_above[t]);
  return halves / 2;
}

/// Largest profit of the half edges at two nodes, in halves of an edge.
std::int32_t star_profit(const MatchProblem& problem, Node i, Node u, std::vector<Label>& x,
                         std::vector<Label>& y) {
  const auto pairs =
      static_cast<std::int32_t>(std::min(problem.rows().degree(i), problem.columns().degree(u)));
  const Profits& p = problem.profits();
  if (!problem.edge_labels_count()) return pairs * p.equal_edge;
  const auto sorted_labels = [](const Graph& g, Node v, std::vector<Label>& to) {
    const auto labels = g.edge_labels(v);
    to.assign(labels.begin(), labels.end());
    to.resize(g.degree(v), 0);
    std::sort(to.begin(), to.end());
  };
  sorted_labels(problem.rows(), i, x);
  sorted_labels(problem.columns(), u, y);
  std::int32_t equal = 0;
  for (std::size_t s = 0, t = 0; s < x.size() && t < y.size();) {
    if (x[s] == y[t]) ++equal;
    const bool next_x = x[s] <= y[t];
    const bool next_y = y[t] <= x[s];
    s += next_x ? 1 : 0;
    t += next_y ? 1 : 0;
  }
  return equal * p.equal_edge + (pairs - equal) * p.other_edge;
}

}  // namespace

std::int64_t size_bound(const GraphProfile& a, const GraphProfile& b, const EditCosts& costs) {
  const Profits p(costs);
  const std::int64_t nodes = std::min(a.nodes, b.nodes);
  const std::int64_t edges = std::min(a.edges, b.edges);
  return total(a, b, costs) - nodes * p.equal_node - edges * p.equal_edge;
}

std::int64_t label_bound(const GraphProfile& a, const GraphProfile& b, const EditCosts& costs) {
  const Profits p(costs);
  return total(a, b, costs) - most_node_profit(a, b, p) -
         most_edge_profit(a, b, std::min(a.edges, b.edges), p);
}

std::int64_t degree_bound(const GraphProfile& a, const GraphProfile& b, const EditCosts& costs) {
  const Profits p(costs);
  return total(a, b, costs) - most_node_profit(a, b, p) -
         most_edge_profit(a, b, most_common_edges(a, b), p);
}

std::int64_t branch_bound(const PreparedGraph& a, const PreparedGraph& b, const EditCosts& costs,
                          Allowance* allowance) {
  const std::int64_t by_degrees = degree_bound(a.profile(), b.profile(), costs);
  const MatchProblem problem(a, b, costs);
  const std::size_t rows = problem.num_rows();
  const std::size_t columns = problem.num_columns();
  const Profits& p = problem.profits();
  const auto degree = static_cast<std::int64_t>(
      std::min(a.profile().degree_above.size(), b.profile().degree_above.size()));
  const std::int64_t largest =
      std::int64_t{2} * std::max(p.equal_node, -p.other_node) + degree * p.equal_edge;
  if (largest > Assignment::largest_entry(rows)) return by_degrees;
  // In halves, so that half an edge is a whole number.
  thread_local std::vector<Assignment::Cost> cost;
  thread_local std::vector<Assignment::Cost> skip;
  thread_local std::vector<Label> x;
  thread_local std::vector<Label> y;
  thread_local Assignment assignment;
  cost.resize(rows * columns);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t u = 0; u < columns; ++u) {
      const auto row = static_cast<Node>(i);
      const auto column = static_cast<Node>(u);
      cost[i * columns + u] =
          -2 * problem.node_profit(row, column) - star_profit(problem, row, column, x, y);
    }
  }
  skip.assign(problem.may_skip() ? rows : 0, 0);
  if (!assignment.solve({rows, columns, cost.data(), skip}, Assignment::Start::kCold, allowance)) {
    return by_degrees;
  }
  const std::int64_t twice = 2 * problem.total() + assignment.total();
  const std::int64_t grain = problem.grain();
  const std::int64_t bound = (twice + 1) / 2 * grain;
  // Not always the larger one: halves of edges can be claimed by nodes whose labels differ.
  return std::max(bound, by_degrees);
}

}  // namespace fewedits
