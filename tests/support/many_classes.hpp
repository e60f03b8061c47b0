// SPDX-License-Identifier: MIT
// Datasets with more than two classes, made up, that a small model can learn.
#pragma once

#include <utility>
#include <vector>

#include "fewedits/base/rng.hpp"
#include "fewedits/graph/dataset.hpp"
#include "support/shared.hpp"

namespace fewedits::test {

/// A tree of background nodes with a joined pair of other labels; the class is the pair. Six labels
/// make fifteen classes, whose values are 0 to 14.
inline RawDataset fifteen_classes(std::size_t graphs, std::uint64_t seed) {
  constexpr Label kBackground = 6;
  RawDataset out;
  out.name = "PAIRS";
  for (Label l = 0; l <= kBackground; ++l) {
    out.node_labels.push_back({l, std::string(1, static_cast<char>('a' + l))});
  }
  std::vector<std::pair<Label, Label>> pairs;
  for (Label a = 0; a < kBackground; ++a) {
    for (Label b = a + 1; b < kBackground; ++b) pairs.emplace_back(a, b);
  }
  Rng rng(seed);
  for (std::size_t i = 0; i < graphs; ++i) {
    const std::size_t c = i % pairs.size();
    Graph g = random_graph(rng, static_cast<Node>(3 + rng.below(3)), 0, 1);
    for (Node v = 0; v < g.num_nodes(); ++v) g = g.with_label(v, kBackground);
    const auto hook = static_cast<Node>(rng.below(g.num_nodes()));
    g = g.with_leaf(hook, pairs[c].first);
    out.graphs.push_back(g.with_leaf(g.num_nodes() - 1, pairs[c].second));
    out.graph_labels.push_back(static_cast<std::int64_t>(c));
  }
  return out;
}

/// Like ENZYMES: six classes of values 1 to 6, three labels of values 1 to 3, no names. The class
/// is which label most nodes have, and which of the other two the rest has.
inline RawDataset six_classes(std::size_t graphs, std::uint64_t seed) {
  RawDataset out;
  out.name = "SIX";
  for (std::int64_t value = 1; value <= 3; ++value) out.node_labels.push_back({value, {}});
  Rng rng(seed);
  for (std::size_t i = 0; i < graphs; ++i) {
    const auto c = static_cast<Label>(i % 6);
    const Label most = c / 2;
    const Label rest = (most + 1 + c % 2) % 3;
    Graph g = random_graph(rng, static_cast<Node>(7 + rng.below(4)), 1, 1);
    for (Node v = 0; v < g.num_nodes(); ++v) g = g.with_label(v, v < 3 ? rest : most);
    out.graphs.push_back(g.permuted(random_permutation(rng, g.num_nodes())));
    out.graph_labels.push_back(static_cast<std::int64_t>(c) + 1);
  }
  return out;
}

}  // namespace fewedits::test
