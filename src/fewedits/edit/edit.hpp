// SPDX-License-Identifier: MIT
// One step of the edit map (SPEC §6): what turns a graph into one of its neighbours.
#pragma once

#include <cstdint>
#include <vector>

#include "fewedits/graph/graph.hpp"

namespace fewedits {

struct Edit {
  enum class Kind : std::uint8_t {
    kNone,        ///< the graph itself
    kRelabel,     ///< node u gets `label`
    kAddLeaf,     ///< a new node with `label`, attached to u
    kRemoveLeaf,  ///< node u, which has one neighbour
    kAddEdge,     ///< {u, v}, u < v
    kRemoveEdge   ///< {u, v}, u < v, not a bridge
  };
  Kind kind = Kind::kNone;
  Node u = 0;
  Node v = 0;
  Label label = 0;

  friend bool operator==(const Edit&, const Edit&) = default;
};

/// How much larger |V| + |E| becomes.
int size_change(Edit::Kind kind);
/// Edits of the edit distance (SPEC §4) that it stands for: a leaf is a node and an edge.
int cost_of(Edit::Kind kind);
/// The nodes whose label or edges are not as they were, by their numbers after the edit.
std::vector<Node> touched_by(const Graph& graph, const Edit& edit);

/// The neighbour. The edit must fit the graph (asserted, but for bridges). A new edge gets label 0.
Graph apply(const Graph& graph, const Edit& edit);

}  // namespace fewedits
