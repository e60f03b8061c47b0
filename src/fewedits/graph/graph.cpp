// SPDX-License-Identifier: MIT
#include "fewedits/graph/graph.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

namespace fewedits {

namespace {

bool is_normal(const Edge& e) { return e.u < e.v; }
bool precedes(const Edge& a, const Edge& b) { return a.u != b.u ? a.u < b.u : a.v < b.v; }
[[maybe_unused]] bool has_same_ends(const Edge& a, const Edge& b) {
  return a.u == b.u && a.v == b.v;
}

/// Ends in order, edges ascending: `edges` itself where it is that already, as readers have it.
std::span<const Edge> in_order(std::span<const Edge> edges, std::vector<Edge>& scratch) {
  if (std::ranges::all_of(edges, is_normal) && std::ranges::is_sorted(edges, precedes)) {
    return edges;
  }
  scratch.assign(edges.begin(), edges.end());
  for (Edge& e : scratch) {
    if (e.u > e.v) std::swap(e.u, e.v);
  }
  std::ranges::sort(scratch, precedes);
  return scratch;
}

}  // namespace

Graph::Graph(std::span<const Label> labels, std::span<const Edge> edges, EdgeLabels edge_labels)
    : n_(static_cast<std::uint32_t>(labels.size())),
      has_edge_labels_(edge_labels == EdgeLabels::kPresent),
      m_(edges.size()) {
  auto block = std::make_shared<std::uint32_t[]>(num_words());
  std::uint32_t* const offset = block.get();
  std::uint32_t* const target = offset + n_ + 1;
  std::uint32_t* const label = target + 2 * m_;
  std::uint32_t* const edge_label = label + n_;
  std::copy(labels.begin(), labels.end(), label);

  for (const Edge& e : edges) {
    assert(e.u < n_ && e.v < n_ && e.u != e.v);
    ++offset[e.u + 1];
    ++offset[e.v + 1];
  }
  std::partial_sum(offset, offset + n_ + 1, offset);

  // Edges come with ascending u, then v: what is put into a row ascends, too. A row's offset counts
  // up to where the next row starts.
  const auto add_arc = [&](Node from, Node to, Label l) {
    const std::uint32_t at = offset[from]++;
    target[at] = to;
    if (has_edge_labels_) edge_label[at] = l;
  };
  std::vector<Edge> scratch;
  const std::span<const Edge> ascending = in_order(edges, scratch);
  assert(std::ranges::adjacent_find(ascending, has_same_ends) == ascending.end());
  for (const Edge& e : ascending) {
    add_arc(e.u, e.v, e.label);
    add_arc(e.v, e.u, e.label);
  }
  std::copy_backward(offset, offset + n_, offset + n_ + 1);
  offset[0] = 0;
  block_ = std::move(block);
}

std::span<const Label> Graph::edge_labels(Node v) const {
  if (!has_edge_labels_) return {};
  return edge_labels().subspan(offsets()[v], degree(v));
}

bool Graph::has_edge(Node u, Node v) const {
  const auto row = neighbours(u);
  return std::binary_search(row.begin(), row.end(), v);
}

Label Graph::edge_label(Node u, Node v) const {
  const auto row = neighbours(u);
  const auto it = std::lower_bound(row.begin(), row.end(), v);
  assert(it != row.end() && *it == v);
  return has_edge_labels_ ? edge_labels(u)[static_cast<std::size_t>(it - row.begin())] : 0;
}

std::vector<Edge> Graph::edges() const {
  std::vector<Edge> list;
  list.reserve(m_);
  for (Node u = 0; u < n_; ++u) {
    const auto row = neighbours(u);
    const auto row_labels = edge_labels(u);
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (u < row[i]) list.push_back({u, row[i], has_edge_labels_ ? row_labels[i] : 0});
    }
  }
  return list;
}

Graph Graph::with_label(Node v, Label label) const {
  assert(v < n_);
  Graph copy = *this;
  auto block = copied_block();
  block.get()[n_ + 1 + 2 * m_ + v] = label;
  copy.block_ = std::move(block);
  return copy;
}

Graph Graph::relabelled(std::span<const Label> to) const {
  if (n_ == 0) return *this;
  Graph copy = *this;
  auto block = copied_block();
  std::uint32_t* label = block.get() + n_ + 1 + 2 * m_;
  for (Node v = 0; v < n_; ++v) label[v] = to[label[v]];
  copy.block_ = std::move(block);
  return copy;
}

Graph Graph::with_edges_relabelled(std::span<const Label> to) const {
  if (edge_labels().empty()) return *this;
  Graph copy = *this;
  auto block = copied_block();
  std::uint32_t* label = block.get() + 2 * std::size_t{n_} + 1 + 2 * m_;
  for (std::size_t i = 0; i < 2 * m_; ++i) label[i] = to[label[i]];
  copy.block_ = std::move(block);
  return copy;
}

std::shared_ptr<std::uint32_t[]> Graph::copied_block() const {
  auto block = std::make_shared<std::uint32_t[]>(num_words());
  std::copy(block_.get(), block_.get() + num_words(), block.get());
  return block;
}

std::uint32_t Graph::place_of(Node u, Node v) const {
  const auto row = neighbours(u);
  return offsets()[u] +
         static_cast<std::uint32_t>(std::lower_bound(row.begin(), row.end(), v) - row.begin());
}

// PERF NOTE: searches build every neighbour of a graph that they evaluate. An edge is two arcs in
// the flat lists, so the rest is copied in three pieces instead of being sorted again.
Graph Graph::with_edge(Node u, Node v, Label label) const {
  assert(u != v && !has_edge(u, v));
  return with_arcs(n_, std::min(u, v), std::max(u, v), label, labels());
}

Graph Graph::with_leaf(Node anchor, Label label, Label edge_label) const {
  assert(anchor < n_);
  std::vector<Label> all(labels().begin(), labels().end());
  all.push_back(label);
  return with_arcs(n_ + 1, anchor, n_, edge_label, all);
}

/// The edge {u, v}, u < v, in a graph of `nodes` ≥ n_ nodes with those labels.
Graph Graph::with_arcs(Node nodes, Node u, Node v, Label label,
                       std::span<const Label> labels) const {
  Graph out;
  out.n_ = nodes;
  out.m_ = m_ + 1;
  out.has_edge_labels_ = has_edge_labels_;
  auto block = std::make_shared<std::uint32_t[]>(out.num_words());
  std::uint32_t* offset = block.get();
  for (Node w = 0; w <= nodes; ++w) {
    offset[w] = offsets()[std::min(w, n_)] + (w > u ? 1 : 0) + (w > v ? 1 : 0);
  }
  const std::uint32_t first = place_of(u, v);
  const std::uint32_t second = v < n_ ? place_of(v, u) : offsets()[n_];
  const auto splice = [&](std::span<const std::uint32_t> from, std::uint32_t at_first,
                          std::uint32_t at_second, std::uint32_t* to) {
    to = std::copy(from.begin(), from.begin() + first, to);
    *to++ = at_first;
    to = std::copy(from.begin() + first, from.begin() + second, to);
    *to++ = at_second;
    std::copy(from.begin() + second, from.end(), to);
  };
  std::uint32_t* target = offset + nodes + 1;
  splice(targets(), v, u, target);
  std::copy(labels.begin(), labels.end(), target + 2 * out.m_);
  if (has_edge_labels_) {
    splice(words(2 * n_ + 1 + 2 * m_, 2 * m_), label, label, target + 2 * out.m_ + nodes);
  }
  out.block_ = std::move(block);
  return out;
}

Graph Graph::without_edge(Node u, Node v) const {
  assert(has_edge(u, v));
  if (u > v) std::swap(u, v);
  Graph out;
  out.n_ = n_;
  out.m_ = m_ - 1;
  out.has_edge_labels_ = has_edge_labels_;
  auto block = std::make_shared<std::uint32_t[]>(out.num_words());
  std::uint32_t* offset = block.get();
  for (Node w = 0; w <= n_; ++w) offset[w] = offsets()[w] - (w > u ? 1 : 0) - (w > v ? 1 : 0);
  const std::uint32_t first = place_of(u, v);
  const std::uint32_t second = place_of(v, u);
  const auto splice = [&](std::span<const std::uint32_t> from, std::uint32_t* to) {
    to = std::copy(from.begin(), from.begin() + first, to);
    to = std::copy(from.begin() + first + 1, from.begin() + second, to);
    std::copy(from.begin() + second + 1, from.end(), to);
  };
  std::uint32_t* target = offset + n_ + 1;
  splice(targets(), target);
  std::copy(labels().begin(), labels().end(), target + 2 * out.m_);
  if (has_edge_labels_) {
    splice(words(2 * n_ + 1 + 2 * m_, 2 * m_), target + 2 * out.m_ + n_);
  }
  out.block_ = std::move(block);
  return out;
}

Graph Graph::with_edge_label(Node u, Node v, Label label) const {
  assert(has_edge_labels_ && has_edge(u, v));
  Graph copy = *this;
  auto block = copied_block();
  std::uint32_t* edge_label = block.get() + 2 * std::size_t{n_} + 1 + 2 * m_;
  edge_label[place_of(u, v)] = edge_label[place_of(v, u)] = label;
  copy.block_ = std::move(block);
  return copy;
}

Graph Graph::without_node(Node v) const {
  assert(v < n_);
  Graph out;
  out.n_ = n_ - 1;
  out.m_ = m_ - degree(v);
  out.has_edge_labels_ = has_edge_labels_;
  if (out.n_ == 0) return out;
  auto block = std::make_shared<std::uint32_t[]>(out.num_words());
  std::uint32_t* offset = block.get();
  std::uint32_t* target = offset + out.n_ + 1;
  std::uint32_t* new_label = target + 2 * out.m_;
  std::uint32_t* edge_label = new_label + out.n_;
  std::uint32_t arcs = 0;
  for (Node w = 0; w < n_; ++w) {
    if (w == v) continue;
    *new_label++ = label(w);
    const auto row = neighbours(w);
    const auto row_labels = edge_labels(w);
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (row[i] == v) continue;
      target[arcs] = row[i] - (row[i] > v ? 1 : 0);
      if (has_edge_labels_) edge_label[arcs] = row_labels[i];
      ++arcs;
    }
    *++offset = arcs;
  }
  out.block_ = std::move(block);
  return out;
}

Graph Graph::without_edge_labels() const {
  return has_edge_labels_ ? Graph(labels(), edges()) : *this;
}

Graph Graph::permuted(std::span<const Node> position) const {
  assert(position.size() == n_);
  std::vector<Label> moved(n_);
  for (Node v = 0; v < n_; ++v) moved[position[v]] = label(v);
  auto list = edges();
  for (Edge& e : list) e = {position[e.u], position[e.v], e.label};
  return {moved, list, edge_label_kind()};
}

bool Graph::is_connected() const {
  if (n_ == 0) return true;
  std::vector<Node> stack{0};
  std::vector<bool> seen(n_, false);
  seen[0] = true;
  std::size_t reached = 1;
  while (!stack.empty()) {
    const Node v = stack.back();
    stack.pop_back();
    for (const Node w : neighbours(v)) {
      if (seen[w]) continue;
      seen[w] = true;
      ++reached;
      stack.push_back(w);
    }
  }
  return reached == n_;
}

bool operator==(const Graph& a, const Graph& b) {
  if (a.n_ != b.n_ || a.m_ != b.m_ || a.has_edge_labels_ != b.has_edge_labels_) return false;
  if (a.n_ == 0 || a.block_ == b.block_) return true;
  return std::equal(a.block_.get(), a.block_.get() + a.num_words(), b.block_.get());
}

}  // namespace fewedits
