// SPDX-License-Identifier: MIT
#include "fewedits/edit/edit.hpp"

#include <cassert>
#include <cstdlib>

namespace fewedits {

int size_change(Edit::Kind kind) {
  using Kind = Edit::Kind;
  switch (kind) {
    case Kind::kAddLeaf: return 2;
    case Kind::kAddEdge: return 1;
    case Kind::kNone:
    case Kind::kRelabel: return 0;
    case Kind::kRemoveEdge: return -1;
    case Kind::kRemoveLeaf: return -2;
  }
  return 0;
}

int cost_of(Edit::Kind kind) {
  return kind == Edit::Kind::kRelabel ? 1 : std::abs(size_change(kind));
}

std::vector<Node> touched_by(const Graph& graph, const Edit& edit) {
  switch (edit.kind) {
    case Edit::Kind::kNone: break;
    case Edit::Kind::kRelabel: return {edit.u};
    case Edit::Kind::kAddLeaf: return {edit.u, graph.num_nodes()};
    case Edit::Kind::kAddEdge:
    case Edit::Kind::kRemoveEdge: return {edit.u, edit.v};
    case Edit::Kind::kRemoveLeaf: {
      const Node anchor = graph.neighbours(edit.u)[0];
      return {anchor > edit.u ? anchor - 1 : anchor};
    }
  }
  return {};
}

Graph apply(const Graph& graph, const Edit& edit) {
  switch (edit.kind) {
    case Edit::Kind::kNone: break;
    case Edit::Kind::kRelabel:
      assert(graph.label(edit.u) != edit.label);
      return graph.with_label(edit.u, edit.label);
    case Edit::Kind::kAddLeaf: return graph.with_leaf(edit.u, edit.label);
    case Edit::Kind::kRemoveLeaf:
      assert(graph.degree(edit.u) == 1);
      return graph.without_node(edit.u);
    case Edit::Kind::kAddEdge: return graph.with_edge(edit.u, edit.v);
    case Edit::Kind::kRemoveEdge: return graph.without_edge(edit.u, edit.v);
  }
  return graph;
}

}  // namespace fewedits
