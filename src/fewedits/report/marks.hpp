// SPDX-License-Identifier: MIT
// What an edit script does to the nodes and edges of the two graphs it leads between.
#pragma once

#include <map>
#include <utility>

#include "fewedits/graph/graph.hpp"
#include "fewedits/proof/edit_script.hpp"

namespace fewedits {

enum class Mark { kRemoved, kAdded, kRelabelled };

/// Nodes and edges (the lesser node first) that are not as in the other graph.
struct Marks {
  std::map<Node, Mark> nodes;
  std::map<std::pair<Node, Node>, Mark> edges;
};

/// On the start: removed and relabelled; on the target: added and relabelled.
struct PairMarks {
  Marks start;
  Marks target;
};
PairMarks marks_of(const EditScript& script);

/// Both graphs in one: the start with all that the script adds to it, and nothing removed. Its
/// nodes are those of the script.
struct Overlay {
  Graph graph;  ///< with the start's edge labels, if it has any
  Marks marks;
  std::map<Node, Label> becomes;  ///< of relabelled nodes
};
Overlay overlay_of(const Graph& start, const EditScript& script);

}  // namespace fewedits
