// SPDX-License-Identifier: MIT
// Any graph as a molecule: it is valid or there is a reason; a canonical graph stays as it is; the
// steps of a valid molecule lead to valid, canonical ones.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "fewedits/edit/molecule_steps.hpp"

namespace {

using fewedits::Edge;
using fewedits::Graph;
using fewedits::Label;
using fewedits::MoleculeRules;
using fewedits::Node;

const std::vector<MoleculeRules>& rules() {
  static const std::vector<std::string> bonds = {"single", "double", "triple", "aromatic"};
  static const std::vector<MoleculeRules> all = {
      *MoleculeRules::of({"C", "N", "O", "S", "P", "Cl", "Na", "Pt"}, bonds),
      *MoleculeRules::of({"C", "N", "O", "H", "S", "P", "F", "Na"}, bonds),
      *MoleculeRules::of({"C", "N", "O", "N+", "O-", "S", "C-", "B"}, bonds)};
  return all;
}

/// A byte for the rules, one for the number of nodes, one a node, three an edge.
Graph graph_of(std::span<const std::uint8_t> data) {
  const Node nodes = std::min<Node>(1 + data[1] % 10, static_cast<Node>(data.size() - 2));
  std::vector<Label> labels;
  for (Node v = 0; v < nodes; ++v) labels.push_back(data[2 + v] % 9);
  std::vector<Edge> edges;
  for (std::size_t at = 2 + nodes; at + 2 < data.size(); at += 3) {
    const Node u = data[at] % nodes;
    const Node v = data[at + 1] % nodes;
    const bool is_new = std::none_of(edges.begin(), edges.end(), [&](const Edge& e) {
      return (e.u == u && e.v == v) || (e.u == v && e.v == u);
    });
    if (u != v && is_new) edges.push_back({u, v, data[at + 2] % 5U});
  }
  return {labels, edges, Graph::EdgeLabels::kPresent};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3 || size > 300) return 0;
  const MoleculeRules& known = rules()[data[0] % rules().size()];
  const Graph raw = graph_of({data, size});
  if (known.is_valid(raw) != known.why_invalid(raw).empty()) std::abort();
  (void)known.canonical(raw, MoleculeRules::Aromatic::kForeign);
  const Graph canonical = known.canonical(raw);
  if (known.canonical(canonical) != canonical) std::abort();
  const bool is_valid = known.is_valid(canonical);
  for (const fewedits::Step& step : fewedits::molecule_steps(canonical, known)) {
    const Graph after = fewedits::apply_step(canonical, step);
    if (known.canonical(after) != after) std::abort();
    if (is_valid && !known.is_valid(after)) std::abort();
  }
  return 0;
}
