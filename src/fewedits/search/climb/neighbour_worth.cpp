// SPDX-License-Identifier: MIT
#include "fewedits/search/climb/neighbour_worth.hpp"

#include <algorithm>
#include <array>

namespace fewedits {

void NeighbourWorth::start(const Graph& graph, WorthTable& table) {
  graph_ = &graph;
  table_ = &table;
  num_nodes_ = graph.num_nodes();
  const std::size_t n = num_nodes_;
  sums_.relabel = sums_.add_leaf = sums_.add_edge = sums_.remove_edge = 0;
  sums_.relabel_node.assign(n, 0);
  sums_.relabel_to.assign(n * num_labels_, 0);
  sums_.leaf_label.assign(num_labels_, 0);
  sums_.leaf_at.assign(n * num_labels_, 0);
  sums_.remove_leaf.assign(n, 0);
  sums_.edge.assign(n * n, 0);
  adjacent_.assign(n * n, 0);
  for (const Edge& e : graph.edges()) adjacent_[e.u * n + e.v] = 1;
}

std::vector<float> NeighbourWorth::worth_of(std::span<const Edit> edits) const {
  const std::size_t n = num_nodes_;
  std::vector<float> out;
  out.reserve(edits.size());
  for (const Edit& edit : edits) {
    const std::size_t at = edit.u * num_labels_ + edit.label;
    double value = 0;
    switch (edit.kind) {
      using Kind = Edit::Kind;
      case Kind::kNone:
      case Kind::kRelabelEdge: break;
      case Kind::kRelabel:
        value = sums_.relabel + sums_.relabel_node[edit.u] + sums_.relabel_to[at];
        break;
      case Kind::kAddLeaf:
        value = sums_.add_leaf + sums_.leaf_label[edit.label] + sums_.leaf_at[at];
        break;
      case Kind::kRemoveLeaf: value = sums_.remove_leaf[edit.u]; break;
      case Kind::kAddEdge: value = sums_.add_edge + sums_.edge[edit.u * n + edit.v]; break;
      case Kind::kRemoveEdge: value = sums_.remove_edge + sums_.edge[edit.u * n + edit.v]; break;
    }
    out.push_back(static_cast<float>(value));
  }
  return out;
}

float NeighbourWorth::worth(const Mapped& m, int size_change, int cost_change) {
  const auto sizes = static_cast<std::int64_t>(m.sizes) + size_change;
  return table_->worth(static_cast<std::size_t>(sizes), m.cost + cost_change);
}

/// MapChanges::change for all edits at once.
void NeighbourWorth::add(const PreparedGraph& input, const NodeMap& map, std::int32_t cost) {
  const Mapped m{input, map, cost, graph_->size() + input.graph().size()};
  preimage_.assign(input.graph().num_nodes(), kUnmatched);
  for (Node u = 0; u < map.size(); ++u) {
    if (map[u] != kUnmatched) preimage_[map[u]] = u;
  }
  add_relabellings(m);
  add_edges(m);
  add_leaves_to_remove(m);
  add_leaves_to_add(m);
}

void NeighbourWorth::add_relabellings(const Mapped& m) {
  const float same = worth(m, 0, 0);
  const float spoilt = worth(m, 0, 1) - same;
  const float mended = worth(m, 0, -1) - same;
  sums_.relabel += same;
  for (Node u = 0; u < m.map.size(); ++u) {
    if (m.map[u] == kUnmatched) continue;
    const Label wanted = m.input.graph().label(m.map[u]);
    if (graph_->label(u) == wanted) {
      sums_.relabel_node[u] += spoilt;
    } else if (wanted < num_labels_) {
      sums_.relabel_to[u * num_labels_ + wanted] += mended;
    }
  }
}

void NeighbourWorth::add_edges(const Mapped& m) {
  const std::size_t n = num_nodes_;
  const float common_goes = worth(m, -1, 1);
  const float other_goes = worth(m, -1, -1);
  const float common_comes = worth(m, 1, -1);
  const float other_comes = worth(m, 1, 1);
  sums_.add_edge += other_comes;
  sums_.remove_edge += other_goes;
  for (const Edge& e : m.input.edges()) {
    const Node a = preimage_[e.u];
    const Node b = preimage_[e.v];
    if (a == kUnmatched || b == kUnmatched) continue;
    const std::size_t at = std::min(a, b) * n + std::max(a, b);
    sums_.edge[at] += adjacent_[at] != 0 ? common_goes - other_goes : common_comes - other_comes;
  }
}

void NeighbourWorth::add_leaves_to_remove(const Mapped& m) {
  changes_.bind(*graph_, m.input.graph(), m.map, false);
  for (Node u = 0; u < num_nodes_; ++u) {
    if (graph_->degree(u) != 1) continue;
    sums_.remove_leaf[u] += worth(m, -2, changes_.change({Edit::Kind::kRemoveLeaf, u, 0, 0}));
  }
}

void NeighbourWorth::add_leaves_to_add(const Mapped& m) {
  const Graph& input = m.input.graph();
  // By change of the cost, from −2: next to the anchor's image with its label, or another one;
  // elsewhere with its label, or another one; nowhere.
  std::array<float, 5> leaf{};
  for (int change = -2; change <= 2; ++change) {
    leaf[static_cast<std::size_t>(change + 2)] = worth(m, 2, change);
  }
  const auto& [next_same, next_other, same, other, nowhere] = leaf;
  free_label_.assign(num_labels_, 0);
  bool any_free = false;
  for (Node x = 0; x < input.num_nodes(); ++x) {
    if (preimage_[x] != kUnmatched) continue;
    any_free = true;
    const Label l = input.label(x);
    if (l >= num_labels_ || free_label_[l] != 0) continue;
    free_label_[l] = 1;
    sums_.leaf_label[l] += same - other;
  }
  sums_.add_leaf += any_free ? other : nowhere;
  if (!any_free) return;
  for (Node x = 0; x < input.num_nodes(); ++x) {
    if (preimage_[x] == kUnmatched) continue;
    wanted_.clear();
    for (const Node y : input.neighbours(x)) {
      if (preimage_[y] == kUnmatched) wanted_.push_back(input.label(y));
    }
    if (wanted_.empty()) continue;
    float* at = &sums_.leaf_at[preimage_[x] * num_labels_];
    for (Label l = 0; l < num_labels_; ++l) {
      const bool is_wanted = std::find(wanted_.begin(), wanted_.end(), l) != wanted_.end();
      at[l] += (is_wanted ? next_same : next_other) - (free_label_[l] != 0 ? same : other);
    }
  }
}

}  // namespace fewedits
