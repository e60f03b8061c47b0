// SPDX-License-Identifier: MIT
// Random pairs of graphs, cost models of every kind, and the distance by brute force.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fewedits/proof/certificate.hpp"
#include "fewedits/proof/node_map.hpp"
#include "support/shared.hpp"

namespace fewedits::test {

// ---- Costs --------------------------------------------------------------------------------

enum class CostKind {
  kUnit,        ///< SPEC §4
  kUnitBonds,   ///< and labels of edges count
  kMetric,      ///< relabelling never costs more than deleting and inserting
  kDear,        ///< relabelling always does: leaving a node out can pay
  kFree,        ///< most edits cost nothing
  kAsymmetric,  ///< insertion and deletion cost different amounts
  kAny
};
inline constexpr CostKind kCostKinds[] = {
    CostKind::kUnit, CostKind::kUnitBonds,  CostKind::kMetric, CostKind::kDear,
    CostKind::kFree, CostKind::kAsymmetric, CostKind::kAny};

inline std::string name_of(const testing::TestParamInfo<CostKind>& info) {
  static constexpr const char* kNames[] = {"unit", "unit_bonds", "metric", "dear",
                                           "free", "asymmetric", "any"};
  return kNames[static_cast<std::size_t>(info.param)];
}

/// The costs of the way back: insertions and deletions change places.
inline EditCosts reversed(EditCosts costs) {
  std::swap(costs.insert_node, costs.delete_node);
  std::swap(costs.insert_edge, costs.delete_edge);
  return costs;
}

inline EditCosts random_costs(Rng& rng, CostKind kind) {
  const auto between = [&](int low, int high) {
    return low + static_cast<std::int32_t>(rng.below(static_cast<std::uint64_t>(high - low + 1)));
  };
  EditCosts c;
  switch (kind) {
    case CostKind::kUnit: break;
    case CostKind::kUnitBonds: c.relabel_edge = 1; break;
    case CostKind::kMetric:
      c.insert_node = c.delete_node = between(1, 6);
      c.insert_edge = c.delete_edge = between(1, 6);
      c.relabel_node = between(1, 2 * c.insert_node);
      c.relabel_edge = between(0, 2 * c.insert_edge);
      break;
    case CostKind::kDear:
      c.insert_node = between(0, 2);
      c.delete_node = between(0, 2);
      c.relabel_node = c.insert_node + c.delete_node + between(1, 5);
      c.relabel_edge = between(0, 5);
      break;
    case CostKind::kFree:
      for (auto* cost : {&c.insert_node, &c.delete_node, &c.relabel_node, &c.insert_edge,
                         &c.delete_edge, &c.relabel_edge}) {
        *cost = rng.chance(0.6) ? 0 : between(1, 3);
      }
      break;
    case CostKind::kAsymmetric:
      c = {between(0, 9), between(0, 9), between(0, 9), between(0, 9), between(0, 9), 0};
      break;
    case CostKind::kAny:
      for (auto* cost : {&c.insert_node, &c.delete_node, &c.relabel_node, &c.insert_edge,
                         &c.delete_edge, &c.relabel_edge}) {
        static constexpr std::int32_t kChoices[] = {0, 1, 1, 2, 3, 7, 50, 1000};
        *cost = kChoices[rng.below(std::size(kChoices))];
      }
      break;
  }
  return c;
}

// ---- Graphs -------------------------------------------------------------------------------

/// least…most nodes; a tree and more, sometimes in pieces; with or without labels of edges.
inline Graph random_part(Rng& rng, std::size_t least, std::size_t most) {
  const auto nodes = static_cast<Node>(least + rng.below(most - least + 1));
  const auto labels = static_cast<Label>(1 + rng.below(4));
  Graph g = random_graph(rng, nodes, rng.below(nodes + 1), labels, rng.chance(0.5) ? 3 : 0);
  if (rng.chance(0.7)) return g;
  for (const Edge& e : g.edges()) {
    if (rng.chance(0.4)) g = g.without_edge(e.u, e.v);
  }
  return g;
}

/// One edit at unit cost: another label, an edge more or less, an isolated node more or less.
inline Graph edited(Rng& rng, const Graph& g, Label labels) {
  const Node n = g.num_nodes();
  for (;;) {
    const auto u = static_cast<Node>(rng.below(n));
    const auto v = static_cast<Node>(rng.below(n));
    const auto label = static_cast<Label>(rng.below(labels));
    switch (rng.below(5)) {
      case 0:
        if (g.label(u) != label) return g.with_label(u, label);
        break;
      case 1:
        if (u != v && !g.has_edge(u, v)) return g.with_edge(u, v);
        break;
      case 2:
        if (g.has_edge(u, v)) return g.without_edge(u, v);
        break;
      case 3:
        if (g.degree(u) == 0 && n > 1) return g.without_node(u);
        break;
      default: {
        std::vector<Label> all(g.labels().begin(), g.labels().end());
        all.push_back(label);
        return {all, g.edges(),
                g.has_edge_labels() ? Graph::EdgeLabels::kPresent : Graph::EdgeLabels::kAbsent};
      }
    }
  }
}

inline Graph shuffled(Rng& rng, const Graph& g) {
  return g.permuted(random_permutation(rng, g.num_nodes()));
}

inline Graph path(Node nodes, Label label = 0) {
  std::vector<Edge> edges;
  for (Node v = 1; v < nodes; ++v) edges.push_back({v - 1, v, 0});
  return {std::vector<Label>(nodes, label), edges};
}
inline Graph cycle(Node nodes) { return path(nodes).with_edge(0, nodes - 1); }
inline Graph star(Node leaves) {
  std::vector<Edge> edges;
  for (Node v = 1; v <= leaves; ++v) edges.push_back({0, v, 0});
  return {std::vector<Label>(leaves + 1, 0), edges};
}
inline Graph complete(Node nodes) {
  std::vector<Edge> edges;
  for (Node v = 1; v < nodes; ++v) {
    for (Node u = 0; u < v; ++u) edges.push_back({u, v, 0});
  }
  return {std::vector<Label>(nodes, 0), edges};
}

// ---- Brute force --------------------------------------------------------------------------

/// May node i of a become u (kUnmatched: be deleted)?
using Allowed = std::function<bool(Node i, Node u)>;

/// The least cost over all injective partial maps, by trying them and adding up edits one by one.
class BruteForce {
 public:
  BruteForce(const Graph& a, const Graph& b, const EditCosts& costs, Allowed allowed = {})
      : a_(a), b_(b), costs_(costs), allowed_(std::move(allowed)), used_(b.num_nodes(), false) {
    place(0);
  }
  /// Nothing if no map is allowed.
  [[nodiscard]] std::optional<std::int64_t> best() const { return best_; }

 private:
  void place(std::int64_t cost) {
    if (best_ && cost >= *best_) return;  // no edit has a negative cost
    const auto i = static_cast<Node>(map_.size());
    if (i == a_.num_nodes()) {
      cost += insertions();
      if (!best_ || cost < *best_) best_ = cost;
      return;
    }
    for (Node u = 0; u <= b_.num_nodes(); ++u) {
      const Node image = u == b_.num_nodes() ? kUnmatched : u;
      if ((image != kUnmatched && used_[image]) || (allowed_ && !allowed_(i, image))) continue;
      if (image != kUnmatched) used_[image] = true;
      const std::int64_t price = price_of(i, image);
      map_.push_back(image);
      place(cost + price);
      map_.pop_back();
      if (image != kUnmatched) used_[image] = false;
    }
  }

  /// Of node i with its edges to the nodes placed before it.
  [[nodiscard]] std::int64_t price_of(Node i, Node image) const {
    std::int64_t price = costs_.delete_node;
    if (image != kUnmatched) price = a_.label(i) == b_.label(image) ? 0 : costs_.relabel_node;
    for (Node j = 0; j < map_.size(); ++j) {
      const bool before = a_.has_edge(i, j);
      const bool after =
          image != kUnmatched && map_[j] != kUnmatched && b_.has_edge(image, map_[j]);
      if (before && !after) price += costs_.delete_edge;
      if (!before && after) price += costs_.insert_edge;
      if (before && after && a_.edge_label(i, j) != b_.edge_label(image, map_[j])) {
        price += std::min(costs_.relabel_edge, costs_.delete_edge + costs_.insert_edge);
      }
    }
    return price;
  }

  [[nodiscard]] std::int64_t insertions() const {
    std::int64_t price = 0;
    for (const bool used : used_) price += used ? 0 : costs_.insert_node;
    for (const Edge& e : b_.edges()) price += used_[e.u] && used_[e.v] ? 0 : costs_.insert_edge;
    return price;
  }

  const Graph& a_;
  const Graph& b_;
  EditCosts costs_;
  Allowed allowed_;
  std::vector<bool> used_;
  NodeMap map_;
  std::optional<std::int64_t> best_;
};

inline std::int64_t brute_force(const Graph& a, const Graph& b, const EditCosts& costs = {}) {
  return BruteForce(a, b, costs).best().value();
}

// ---- Claims -------------------------------------------------------------------------------

/// The map is one, costs what is claimed, and its script carries a into b for no more.
inline void expect_certified(const Graph& a, const Graph& b, const NodeMap& map, std::int64_t cost,
                             const EditCosts& costs) {
  ASSERT_TRUE(is_node_map(a, b, map));
  EXPECT_EQ(induced_cost(a, b, map, costs), cost);
  const Verdict verdict = check_certificate(a, b, edit_script(a, b, map, costs), costs, cost);
  EXPECT_TRUE(verdict.holds) << verdict.reason;
  EXPECT_EQ(verdict.cost, cost);
}

}  // namespace fewedits::test
