// SPDX-License-Identifier: MIT
// The automorphisms of a small graph by brute force.
#pragma once

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "fewedits/graph/graph.hpp"

namespace fewedits::test {

/// Tries every permutation; those that keep the set of frozen nodes (a flag per node, or empty).
inline std::vector<std::vector<Node>> all_automorphisms(const Graph& g,
                                                        std::span<const bool> frozen = {}) {
  std::vector<std::vector<Node>> found;
  std::vector<Node> image(g.num_nodes());
  std::iota(image.begin(), image.end(), Node{0});
  do {
    bool keeps_frozen = true;
    for (Node v = 0; v < frozen.size(); ++v) keeps_frozen &= frozen[v] == frozen[image[v]];
    if (keeps_frozen && g.permuted(image) == g) found.push_back(image);
  } while (std::next_permutation(image.begin(), image.end()));
  return found;
}

}  // namespace fewedits::test
