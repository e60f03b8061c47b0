// SPDX-License-Identifier: MIT
// Any bytes as an edit script and its map: carrying it out ends in a graph or an Error, and the
// certificate never says "holds" of a script whose result is not the target.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "fewedits/base/error.hpp"
#include "fewedits/graph/identity.hpp"
#include "fewedits/proof/certificate.hpp"

namespace {

using fewedits::EditOp;

const fewedits::Graph& start_graph() {
  static const fewedits::Graph graph = [] {
    const std::vector<fewedits::Label> labels{0, 1, 0, 2};
    const std::vector<fewedits::Edge> edges{{0, 1}, {1, 2}, {2, 3}};
    return fewedits::Graph(labels, edges);
  }();
  return graph;
}

const fewedits::Graph& target_graph() {
  static const fewedits::Graph graph = start_graph().with_label(3, 0).with_edge(0, 2);
  return graph;
}

/// A byte as a node: small ids, and now and then the largest there is.
fewedits::Node node_of(std::uint8_t byte) { return byte == 255 ? fewedits::kUnmatched : byte % 8U; }

/// Four bytes per edit, until one says that the rest is the map.
fewedits::EditScript script_of(std::span<const std::uint8_t> bytes) {
  fewedits::EditScript script;
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
  const fewedits::EditScript script = script_of({data, size});
  const fewedits::Verdict verdict =
      fewedits::check_certificate(start_graph(), target_graph(), script);
  try {
    const fewedits::Replayed replayed = fewedits::replay(start_graph(), script.ops);
    const bool same = fewedits::isomorphic(replayed.graph.without_edge_labels(), target_graph());
    if (verdict.holds && !same) std::abort();
  } catch (const fewedits::Error&) {
    if (verdict.holds) std::abort();
  }
  return 0;
}
