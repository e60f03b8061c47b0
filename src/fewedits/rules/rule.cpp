// SPDX-License-Identifier: MIT
#include "fewedits/rules/rule.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "fewedits/base/error.hpp"
#include "fewedits/graph/identity.hpp"

namespace fewedits {
namespace {

/// The number of each item among the different ones, in ascending order.
template <typename Item>
std::vector<Label> numbered(const std::vector<Item>& items) {
  std::vector<Item> different = items;
  std::sort(different.begin(), different.end());
  different.erase(std::unique(different.begin(), different.end()), different.end());
  std::vector<Label> out;
  out.reserve(items.size());
  for (const Item& item : items) {
    out.push_back(static_cast<Label>(std::lower_bound(different.begin(), different.end(), item) -
                                     different.begin()));
  }
  return out;
}

/// Are all nodes with `is_in` joined by the edges with `is_in`?
template <typename NodeIn, typename EdgeIn>
bool are_joined(const std::vector<RuleNode>& nodes, const std::vector<RuleEdge>& edges,
                const NodeIn& node_in, const EdgeIn& edge_in) {
  std::vector<std::size_t> part(nodes.size());
  for (std::size_t v = 0; v < part.size(); ++v) part[v] = v;
  for (const RuleEdge& e : edges) {
    if (!edge_in(e)) continue;
    const std::size_t from = part[e.u];
    const std::size_t to = part[e.v];
    for (std::size_t& p : part) p = p == from ? to : p;
  }
  constexpr std::size_t kNone = Rule::kMostNodes;
  std::size_t first = kNone;
  for (std::size_t v = 0; v < nodes.size(); ++v) {
    if (!node_in(nodes[v])) continue;
    if (first == kNone) first = part[v];
    if (part[v] != first) return false;
  }
  return true;
}

/// Returns where each node went. The edges need not join them.
std::vector<Node> bring_to_canonical_order(std::vector<RuleNode>& nodes,
                                           std::vector<RuleEdge>& edges) {
  std::vector<std::pair<Label, Label>> labels;
  labels.reserve(edges.size());
  for (const RuleEdge& e : edges) labels.emplace_back(e.before, e.after);
  const std::vector<Label> colours = numbered(labels);
  std::vector<Edge> coloured;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    coloured.push_back({edges[i].u, edges[i].v, colours[i]});
  }
  const Graph graph(numbered(nodes), coloured, Graph::EdgeLabels::kPresent);
  std::vector<Node> position = canonical_positions(graph);
  std::vector<RuleNode> ordered(nodes.size());
  for (Node v = 0; v < nodes.size(); ++v) ordered[position[v]] = nodes[v];
  nodes = std::move(ordered);
  for (RuleEdge& e : edges) {
    e.u = position[e.u];
    e.v = position[e.v];
    if (e.u > e.v) std::swap(e.u, e.v);
  }
  std::sort(edges.begin(), edges.end());
  return position;
}

[[noreturn]] void refuse(const char* why) { throw Error(std::string("this is no rule: ") + why); }

Graph side(const std::vector<RuleNode>& nodes, const std::vector<RuleEdge>& edges, bool after,
           Graph::EdgeLabels edge_labels) {
  std::vector<Node> place(nodes.size(), 0);
  std::vector<Label> labels;
  for (std::size_t v = 0; v < nodes.size(); ++v) {
    const Label label = after ? nodes[v].after : nodes[v].before;
    if (label == kAbsent) continue;
    place[v] = static_cast<Node>(labels.size());
    labels.push_back(label);
  }
  std::vector<Edge> out;
  for (const RuleEdge& e : edges) {
    const Label label = after ? e.after : e.before;
    if (label != kAbsent) out.push_back({place[e.u], place[e.v], label});
  }
  return {labels, out, edge_labels};
}

}  // namespace

Rule::Rule(std::vector<RuleNode> nodes, std::vector<RuleEdge> edges)
    : nodes_(std::move(nodes)), edges_(std::move(edges)) {
  for (RuleEdge& e : edges_) {
    if (e.u > e.v) std::swap(e.u, e.v);
  }
  check();
  bring_to_canonical_order();
  for (const RuleNode& node : nodes_) {
    nodes_before_ += node.comes() ? 0U : 1U;
    cost_ += node.changes() ? 1 : 0;
    size_change_ += (node.goes() ? 0 : 1) - (node.comes() ? 0 : 1);
    removes_ = removes_ || node.goes();
  }
  for (const RuleEdge& e : edges_) {
    cost_ += e.changes() ? 1 : 0;
    size_change_ += (e.goes() ? 0 : 1) - (e.comes() ? 0 : 1);
    removes_ = removes_ || e.goes();
  }
}

void Rule::check() const {
  if (nodes_.size() > kMostNodes) refuse("it has too many nodes");
  const auto before = static_cast<std::size_t>(
      std::count_if(nodes_.begin(), nodes_.end(), [](const RuleNode& v) { return !v.comes(); }));
  if (before == 0) refuse("there is nothing that it applies to");
  if (before > kMostBefore) refuse("its pattern has more than 8 nodes");
  bool changes = false;
  bool stays = false;
  for (const RuleNode& node : nodes_) {
    if (node.comes() && node.goes()) refuse("a node is neither there before nor after");
    changes = changes || node.changes();
    stays = stays || (!node.comes() && !node.goes());
  }
  std::vector<std::pair<Node, Node>> ends;
  for (const RuleEdge& e : edges_) {
    if (e.u == e.v || e.v >= nodes_.size()) refuse("an edge has no two ends");
    if (e.comes() && e.goes()) refuse("an edge is neither there before nor after");
    const bool new_end = nodes_[e.u].comes() || nodes_[e.v].comes();
    const bool old_end = nodes_[e.u].goes() || nodes_[e.v].goes();
    if (new_end && !e.comes()) refuse("an edge is there before one of its nodes");
    if (old_end && !e.goes()) refuse("an edge stays without one of its nodes");
    changes = changes || e.changes();
    ends.emplace_back(e.u, e.v);
  }
  std::sort(ends.begin(), ends.end());
  if (std::adjacent_find(ends.begin(), ends.end()) != ends.end()) refuse("an edge is there twice");
  if (!changes) refuse("it changes nothing");
  if (!stays) refuse("nothing stays");
  if (!are_joined(
          nodes_, edges_, [](const RuleNode& v) { return !v.comes(); },
          [](const RuleEdge& e) { return !e.comes(); })) {
    refuse("its pattern is not connected");
  }
  // Nodes that come: joined with those that are there, all of which count as one.
  std::vector<RuleEdge> all = edges_;
  Node first = 0;
  while (nodes_[first].comes() || nodes_[first].goes()) ++first;
  for (Node v = 0; v < nodes_.size(); ++v) {
    if (v != first && !nodes_[v].comes()) all.push_back({first, v, 0, 0});
  }
  if (!are_joined(
          nodes_, all, [](const RuleNode&) { return true; },
          [](const RuleEdge& e) { return !e.goes(); })) {
    refuse("a node that comes is joined to nothing that stays");
  }
}

void Rule::bring_to_canonical_order() { fewedits::bring_to_canonical_order(nodes_, edges_); }

Rule Rule::inverse() const {
  std::vector<RuleNode> nodes = nodes_;
  std::vector<RuleEdge> edges = edges_;
  for (RuleNode& v : nodes) std::swap(v.before, v.after);
  for (RuleEdge& e : edges) std::swap(e.before, e.after);
  return {std::move(nodes), std::move(edges)};
}

Graph Rule::left(Graph::EdgeLabels edge_labels) const {
  return side(nodes_, edges_, false, edge_labels);
}

Graph Rule::right(Graph::EdgeLabels edge_labels) const {
  return side(nodes_, edges_, true, edge_labels);
}

bool fits_labels(const Rule& rule, std::size_t node_labels, std::size_t edge_labels) {
  const auto known = [](Label label, std::size_t count) {
    return label == kAbsent || label < count;
  };
  // Edges without labels have 0.
  const std::size_t edges = std::max<std::size_t>(1, edge_labels);
  return std::all_of(rule.nodes().begin(), rule.nodes().end(),
                     [&](const RuleNode& v) {
                       return known(v.before, node_labels) && known(v.after, node_labels);
                     }) &&
         std::all_of(rule.edges().begin(), rule.edges().end(), [&](const RuleEdge& e) {
           return known(e.before, edges) && known(e.after, edges);
         });
}

RuleChange change_of(const Rule& rule) {
  std::vector<bool> touched(rule.size(), false);
  for (Node v = 0; v < rule.size(); ++v) touched[v] = rule.nodes()[v].changes();
  for (const RuleEdge& e : rule.edges()) {
    if (e.changes()) touched[e.u] = touched[e.v] = true;
  }
  RuleChange out;
  std::vector<Node> place(rule.size(), 0);
  for (Node v = 0; v < rule.size(); ++v) {
    if (!touched[v]) continue;
    place[v] = static_cast<Node>(out.nodes.size());
    out.nodes.push_back(rule.nodes()[v]);
    out.node_of.push_back(v);
  }
  for (const RuleEdge& e : rule.edges()) {
    if (e.changes()) out.edges.push_back({place[e.u], place[e.v], e.before, e.after});
  }
  const std::vector<Node> position = bring_to_canonical_order(out.nodes, out.edges);
  std::vector<Node> node_of(out.node_of.size());
  for (Node i = 0; i < position.size(); ++i) node_of[position[i]] = out.node_of[i];
  out.node_of = std::move(node_of);
  return out;
}

}  // namespace fewedits
