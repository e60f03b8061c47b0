// SPDX-License-Identifier: MIT
// Where a rule applies in a graph.
//
// An occurrence is a map of L into the graph, one to one, that keeps labels of nodes and edges. The
// graph may have more edges between the images than L has (as in SMARTS), but for two things: where
// an edge comes there must be none yet, and a node that goes must have no other edges.
//
// A place is what one would change. Occurrences that differ by their context alone, or by a
// symmetry of the change, change the same nodes in the same way: they are one place. So are those
// that differ by leaves that are alike (the hydrogens of an atom). Other symmetries of the graph
// are not looked for: the six positions of a ring are six places.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "fewedits/rules/rule.hpp"

namespace fewedits {

/// For each node of the rule, the node of the graph; kNoNode for those that come.
using Image = std::array<Node, Rule::kMostNodes>;
inline constexpr Node kNoNode = std::numeric_limits<Node>::max();

/// What a place is told by: the images of the nodes that change, in the order of the change, each
/// by the first leaf that is like it; of all symmetric ones, the least. kNoNode at the end.
using PlaceKey = std::array<Node, Rule::kMostBefore>;

struct Place {
  PlaceKey key = {};
  Image image = {};  ///< one of its occurrences
};

/// For every leaf the least leaf with its label, at the same node by an edge of the same label; for
/// other nodes themselves.
std::vector<Node> first_twins(const Graph& graph);

/// A rule, made ready for being looked for. Immutable; any thread may ask.
class RuleMatcher {
 public:
  explicit RuleMatcher(Rule rule);

  [[nodiscard]] const Rule& rule() const { return rule_; }

  /// Could it occur, by the labels of L? `labels`: how many nodes of the graph have each.
  [[nodiscard]] bool may_occur(std::span<const std::uint32_t> labels) const;

  /// Every occurrence in turn, until the visitor says no.
  void visit(const Graph& graph, const std::function<bool(const Image&)>& visitor) const;
  [[nodiscard]] bool occurs_in(const Graph& graph) const;

  /// `twins`: first_twins(graph).
  [[nodiscard]] PlaceKey key_of(const Image& image, std::span<const Node> twins) const;
  /// Ascending by their keys.
  [[nodiscard]] std::vector<Place> places(const Graph& graph, std::span<const Node> twins) const;

 private:
  /// An edge from the node that is placed to one that was placed before.
  struct Back {
    Node to = 0;
    Label label = 0;
    bool comes = false;
  };
  struct Step {
    Node node = 0;
    Label label = 0;
    std::size_t degree = 0;  ///< edges of L at it
    bool goes = false;
    std::size_t from = kStart;  ///< place in `back` of an edge of L; kStart: the first node
    std::vector<Back> back;
  };
  static constexpr std::size_t kStart = static_cast<std::size_t>(-1);

  struct Search;
  void order_nodes();
  void find_symmetries();

  Rule rule_;
  RuleChange change_;            ///< nodes of L that change, first
  std::vector<Node> key_nodes_;  ///< of the rule: those of the change that are in L
  /// Symmetries of the change, as orders of key_nodes_; the first is the identity.
  std::vector<std::vector<std::size_t>> symmetries_;
  std::vector<Step> steps_;
  std::vector<std::pair<Label, std::uint32_t>> needs_;  ///< nodes of L, by label
};

/// How many nodes have each label, up to the largest.
std::vector<std::uint32_t> label_counts(const Graph& graph);

/// Is the image an occurrence? Asked of each node and edge of L by itself, without a search.
bool is_occurrence(const Graph& graph, const Rule& rule, const Image& image);

/// Does L of some rule, or any connected pattern, occur in the graph? As above, without the two
/// exceptions: patterns are only looked for. Edges' labels count if both have some.
bool has_pattern(const Graph& graph, const Graph& pattern);

}  // namespace fewedits
