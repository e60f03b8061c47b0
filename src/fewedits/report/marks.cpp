// SPDX-License-Identifier: MIT
#include "fewedits/report/marks.hpp"

#include <algorithm>
#include <vector>

namespace fewedits {

PairMarks marks_of(const EditScript& script) {
  PairMarks out;
  const auto image = [&](Node id) { return script.map[id]; };
  for (const EditOp& op : script.ops) {
    using Kind = EditOp::Kind;
    switch (op.kind) {
      case Kind::kRelabelNode:
        out.start.nodes.emplace(op.u, Mark::kRelabelled);
        out.target.nodes.emplace(image(op.u), Mark::kRelabelled);
        break;
      case Kind::kRelabelEdge:
        out.start.edges.emplace(std::minmax(op.u, op.v), Mark::kRelabelled);
        out.target.edges.emplace(std::minmax(image(op.u), image(op.v)), Mark::kRelabelled);
        break;
      case Kind::kDeleteEdge:
        out.start.edges.emplace(std::minmax(op.u, op.v), Mark::kRemoved);
        break;
      case Kind::kDeleteNode: out.start.nodes.emplace(op.u, Mark::kRemoved); break;
      case Kind::kInsertNode: out.target.nodes.emplace(image(op.u), Mark::kAdded); break;
      case Kind::kInsertEdge:
        out.target.edges.emplace(std::minmax(image(op.u), image(op.v)), Mark::kAdded);
        break;
    }
  }
  return out;
}

Overlay overlay_of(const Graph& start, const EditScript& script) {
  Overlay out{Graph(), marks_of(script).start, {}};
  std::vector<Label> labels(start.labels().begin(), start.labels().end());
  std::vector<Edge> edges = start.edges();
  for (const EditOp& op : script.ops) {
    using Kind = EditOp::Kind;
    switch (op.kind) {
      case Kind::kRelabelNode: out.becomes.emplace(op.u, op.label); break;
      case Kind::kInsertNode:
        labels.push_back(op.label);
        out.marks.nodes.emplace(op.u, Mark::kAdded);
        break;
      case Kind::kInsertEdge:
        edges.push_back({op.u, op.v, op.label});
        out.marks.edges.emplace(std::minmax(op.u, op.v), Mark::kAdded);
        break;
      case Kind::kRelabelEdge:
      case Kind::kDeleteEdge:
      case Kind::kDeleteNode: break;
    }
  }
  const bool labelled = start.has_edge_labels();
  out.graph =
      Graph(labels, edges, labelled ? Graph::EdgeLabels::kPresent : Graph::EdgeLabels::kAbsent);
  return out;
}

}  // namespace fewedits
