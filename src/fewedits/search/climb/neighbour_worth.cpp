// SPDX-License-Identifier: MIT
#include "fewedits/search/climb/neighbour_worth.hpp"

#include <algorithm>
#include <array>

namespace fewedits {

NeighbourWorth::NeighbourWorth(std::size_t num_labels, std::size_t num_edge_labels,
                               const EditCosts& costs)
    : num_labels_(num_labels),
      num_edge_labels_(costs.relabel_edge > 0 ? num_edge_labels : 0),
      edge_cost_(std::min(costs.relabel_edge, costs.delete_edge + costs.insert_edge)),
      changes_(costs),
      step_changes_(costs) {}

void NeighbourWorth::start(const Graph& graph, const Moves& moves, WorthTable& table) {
  graph_ = &graph;
  moves_ = &moves;
  table_ = &table;
  num_nodes_ = graph.num_nodes();
  if (!moves.are_single()) {
    effects_.list(graph, moves);
    steps_.assign(moves.size(), 0);
    return;
  }
  const std::size_t n = num_nodes_;
  sums_.relabel = sums_.add_leaf = sums_.add_edge = sums_.remove_edge = sums_.relabel_edge = 0;
  sums_.relabel_node.assign(n, 0);
  sums_.relabel_to.assign(n * num_labels_, 0);
  sums_.leaf_label.assign(num_labels_, 0);
  sums_.leaf_at.assign(n * num_labels_ * std::max<std::size_t>(1, num_edge_labels_), 0);
  sums_.remove_leaf.assign(n, 0);
  sums_.edge.assign(n * n, 0);
  adjacent_.assign(n * n, 0);
  for (const Edge& e : graph.edges()) adjacent_[e.u * n + e.v] = 1;
  if (num_edge_labels_ == 0) return;
  sums_.relabel_pair.assign(n * n, 0);
  sums_.edge_to.assign(n * n * num_edge_labels_, 0);
}

std::vector<float> NeighbourWorth::worth_of() const {
  std::vector<float> out;
  out.reserve(moves_->size());
  if (moves_->are_single()) {
    for (const Edit& edit : moves_->edits()) out.push_back(value_of(edit));
  } else {
    for (const double value : steps_) out.push_back(static_cast<float>(value));
  }
  return out;
}

float NeighbourWorth::value_of(const Edit& edit) const {
  const std::size_t n = num_nodes_;
  const std::size_t at = edit.u * num_labels_ + edit.label;
  const std::size_t pair = edit.u * n + edit.v;
  double value = 0;
  switch (edit.kind) {
    using Kind = Edit::Kind;
    case Kind::kNone: break;
    case Kind::kRelabel:
      value = sums_.relabel + sums_.relabel_node[edit.u] + sums_.relabel_to[at];
      break;
    case Kind::kAddLeaf: {
      const std::size_t place =
          num_edge_labels_ == 0 ? at : at * num_edge_labels_ + edit.edge_label;
      value = sums_.add_leaf + sums_.leaf_label[edit.label] + sums_.leaf_at[place];
      break;
    }
    case Kind::kRemoveLeaf: value = sums_.remove_leaf[edit.u]; break;
    case Kind::kAddEdge:
      value = sums_.add_edge + sums_.edge[pair];
      if (num_edge_labels_ > 0) value += sums_.edge_to[pair * num_edge_labels_ + edit.edge_label];
      break;
    case Kind::kRemoveEdge: value = sums_.remove_edge + sums_.edge[pair]; break;
    case Kind::kRelabelEdge:
      value = sums_.relabel_edge;
      if (num_edge_labels_ > 0) {
        value += sums_.relabel_pair[pair] + sums_.edge_to[pair * num_edge_labels_ + edit.label];
      }
      break;
  }
  return static_cast<float>(value);
}

float NeighbourWorth::worth(const Mapped& m, int size_change, int cost_change) {
  const auto sizes = static_cast<std::int64_t>(m.sizes) + size_change;
  return table_->worth(static_cast<std::size_t>(sizes), m.cost + cost_change);
}

/// MapChanges::change for all edits at once.
void NeighbourWorth::add(const PreparedGraph& input, const NodeMap& map, std::int32_t cost) {
  const Mapped m{input, map, cost, graph_->size() + input.graph().size()};
  if (!moves_->are_single()) return add_steps(m);
  preimage_.assign(input.graph().num_nodes(), kUnmatched);
  for (Node u = 0; u < map.size(); ++u) {
    if (map[u] != kUnmatched) preimage_[map[u]] = u;
  }
  add_relabellings(m);
  num_edge_labels_ == 0 ? add_edges(m) : add_labelled_edges(m);
  add_leaves_to_remove(m);
  num_edge_labels_ == 0 ? add_leaves_to_add(m) : add_labelled_leaves(m);
}

void NeighbourWorth::add_steps(const Mapped& m) {
  step_changes_.prepare(effects_, m.input.graph(), m.map);
  for (std::size_t s = 0; s < steps_.size(); ++s) {
    steps_[s] += worth(m, effects_[s].size_change, step_changes_.change(s));
  }
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
  sums_.relabel_edge += worth(m, 0, 0);  // labels of edges make no difference
  for (const Edge& e : m.input.edges()) {
    const Node a = preimage_[e.u];
    const Node b = preimage_[e.v];
    if (a == kUnmatched || b == kUnmatched) continue;
    const std::size_t at = std::min(a, b) * n + std::max(a, b);
    sums_.edge[at] += adjacent_[at] != 0 ? common_goes - other_goes : common_comes - other_comes;
  }
}

/// By pair of nodes and label of the edge between their images: that label is the one to have.
void NeighbourWorth::add_labelled_edges(const Mapped& m) {
  const std::size_t n = num_nodes_;
  const float same = worth(m, 0, 0);
  const float spoilt = worth(m, 0, edge_cost_) - same;
  const float mended = worth(m, 0, -edge_cost_) - same;
  const float common_goes = worth(m, -1, 1);
  const float mismatch_goes = worth(m, -1, 1 - edge_cost_);
  const float other_goes = worth(m, -1, -1);
  const float common_comes = worth(m, 1, -1);
  const float mismatch_comes = worth(m, 1, edge_cost_ - 1);
  const float other_comes = worth(m, 1, 1);
  sums_.add_edge += other_comes;
  sums_.remove_edge += other_goes;
  sums_.relabel_edge += same;
  for (const Edge& e : m.input.edges()) {
    const Node a = preimage_[e.u];
    const Node b = preimage_[e.v];
    if (a == kUnmatched || b == kUnmatched) continue;
    const std::size_t at = std::min(a, b) * n + std::max(a, b);
    const bool is_known = e.label < num_edge_labels_;
    if (adjacent_[at] == 0) {
      sums_.edge[at] += mismatch_comes - other_comes;
      if (is_known) sums_.edge_to[at * num_edge_labels_ + e.label] += common_comes - mismatch_comes;
    } else if (graph_->edge_label(a, b) == e.label) {
      sums_.edge[at] += common_goes - other_goes;
      sums_.relabel_pair[at] += spoilt;
    } else {
      sums_.edge[at] += mismatch_goes - other_goes;
      if (is_known) sums_.edge_to[at * num_edge_labels_ + e.label] += mended;
    }
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
  for (std::size_t i = 0; i < leaf.size(); ++i) leaf[i] = worth(m, 2, static_cast<int>(i) - 2);
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
      if (preimage_[y] == kUnmatched) wanted_.push_back({input.label(y), 0});
    }
    if (wanted_.empty()) continue;
    float* at = &sums_.leaf_at[preimage_[x] * num_labels_];
    for (Label l = 0; l < num_labels_; ++l) {
      const bool is_wanted = std::any_of(wanted_.begin(), wanted_.end(),
                                         [&](const Wanted& w) { return w.label == l; });
      at[l] += (is_wanted ? next_same : next_other) - (free_label_[l] != 0 ? same : other);
    }
  }
}

void NeighbourWorth::add_labelled_leaves(const Mapped& m) {
  const Graph& input = m.input.graph();
  std::array<float, 5> leaf{};  // by change of the cost, from −2
  for (std::size_t i = 0; i < leaf.size(); ++i) leaf[i] = worth(m, 2, static_cast<int>(i) - 2);
  const auto at_cost = [&](std::ptrdiff_t change) {
    return leaf[static_cast<std::size_t>(change + 2)];
  };
  free_label_.assign(num_labels_, 0);
  bool any_free = false;
  for (Node x = 0; x < input.num_nodes(); ++x) {
    if (preimage_[x] != kUnmatched) continue;
    any_free = true;
    const Label l = input.label(x);
    if (l >= num_labels_ || free_label_[l] != 0) continue;
    free_label_[l] = 1;
    sums_.leaf_label[l] += at_cost(0) - at_cost(1);
  }
  sums_.add_leaf += at_cost(any_free ? 1 : 2);
  if (!any_free) return;
  for (Node x = 0; x < input.num_nodes(); ++x) {
    if (preimage_[x] == kUnmatched) continue;
    wanted_.clear();
    const auto row = input.neighbours(x);
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (preimage_[row[i]] != kUnmatched) continue;
      const Label edge = input.has_edge_labels() ? input.edge_labels(x)[i] : 0;
      wanted_.push_back({input.label(row[i]), edge});
    }
    if (wanted_.empty()) continue;
    float* at = &sums_.leaf_at[preimage_[x] * num_labels_ * num_edge_labels_];
    for (Label l = 0; l < num_labels_; ++l) {
      const int elsewhere = free_label_[l] != 0 ? 0 : 1;
      for (Label e = 0; e < num_edge_labels_; ++e, ++at) {
        int best = elsewhere;
        for (const Wanted& w : wanted_) {
          best = std::min(best, (w.label == l ? -2 : -1) + (w.edge == e ? 0 : edge_cost_));
        }
        *at += at_cost(best) - at_cost(elsewhere);
      }
    }
  }
}

}  // namespace fewedits
