// SPDX-License-Identifier: MIT
#include "fewedits/distance/map_changes.hpp"

#include <algorithm>

namespace fewedits {

void MapChanges::bind(const Graph& graph, const Graph& input, std::span<const Node> map,
                      bool leaves) {
  graph_ = &graph;
  input_ = &input;
  map_ = map;
  leaf_change_.clear();
  taken_.assign(leaves ? input.num_nodes() : 0, false);
  if (!leaves) return;
  for (const Node x : map) {
    if (x != kUnmatched) taken_[x] = true;
  }
}

void MapChanges::prepare(const Graph& graph, const Graph& input, std::span<const Node> map,
                         std::size_t num_labels) {
  bind(graph, input, map);
  num_labels_ = num_labels;
  // A node and an edge more: 2. Taking a free node saves its insertion (and relabelling, if the
  // labels agree); next to the anchor's image it saves an edge's insertion too, and ours is not
  // deleted.
  std::vector<std::int8_t> anywhere(num_labels, 2);
  for (Node x = 0; x < input.num_nodes(); ++x) {
    if (taken_[x]) continue;
    for (std::int8_t& change : anywhere) change = std::min<std::int8_t>(change, 1);
    if (input.label(x) < num_labels) anywhere[input.label(x)] = 0;
  }
  leaf_change_.resize(graph.num_nodes() * num_labels);
  for (Node u = 0; u < graph.num_nodes(); ++u) {
    const auto row = leaf_change_.begin() + static_cast<std::ptrdiff_t>(u * num_labels);
    std::copy(anywhere.begin(), anywhere.end(), row);
    if (map[u] == kUnmatched) continue;
    for (const Node x : input.neighbours(map[u])) {
      if (taken_[x]) continue;
      for (std::size_t l = 0; l < num_labels; ++l) {
        const auto next_to_it = static_cast<std::int8_t>(input.label(x) == l ? -2 : -1);
        row[static_cast<std::ptrdiff_t>(l)] =
            std::min(row[static_cast<std::ptrdiff_t>(l)], next_to_it);
      }
    }
  }
}

bool MapChanges::is_common(Node u, Node v) const {
  return map_[u] != kUnmatched && map_[v] != kUnmatched && input_->has_edge(map_[u], map_[v]);
}

int MapChanges::change(const Edit& edit) const {
  using Kind = Edit::Kind;
  switch (edit.kind) {
    case Kind::kNone: return 0;
    case Kind::kRelabel: {
      if (map_[edit.u] == kUnmatched) return 0;
      const Label wanted = input_->label(map_[edit.u]);
      return (edit.label == wanted ? 0 : 1) - (graph_->label(edit.u) == wanted ? 0 : 1);
    }
    case Kind::kAddLeaf:
      return leaf_change_.empty() ? place_for_leaf(edit.u, edit.label).change
                                  : leaf_change_[edit.u * num_labels_ + edit.label];
    case Kind::kRemoveLeaf: {
      if (map_[edit.u] == kUnmatched) return -2;
      const bool same = input_->label(map_[edit.u]) == graph_->label(edit.u);
      return (same ? 1 : 0) + (is_common(edit.u, graph_->neighbours(edit.u)[0]) ? 1 : -1);
    }
    case Kind::kAddEdge: return is_common(edit.u, edit.v) ? -1 : 1;
    case Kind::kRemoveEdge: return is_common(edit.u, edit.v) ? 1 : -1;
  }
  return 0;
}

/// The first free node of the best kind.
MapChanges::Place MapChanges::place_for_leaf(Node anchor, Label label) const {
  Place best;
  const auto offer = [&](Node x, int change) {
    if (!taken_[x] && change < best.change) best = {x, change};
  };
  if (map_[anchor] != kUnmatched) {
    for (const Node x : input_->neighbours(map_[anchor])) {
      offer(x, input_->label(x) == label ? -2 : -1);
    }
  }
  for (Node x = 0; x < input_->num_nodes(); ++x) offer(x, input_->label(x) == label ? 0 : 1);
  return best;
}

NodeMap MapChanges::map_of(const Edit& edit) const {
  NodeMap map(map_.begin(), map_.end());
  if (edit.kind == Edit::Kind::kAddLeaf) map.push_back(place_for_leaf(edit.u, edit.label).node);
  if (edit.kind == Edit::Kind::kRemoveLeaf) {
    map.erase(map.begin() + static_cast<std::ptrdiff_t>(edit.u));
  }
  return map;
}

}  // namespace fewedits
