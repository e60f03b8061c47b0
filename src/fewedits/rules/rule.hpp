// SPDX-License-Identifier: MIT
// A rule: this piece of a graph becomes that piece. One small graph holds both: each of its nodes
// and edges has a label before and one after, and one of the two may be missing. What has a label
// before is the pattern L, what has one after is the pattern R, and what has both is the map
// between them (docs/adr/0020).
//
// Nodes that stay as they are, and have only edges that do, are the rule's context: they say where
// it applies.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "fewedits/graph/graph.hpp"

namespace fewedits {

/// Instead of a label: it is not there before, or not after.
inline constexpr Label kAbsent = std::numeric_limits<Label>::max();

struct RuleNode {
  Label before = kAbsent;
  Label after = kAbsent;
  [[nodiscard]] bool comes() const { return before == kAbsent; }
  [[nodiscard]] bool goes() const { return after == kAbsent; }
  [[nodiscard]] bool changes() const { return before != after; }
  friend bool operator==(const RuleNode&, const RuleNode&) = default;
  friend auto operator<=>(const RuleNode&, const RuleNode&) = default;
};

struct RuleEdge {
  Node u = 0;  ///< u < v
  Node v = 0;
  Label before = kAbsent;
  Label after = kAbsent;
  [[nodiscard]] bool comes() const { return before == kAbsent; }
  [[nodiscard]] bool goes() const { return after == kAbsent; }
  [[nodiscard]] bool changes() const { return before != after; }
  friend bool operator==(const RuleEdge&, const RuleEdge&) = default;
  friend auto operator<=>(const RuleEdge&, const RuleEdge&) = default;
};

/// Immutable, and in canonical order: rules that differ by the numbers of their nodes are equal.
class Rule {
 public:
  static constexpr std::size_t kMostBefore = 8;  ///< nodes of L
  static constexpr std::size_t kMostNodes = 16;  ///< of L and R together

  /// In any order. Throws Error for what is no rule: L must be connected and neither too large nor
  /// empty, something must change and something stay, a node that comes must hang on one that
  /// stays by edges that come, and the edges of a node that goes must go. Edges have the label 0 in
  /// graphs without labels of edges.
  Rule(std::vector<RuleNode> nodes, std::vector<RuleEdge> edges);

  [[nodiscard]] const std::vector<RuleNode>& nodes() const { return nodes_; }
  /// Ascending by their ends.
  [[nodiscard]] const std::vector<RuleEdge>& edges() const { return edges_; }
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }

  /// Nodes of L.
  [[nodiscard]] std::size_t nodes_before() const { return nodes_before_; }
  /// Edits that it makes: another label, a node or an edge that comes or goes, 1 each.
  [[nodiscard]] int cost() const { return cost_; }
  /// How much larger |V| + |E| becomes.
  [[nodiscard]] int size_change() const { return size_change_; }
  /// May a graph fall apart? Only where an edge or a node goes.
  [[nodiscard]] bool removes() const { return removes_; }

  /// The way back. Throws Error if that is no rule (R is not connected, or too large).
  [[nodiscard]] Rule inverse() const;

  /// L and R as graphs, for those who count them; nodes keep their order.
  [[nodiscard]] Graph left(Graph::EdgeLabels edge_labels) const;
  [[nodiscard]] Graph right(Graph::EdgeLabels edge_labels) const;

  friend bool operator==(const Rule& a, const Rule& b) {
    return a.nodes_ == b.nodes_ && a.edges_ == b.edges_;
  }
  /// Some order, the same everywhere.
  friend bool operator<(const Rule& a, const Rule& b) {
    return a.nodes_ != b.nodes_ ? a.nodes_ < b.nodes_ : a.edges_ < b.edges_;
  }

 private:
  void check() const;
  void bring_to_canonical_order();

  std::vector<RuleNode> nodes_;
  std::vector<RuleEdge> edges_;
  std::size_t nodes_before_ = 0;
  int cost_ = 0;
  int size_change_ = 0;
  bool removes_ = false;
};

/// Can the rule be one of graphs with so many labels? Those without labels of edges have 0.
bool fits_labels(const Rule& rule, std::size_t node_labels, std::size_t edge_labels);

/// What changes and nothing else: the rule without its context, in canonical order, which is the
/// same whatever the context. `node_of`: the rule's node of each.
struct RuleChange {
  std::vector<RuleNode> nodes;
  std::vector<RuleEdge> edges;
  std::vector<Node> node_of;
};
RuleChange change_of(const Rule& rule);

}  // namespace fewedits
