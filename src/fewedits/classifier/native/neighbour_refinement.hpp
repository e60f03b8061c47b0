// SPDX-License-Identifier: MIT
// The refinement of a graph and of its neighbours in the edit map taken together. An edit changes
// what a node sees within l hops only if the node is within l hops of it: those nodes are
// refined anew for each neighbour, all others are as in the graph. Internal to classifier/native.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fewedits/classifier/native/refinement.hpp"
#include "fewedits/edit/edit.hpp"

namespace fewedits {

class NeighbourRefinement {
 public:
  using Indices = Refinement::Indices;
  /// of_node: the graph's own nodes.
  using Level = Refinement::Level;

  /// A list of classes for each edit: those of edit e are classes[offsets[e]] …
  /// classes[offsets[e+1]-1].
  struct Lists {
    Indices offsets;
    Indices classes;
  };

  /// Levels 0 to `rounds`. The edits must fit the graph.
  void run(const Graph& graph, std::span<const Edit> edits, std::size_t rounds);

  [[nodiscard]] const Level& level(std::size_t l) const { return levels_[l]; }
  /// Neighbour e has the graph's nodes without those of the classes gone(l), with others of the
  /// classes come(l).
  [[nodiscard]] const Lists& gone(std::size_t l) const { return gone_[l]; }
  [[nodiscard]] const Lists& come(std::size_t l) const { return come_[l]; }

 private:
  static constexpr Node kNone = static_cast<Node>(-1);

  /// An edit as what it does to nodes and edges; kNone where it does no such thing.
  struct Change {
    Node added_u = kNone;
    Node added_v = kNone;
    Node cut_u = kNone;
    Node cut_v = kNone;
    Node removed = kNone;
    Node labelled = kNone;  ///< maybe a new node
    Label label = 0;
  };
  /// What a node is at some level.
  struct State {
    std::uint64_t signature = 0;  ///< the same in every set of graphs and numbering
    std::uint32_t in = 0;         ///< its class
  };

  void order_neighbours();
  [[nodiscard]] std::span<const Node> neighbours(Node v) const {
    return std::span(ordered_).subspan(graph_->offsets()[v], graph_->degree(v));
  }
  [[nodiscard]] Change change_of(const Edit& edit) const;
  template <typename Visit>
  void for_neighbours(const Change& change, Node v, const Visit& visit) const;
  void explore(const Change& change);
  void reach(Node v);
  void start_level(std::size_t l);
  void list_labels();
  void refine(std::size_t l);
  void list_gone(std::size_t l);

  /// The nodes that edit e changes at level l.
  [[nodiscard]] std::span<const Node> changed(std::size_t e, std::size_t l) const {
    return std::span(changed_).subspan(begins_[e], counts_[e * levels_.size() + l]);
  }

  const Graph* graph_ = nullptr;
  Indices ordered_;                     ///< the graph's targets, each node's in order
  std::vector<std::uint64_t> history_;  ///< signatures of the graph's nodes, level by level
  std::vector<Change> changes_;
  /// The nodes that each edit changes, those it changes first before the others.
  Indices begins_;
  Indices changed_;
  Indices counts_;  ///< edit by edit: how many of them at each level
  std::vector<char> reached_;
  std::vector<Level> levels_;
  std::vector<Lists> gone_;
  std::vector<Lists> come_;
  // The level that was refined last: the graph's nodes, with room for one more, and come_.
  std::vector<State> nodes_;
  std::vector<State> arrivals_;
  // And the one below it.
  std::vector<State> nodes_below_;
  std::vector<State> arrivals_below_;
  std::vector<std::uint64_t> class_signature_;
  Indices table_;
  std::vector<State> replaced_;  ///< the graph's own where a neighbour's are in their places
};

}  // namespace fewedits
