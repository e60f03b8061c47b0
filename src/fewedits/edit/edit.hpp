// SPDX-License-Identifier: MIT
// One step of the edit map (SPEC §6): what turns a graph into one of its neighbours. That is a
// single edit or, where one alone would leave something that does not exist (a molecule with an
// open valence), a short list of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fewedits/graph/graph.hpp"

namespace fewedits {

struct Edit {
  enum class Kind : std::uint8_t {
    kNone,        ///< the graph itself
    kRelabel,     ///< node u gets `label`
    kAddLeaf,     ///< a new node with `label`, attached to u by an edge with `edge_label`
    kRemoveLeaf,  ///< node u, which has one neighbour
    kAddEdge,     ///< {u, v}, u < v, with `edge_label`
    kRemoveEdge,  ///< {u, v}, u < v, not a bridge
    kRelabelEdge  ///< the edge {u, v}, u < v, gets `label`
  };
  Kind kind = Kind::kNone;
  Node u = 0;
  Node v = 0;
  Label label = 0;
  Label edge_label = 0;  ///< of an edge that comes; 0 in graphs whose edges have no labels

  friend bool operator==(const Edit&, const Edit&) = default;
};

/// In the order in which they are applied; nodes are numbered as the edits before leave them.
using Step = std::vector<Edit>;

/// How much larger |V| + |E| becomes.
int size_change(Edit::Kind kind);
/// Edits of the edit distance (SPEC §4) that it stands for: a leaf is a node and an edge.
int cost_of(Edit::Kind kind);
int size_change(std::span<const Edit> step);
/// At most: edits of a step may undo each other.
int cost_of(std::span<const Edit> step);
/// The nodes whose label or edges are not as they were, by their numbers after the edit.
std::vector<Node> touched_by(const Graph& graph, const Edit& edit);
std::vector<Node> touched_by(const Graph& graph, std::span<const Edit> step);

/// The neighbour. The edit must fit the graph (asserted, but for bridges).
Graph apply(const Graph& graph, const Edit& edit);
/// All of them, one after the other. (Not apply: a vector would find std::apply.)
Graph apply_step(Graph graph, std::span<const Edit> step);

}  // namespace fewedits
