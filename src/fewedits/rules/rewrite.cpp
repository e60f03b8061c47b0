// SPDX-License-Identifier: MIT
#include "fewedits/rules/rewrite.hpp"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

namespace fewedits {

Graph rewritten(const Graph& graph, const Rule& rule, const Image& image) {
  const Node n = graph.num_nodes();
  std::vector<Label> label(graph.labels().begin(), graph.labels().end());
  Image now = image;
  for (Node v = 0; v < rule.size(); ++v) {
    const RuleNode& node = rule.nodes()[v];
    if (node.comes()) {
      now[v] = static_cast<Node>(label.size());
      label.push_back(node.after);
    } else {
      label[image[v]] = node.after;  // kAbsent for those that go
    }
  }
  std::vector<Node> place(label.size(), kNoNode);
  std::vector<Label> labels;
  labels.reserve(label.size());
  for (Node v = 0; v < label.size(); ++v) {
    if (label[v] == kAbsent) continue;
    place[v] = static_cast<Node>(labels.size());
    labels.push_back(label[v]);
  }
  std::vector<std::pair<std::pair<Node, Node>, Label>> changed;
  for (const RuleEdge& e : rule.edges()) {
    if (!e.changes()) continue;
    changed.push_back({std::minmax(now[e.u], now[e.v]), e.after});
  }
  std::vector<Edge> edges;
  edges.reserve(graph.num_edges() + changed.size());
  for (Node u = 0; u < n; ++u) {
    const auto row = graph.neighbours(u);
    const auto kinds = graph.edge_labels(u);
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (row[i] <= u) continue;
      const auto at = std::find_if(changed.begin(), changed.end(), [&](const auto& c) {
        return c.first.first == u && c.first.second == row[i];
      });
      const Label is = kinds.empty() ? 0 : kinds[i];
      const Label becomes = at == changed.end() ? is : at->second;
      if (at != changed.end()) at->second = kAbsent;
      if (becomes != kAbsent) edges.push_back({place[u], place[row[i]], becomes});
    }
  }
  // What is left was not there. A graph is built faster of edges in order.
  for (const auto& [ends, after] : changed) {
    if (after == kAbsent) continue;
    const Edge edge{place[ends.first], place[ends.second], after};
    edges.insert(std::upper_bound(edges.begin(), edges.end(), edge), edge);
  }
  return {labels, edges,
          graph.has_edge_labels() ? Graph::EdgeLabels::kPresent : Graph::EdgeLabels::kAbsent};
}

std::optional<Edit> as_single_edit(const Graph& graph, const Rule& rule, const Image& image) {
  using Kind = Edit::Kind;
  const RuleNode* node = nullptr;
  Node node_at = 0;
  const RuleEdge* edge = nullptr;
  for (Node v = 0; v < rule.size(); ++v) {
    if (!rule.nodes()[v].changes()) continue;
    if (node != nullptr) return std::nullopt;
    node = &rule.nodes()[v];
    node_at = v;
  }
  for (const RuleEdge& e : rule.edges()) {
    if (!e.changes()) continue;
    if (edge != nullptr) return std::nullopt;
    edge = &e;
  }
  Edit out;
  if (edge == nullptr) {
    if (node == nullptr || node->comes() || node->goes()) return std::nullopt;
    out.kind = Kind::kRelabel;
    out.u = image[node_at];
    out.label = node->after;
    return out;
  }
  if (node != nullptr) {
    const Node other = edge->u == node_at ? edge->v : edge->u;
    if (node->comes() && edge->comes()) {
      out.kind = Kind::kAddLeaf;
      out.u = image[other];
      out.label = node->after;
      out.edge_label = edge->after;
      return out;
    }
    if (!node->goes() || !edge->goes() || graph.degree(image[node_at]) != 1) return std::nullopt;
    out.kind = Kind::kRemoveLeaf;
    out.u = image[node_at];
    return out;
  }
  std::tie(out.u, out.v) = std::minmax(image[edge->u], image[edge->v]);
  if (edge->comes()) {
    out.kind = Kind::kAddEdge;
    out.edge_label = edge->after;
  } else if (edge->goes()) {
    out.kind = Kind::kRemoveEdge;
  } else {
    out.kind = Kind::kRelabelEdge;
    out.label = edge->after;
  }
  return out;
}

std::size_t num_components(const Graph& graph) {
  std::vector<bool> seen(graph.num_nodes(), false);
  std::vector<Node> stack;
  std::size_t count = 0;
  for (Node root = 0; root < graph.num_nodes(); ++root) {
    if (seen[root]) continue;
    ++count;
    seen[root] = true;
    stack.push_back(root);
    while (!stack.empty()) {
      const Node v = stack.back();
      stack.pop_back();
      for (const Node w : graph.neighbours(v)) {
        if (seen[w]) continue;
        seen[w] = true;
        stack.push_back(w);
      }
    }
  }
  return count;
}

bool is_within(double theta, const Rule& rule, std::size_t size) {
  const auto both = static_cast<double>(2 * static_cast<std::ptrdiff_t>(size) + rule.size_change());
  return static_cast<double>(rule.cost()) / both <= theta;
}

bool is_allowed(const Graph& result, const Rule& rule, const RewriteLimits& limits,
                std::size_t components) {
  if (rule.removes() && num_components(result) > components) return false;
  if (limits.known && !limits.known->contain_all_of(result)) return false;
  return satisfies(result, limits.constraints);
}

}  // namespace fewedits
