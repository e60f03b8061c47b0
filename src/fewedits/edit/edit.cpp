// SPDX-License-Identifier: MIT
#include "fewedits/edit/edit.hpp"

#include <algorithm>
#include <cassert>
#include <cstdlib>

namespace fewedits {

int size_change(Edit::Kind kind) {
  using Kind = Edit::Kind;
  switch (kind) {
    case Kind::kAddLeaf: return 2;
    case Kind::kAddEdge: return 1;
    case Kind::kNone:
    case Kind::kRelabel:
    case Kind::kRelabelEdge: return 0;
    case Kind::kRemoveEdge: return -1;
    case Kind::kRemoveLeaf: return -2;
  }
  return 0;
}

int cost_of(Edit::Kind kind) {
  const bool relabels = kind == Edit::Kind::kRelabel || kind == Edit::Kind::kRelabelEdge;
  return relabels ? 1 : std::abs(size_change(kind));
}

int size_change(std::span<const Edit> step) {
  int sum = 0;
  for (const Edit& edit : step) sum += size_change(edit.kind);
  return sum;
}

int cost_of(std::span<const Edit> step) {
  int sum = 0;
  for (const Edit& edit : step) sum += cost_of(edit.kind);
  return sum;
}

std::vector<Node> touched_by(const Graph& graph, const Edit& edit) {
  switch (edit.kind) {
    case Edit::Kind::kNone: break;
    case Edit::Kind::kRelabel: return {edit.u};
    case Edit::Kind::kAddLeaf: return {edit.u, graph.num_nodes()};
    case Edit::Kind::kAddEdge:
    case Edit::Kind::kRemoveEdge:
    case Edit::Kind::kRelabelEdge: return {edit.u, edit.v};
    case Edit::Kind::kRemoveLeaf: {
      const Node anchor = graph.neighbours(edit.u)[0];
      return {anchor > edit.u ? anchor - 1 : anchor};
    }
  }
  return {};
}

std::vector<Node> touched_by(const Graph& graph, std::span<const Edit> step) {
  if (step.size() == 1) return touched_by(graph, step.front());
  std::vector<Node> all;
  Graph now = graph;
  for (const Edit& edit : step) {
    if (edit.kind == Edit::Kind::kRemoveLeaf) {
      std::erase(all, edit.u);
      for (Node& v : all) v -= v > edit.u ? 1U : 0U;
    }
    for (const Node v : touched_by(now, edit)) {
      if (std::find(all.begin(), all.end(), v) == all.end()) all.push_back(v);
    }
    now = apply(now, edit);
  }
  return all;
}

Graph apply(const Graph& graph, const Edit& edit) {
  switch (edit.kind) {
    case Edit::Kind::kNone: break;
    case Edit::Kind::kRelabel:
      assert(graph.label(edit.u) != edit.label);
      return graph.with_label(edit.u, edit.label);
    case Edit::Kind::kAddLeaf: return graph.with_leaf(edit.u, edit.label, edit.edge_label);
    case Edit::Kind::kRemoveLeaf:
      assert(graph.degree(edit.u) == 1);
      return graph.without_node(edit.u);
    case Edit::Kind::kAddEdge: return graph.with_edge(edit.u, edit.v, edit.edge_label);
    case Edit::Kind::kRemoveEdge: return graph.without_edge(edit.u, edit.v);
    case Edit::Kind::kRelabelEdge:
      assert(graph.edge_label(edit.u, edit.v) != edit.label);
      return graph.with_edge_label(edit.u, edit.v, edit.label);
  }
  return graph;
}

Graph apply_step(Graph graph, std::span<const Edit> step) {
  for (const Edit& edit : step) graph = apply(graph, edit);
  return graph;
}

}  // namespace fewedits
