// SPDX-License-Identifier: MIT
// Checks a claimed distance by carrying out its edit script. Uses none of the code that finds
// maps or scripts: only the graph type, the list of edits and the cost of one.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fewedits/proof/edit_script.hpp"

namespace fewedits {

/// What carrying out a script gives: the graph, and the id each of its nodes had in the script,
/// ascending. The graph has edge labels if the start has them or an edit gives an edge one that
/// is not 0.
struct Replayed {
  Graph graph;
  std::vector<Node> ids;
};

/// Carries the edits out in order. Throws Error naming the edit (counted from 1) that cannot be:
/// an unknown or deleted node, an edge that is there already or is not there, a self loop, a
/// node with edges deleted, an inserted node without the next free id, a relabelling that
/// changes nothing. Fields a kind of edit does not use are ignored. The ids may be anything, as
/// in a script read from a file: O((|V| + |E| + edits) log) time, memory in proportion.
Replayed replay(const Graph& start, std::span<const EditOp> ops);

struct Verdict {
  bool holds = false;
  std::int64_t cost = 0;  ///< of all edits; meaningful if the script could be carried out
  std::string reason;     ///< why it does not hold; empty if it does
};

/// Holds if the script turns `a` into `b` exactly as script.map says: the map is a bijection of the
/// replayed nodes onto b's that keeps labels and edges (and labels of edges, if
/// costs.relabel_edge > 0), with kUnmatched for every deleted node; and, with a limit, if the edits
/// cost at most that. Never throws on a bad script or bad costs: they do not hold.
Verdict check_certificate(const Graph& a, const Graph& b, const EditScript& script,
                          const EditCosts& costs = {},
                          std::optional<std::int64_t> limit = std::nullopt);

}  // namespace fewedits
