// SPDX-License-Identifier: MIT
// Any bytes as an edit script and its map: carrying it out ends in a graph or an Error, and the
// certificate never says "holds" of a script whose result is not the target.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "gcfx/base/error.hpp"
#include "gcfx/ged/certificate.hpp"
#include "gcfx/graph/identity.hpp"

namespace {

using gcfx::EditOp;

const gcfx::Graph& start_graph() {
  static const gcfx::Graph graph = [] {
    const std::vector<gcfx::Label> labels{0, 1, 0, 2};
    const std::vector<gcfx::Edge> edges{{0, 1}, {1, 2}, {2, 3}};
    return gcfx::Graph(labels, edges);
  }();
  return graph;
}

const gcfx::Graph& target_graph() {
  static const gcfx::Graph graph = start_graph().with_label(3, 0).with_edge(0, 2);
  return graph;
}

/// A byte as a node: small ids, and now and then the largest there is.
gcfx::Node node_of(std::uint8_t byte) { return byte == 255 ? gcfx::kUnmatched : byte % 8U; }

/// Four bytes an edit, until one says that the rest is the map.
gcfx::EditScript script_of(std::span<const std::uint8_t> bytes) {
  gcfx::EditScript script;
  std::size_t at = 0;
  while (at + 4 <= bytes.size() && bytes[at] % 8 < 7) {
    script.ops.push_back({static_cast<EditOp::Kind>(bytes[at] % 8), node_of(bytes[at + 1]),
                          node_of(bytes[at + 2]), bytes[at + 3] % 4U});
    at += 4;
  }
  for (at += 1; at < bytes.size(); ++at) script.map.push_back(node_of(bytes[at]));
  return script;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const gcfx::EditScript script = script_of({data, size});
  const gcfx::Verdict verdict = gcfx::check_certificate(start_graph(), target_graph(), script);
  try {
    const gcfx::Replayed replayed = gcfx::replay(start_graph(), script.ops);
    const bool same = gcfx::isomorphic(replayed.graph.without_edge_labels(), target_graph());
    if (verdict.holds && !same) std::abort();
  } catch (const gcfx::Error&) {
    if (verdict.holds) std::abort();
  }
  return 0;
}
