// SPDX-License-Identifier: MIT
// The edits a node map spells out, in an order in which they can be carried out one by one.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fewedits/graph/dataset.hpp"
#include "fewedits/proof/node_map.hpp"

namespace fewedits {

/// One edit. Node ids are those of the graph the script starts from; inserted nodes take the next
/// free ids in order of insertion; the id of a deleted node is never used again.
struct EditOp {
  enum class Kind {
    kRelabelNode,  ///< node u gets `label`
    kRelabelEdge,  ///< edge {u,v} gets `label`
    kDeleteEdge,   ///< edge {u,v}
    kDeleteNode,   ///< node u, which has no edges any more
    kInsertNode,   ///< node u with `label`; u is the next free id
    kInsertEdge    ///< edge {u,v} with `label` (0 where edges have none)
  };
  Kind kind = Kind::kRelabelNode;
  Node u = 0;
  Node v = 0;
  Label label = 0;
  friend bool operator==(const EditOp&, const EditOp&) = default;
};

/// A script and where each node of its result ends up in the target.
struct EditScript {
  std::vector<EditOp> ops;
  /// Indexed by node id (those of the start, then the inserted ones): its node in the target, or
  /// kUnmatched for a deleted one.
  std::vector<Node> map;
  friend bool operator==(const EditScript&, const EditScript&) = default;
};

/// Cost of one edit; throws Error for a kind that does not exist.
std::int64_t cost_of(const EditOp& op, const EditCosts& costs);

/// The edits induced by a map: relabel nodes, relabel edges, delete edges, delete nodes, insert
/// nodes, insert edges, each group ascending by node; nodes are inserted in the order of b. Needs
/// is_node_map. Their costs sum to induced_cost(a, b, map, costs): edge labels are compared only if
/// costs.relabel_edge > 0 (kept edges keep theirs otherwise, inserted ones always take b's), and an
/// edge whose relabelling would cost more than deleting and inserting it is deleted and inserted.
EditScript edit_script(const Graph& a, const Graph& b, std::span<const Node> map,
                       const EditCosts& costs = {});

/// What nodes and edges are called in the text form.
struct EditTerms {
  const char* node;
  const char* edge;
};
inline EditTerms edit_terms(bool molecules) {
  return molecules ? EditTerms{"atom", "bond"} : EditTerms{"node", "edge"};
}

/// Names for labels in the text form; an index without a name appears as a number.
struct LabelNames {
  std::vector<std::string> nodes;
  std::vector<std::string> edges;
  bool molecules = false;
};
/// A label the dataset has no name for appears as its value in the source.
LabelNames label_names(const Dataset& dataset);

/// One line per edit: "relabel atom 3 from N to C", "remove bond 3–7", "add atom 12 (O)". Labels of
/// added edges are told if the start has edge labels or the script gives one that is not 0.
/// `start` is the graph the script starts from; throws Error if the script does not fit it
/// (certificate.hpp, replay).
std::vector<std::string> script_in_words(const Graph& start, const EditScript& script,
                                         const LabelNames& names);

}  // namespace fewedits
