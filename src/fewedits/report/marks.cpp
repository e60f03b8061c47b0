// SPDX-License-Identifier: MIT
#include "fewedits/report/marks.hpp"

#include <algorithm>

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

}  // namespace fewedits
