// SPDX-License-Identifier: MIT
// What an edit does to the cost of a node map, without trying the map anew.
//
// A map from a graph to an input says what stays; the rest is edited. A neighbour of the graph is
// mapped the same way, so its cost follows from what the edit touches. A new leaf takes the place
// of an input's node that is nobody's image: best one next to its anchor's image, best one with its
// label. Every cost is that of an explicit map, hence a proven upper bound; a search may find a
// better map, never a worse one. Unit costs, and what another label of an edge costs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fewedits/edit/edit.hpp"
#include "fewedits/graph/graph.hpp"
#include "fewedits/proof/node_map.hpp"

namespace fewedits {

class MapChanges {
 public:
  MapChanges() = default;
  /// Costs are 1 each, but for that of an edge's label, which is 0…2.
  explicit MapChanges(const EditCosts& costs);

  /// For a few edits of `graph`, which add leaves only if so said. Keeps references until the next
  /// call.
  void bind(const Graph& graph, const Graph& input, std::span<const Node> map, bool leaves = true);
  /// For all neighbours of `graph`, with so many labels of nodes and of edges: tabulates leaves,
  /// O(nodes · labels + edges).
  void prepare(const Graph& graph, const Graph& input, std::span<const Node> map,
               std::size_t num_labels, std::size_t num_edge_labels = 1);

  /// Cost of the neighbour's map less that of the graph's: from −2 to +2.
  [[nodiscard]] int change(const Edit& edit) const;
  /// The neighbour's map; its cost is the graph's plus change(edit).
  [[nodiscard]] NodeMap map_of(const Edit& edit) const;

 private:
  /// The input's edge between the images of two nodes.
  struct Image {
    bool is_there = false;
    Label label = 0;  ///< 0 where labels make no difference
  };
  [[nodiscard]] Image image_of(Node u, Node v) const;
  /// What it costs that labels differ.
  [[nodiscard]] int mismatch(Label ours, Label of_image) const {
    return edge_cost_ != 0 && ours != of_image ? edge_cost_ : 0;
  }
  /// Of an edge of the graph.
  [[nodiscard]] int mismatch(Node u, Node v, Label of_image) const {
    return edge_cost_ == 0 ? 0 : mismatch(graph_->edge_label(u, v), of_image);
  }
  [[nodiscard]] int change_of_removal(Node u, Node v) const;
  /// An input's node that the leaf becomes, or kUnmatched, and how that changes the cost.
  struct Place {
    Node node = kUnmatched;
    int change = 2;
  };
  [[nodiscard]] Place place_for_leaf(const Edit& leaf) const;

  int edge_cost_ = 0;  ///< of another label of an edge
  const Graph* graph_ = nullptr;
  const Graph* input_ = nullptr;
  std::span<const Node> map_;
  std::size_t num_labels_ = 0;
  std::size_t num_edge_labels_ = 1;
  std::vector<bool> taken_;               ///< nodes of the input that are images
  std::vector<std::int8_t> leaf_change_;  ///< by anchor, label, edge label; empty unless prepared
};

}  // namespace fewedits
