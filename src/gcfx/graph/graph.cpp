// SPDX-License-Identifier: MIT
#include "gcfx/graph/graph.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace gcfx {

Graph::Graph(std::span<const Label> labels, std::span<const Edge> edges, EdgeLabels edge_labels)
    : n_(static_cast<std::uint32_t>(labels.size())),
      has_edge_labels_(edge_labels == EdgeLabels::kPresent),
      m_(edges.size()) {
  auto block = std::make_shared<std::uint32_t[]>(num_words());
  std::uint32_t* offset = block.get();
  std::uint32_t* target = offset + n_ + 1;
  std::uint32_t* label = target + 2 * m_;
  std::uint32_t* edge_label = label + n_;
  std::copy(labels.begin(), labels.end(), label);

  for (const Edge& e : edges) {
    assert(e.u < n_ && e.v < n_ && e.u != e.v);
    ++offset[e.u + 1];
    ++offset[e.v + 1];
  }
  std::partial_sum(offset, offset + n_ + 1, offset);

  // One sort of the directed list gives every row in ascending order.
  std::vector<Edge> directed;
  directed.reserve(2 * m_);
  for (const Edge& e : edges) {
    directed.push_back(e);
    directed.push_back({e.v, e.u, e.label});
  }
  std::sort(directed.begin(), directed.end());
  for (std::size_t i = 0; i < directed.size(); ++i) {
    assert(i == 0 || directed[i - 1].u != directed[i].u || directed[i - 1].v != directed[i].v);
    target[i] = directed[i].v;
    if (has_edge_labels_) edge_label[i] = directed[i].label;
  }
  block_ = std::move(block);
}

std::span<const Label> Graph::edge_labels(Node v) const {
  if (!has_edge_labels_) return {};
  return words(2 * std::size_t{n_} + 1 + 2 * m_, 2 * m_).subspan(offsets()[v], degree(v));
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

std::shared_ptr<std::uint32_t[]> Graph::copied_block() const {
  auto block = std::make_shared<std::uint32_t[]>(num_words());
  std::copy(block_.get(), block_.get() + num_words(), block.get());
  return block;
}

// The structural edits go through the edge list: one sort of a few dozen entries. They are
// for building results; neighbourhoods are enumerated without building graphs.
Graph Graph::with_edge(Node u, Node v, Label label) const {
  assert(u != v && !has_edge(u, v));
  auto list = edges();
  list.push_back({u, v, label});
  return {labels(), list, edge_label_kind()};
}

Graph Graph::without_edge(Node u, Node v) const {
  assert(has_edge(u, v));
  auto list = edges();
  std::erase_if(list,
                [&](const Edge& e) { return (e.u == u && e.v == v) || (e.u == v && e.v == u); });
  return {labels(), list, edge_label_kind()};
}

Graph Graph::with_leaf(Node anchor, Label label, Label edge_label) const {
  assert(anchor < n_);
  std::vector<Label> all(labels().begin(), labels().end());
  all.push_back(label);
  auto list = edges();
  list.push_back({anchor, n_, edge_label});
  return {all, list, edge_label_kind()};
}

Graph Graph::without_node(Node v) const {
  assert(v < n_);
  std::vector<Label> rest(labels().begin(), labels().end());
  rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(v));
  auto list = edges();
  std::erase_if(list, [&](const Edge& e) { return e.u == v || e.v == v; });
  for (Edge& e : list) {
    e.u -= e.u > v ? 1 : 0;
    e.v -= e.v > v ? 1 : 0;
  }
  return {rest, list, edge_label_kind()};
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

}  // namespace gcfx
