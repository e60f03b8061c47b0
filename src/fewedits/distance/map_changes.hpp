// SPDX-License-Identifier: MIT
// What an edit does to the cost of a node map, without trying the map anew.
//
// A map from a graph to an input says what stays; the rest is edited. A neighbour of the graph is
// mapped the same way, so its cost follows from what the edit touches. A new leaf takes the place
// of an input's node that is nobody's image: best one next to its anchor's image, best one with its
// label. Every cost is that of an explicit map, hence a proven upper bound; a search may find a
// better map, never a worse one. Unit costs.
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
  /// For a few edits of `graph`, which add leaves only if so said. Keeps references until the next
  /// call.
  void bind(const Graph& graph, const Graph& input, std::span<const Node> map, bool leaves = true);
  /// For all neighbours of `graph`: tabulates leaves, O(nodes · labels + edges).
  void prepare(const Graph& graph, const Graph& input, std::span<const Node> map,
               std::size_t num_labels);

  /// Cost of the neighbour's map less that of the graph's: from −2 to +2.
  [[nodiscard]] int change(const Edit& edit) const;
  /// The neighbour's map; its cost is the graph's plus change(edit).
  [[nodiscard]] NodeMap map_of(const Edit& edit) const;

 private:
  [[nodiscard]] bool is_common(Node u, Node v) const;
  /// An input's node that the leaf becomes, or kUnmatched, and how that changes the cost.
  struct Place {
    Node node = kUnmatched;
    int change = 2;
  };
  [[nodiscard]] Place place_for_leaf(Node anchor, Label label) const;

  const Graph* graph_ = nullptr;
  const Graph* input_ = nullptr;
  std::span<const Node> map_;
  std::size_t num_labels_ = 0;
  std::vector<bool> taken_;               ///< nodes of the input that are images
  std::vector<std::int8_t> leaf_change_;  ///< by anchor and label; empty unless prepared
};

}  // namespace fewedits
