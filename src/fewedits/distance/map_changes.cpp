// SPDX-License-Identifier: MIT
#include "fewedits/distance/map_changes.hpp"

#include <algorithm>
#include <cassert>

namespace fewedits {

MapChanges::MapChanges(const EditCosts& costs)
    : edge_cost_(std::min(costs.relabel_edge, costs.delete_edge + costs.insert_edge)) {
  [[maybe_unused]] EditCosts unit;
  unit.relabel_edge = costs.relabel_edge;
  assert(costs == unit);
}

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
                         std::size_t num_labels, std::size_t num_edge_labels) {
  bind(graph, input, map);
  num_labels_ = num_labels;
  num_edge_labels_ = num_edge_labels;
  // A node and an edge more: 2. Taking a free node saves its insertion (and relabelling, if the
  // labels agree); next to the anchor's image it saves an edge's insertion too, and ours is not
  // deleted.
  const std::size_t width = num_labels * num_edge_labels;
  std::vector<std::int8_t> anywhere(width, 2);
  const auto lower = [&](auto* row, Label label, std::int8_t to) {
    if (label >= num_labels) return;
    for (std::size_t e = 0; e < num_edge_labels; ++e) {
      std::int8_t& change = row[label * num_edge_labels + e];
      change = std::min(change, to);
    }
  };
  for (Node x = 0; x < input.num_nodes(); ++x) {
    if (taken_[x]) continue;
    for (std::int8_t& change : anywhere) change = std::min<std::int8_t>(change, 1);
    lower(anywhere.data(), input.label(x), 0);
  }
  leaf_change_.resize(graph.num_nodes() * width);
  for (Node u = 0; u < graph.num_nodes(); ++u) {
    std::int8_t* row = leaf_change_.data() + u * width;
    std::copy(anywhere.begin(), anywhere.end(), row);
    if (map[u] == kUnmatched) continue;
    for (const Node x : input.neighbours(map[u])) {
      if (taken_[x]) continue;
      const Label label = edge_cost_ == 0 ? 0 : input.edge_label(map[u], x);
      for (Label l = 0; l < num_labels; ++l) {
        for (Label e = 0; e < num_edge_labels; ++e) {
          const int next_to_it = (input.label(x) == l ? -2 : -1) + mismatch(e, label);
          std::int8_t& change = row[l * num_edge_labels + e];
          change = std::min(change, static_cast<std::int8_t>(next_to_it));
        }
      }
    }
  }
}

MapChanges::Image MapChanges::image_of(Node u, Node v) const {
  const Node x = map_[u];
  const Node y = map_[v];
  if (x == kUnmatched || y == kUnmatched || !input_->has_edge(x, y)) return {};
  return {true, edge_cost_ == 0 ? 0 : input_->edge_label(x, y)};
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
      return leaf_change_.empty()
                 ? place_for_leaf(edit).change
                 : leaf_change_[(edit.u * num_labels_ + edit.label) * num_edge_labels_ +
                                (num_edge_labels_ > 1 ? edit.edge_label : 0)];
    case Kind::kRemoveLeaf: {
      if (map_[edit.u] == kUnmatched) return -2;
      const Node anchor = graph_->neighbours(edit.u)[0];
      const bool same = input_->label(map_[edit.u]) == graph_->label(edit.u);
      return (same ? 1 : 0) + change_of_removal(edit.u, anchor);
    }
    case Kind::kAddEdge: {
      const Image image = image_of(edit.u, edit.v);
      return image.is_there ? mismatch(edit.edge_label, image.label) - 1 : 1;
    }
    case Kind::kRemoveEdge: return change_of_removal(edit.u, edit.v);
    case Kind::kRelabelEdge: {
      const Image image = image_of(edit.u, edit.v);
      if (!image.is_there) return 0;
      return mismatch(edit.label, image.label) - mismatch(edit.u, edit.v, image.label);
    }
  }
  return 0;
}

/// Of an edge: the image's has to be inserted then, and ours no longer deleted or relabelled.
int MapChanges::change_of_removal(Node u, Node v) const {
  const Image image = image_of(u, v);
  return image.is_there ? 1 - mismatch(u, v, image.label) : -1;
}

/// The first free node of the best kind.
MapChanges::Place MapChanges::place_for_leaf(const Edit& leaf) const {
  Place best;
  const auto offer = [&](Node x, int change) {
    if (!taken_[x] && change < best.change) best = {x, change};
  };
  if (const Node anchor = map_[leaf.u]; anchor != kUnmatched) {
    for (const Node x : input_->neighbours(anchor)) {
      if (taken_[x]) continue;
      const int other =
          edge_cost_ == 0 ? 0 : mismatch(leaf.edge_label, input_->edge_label(anchor, x));
      offer(x, (input_->label(x) == leaf.label ? -2 : -1) + other);
    }
  }
  for (Node x = 0; x < input_->num_nodes(); ++x) offer(x, input_->label(x) == leaf.label ? 0 : 1);
  return best;
}

NodeMap MapChanges::map_of(const Edit& edit) const {
  NodeMap map(map_.begin(), map_.end());
  if (edit.kind == Edit::Kind::kAddLeaf) map.push_back(place_for_leaf(edit).node);
  if (edit.kind == Edit::Kind::kRemoveLeaf) {
    map.erase(map.begin() + static_cast<std::ptrdiff_t>(edit.u));
  }
  return map;
}

}  // namespace fewedits
