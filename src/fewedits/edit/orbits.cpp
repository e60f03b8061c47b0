// SPDX-License-Identifier: MIT
#include "fewedits/edit/orbits.hpp"

#include <numeric>

namespace fewedits {

Orbits::Classes::Classes(std::size_t size) : parent_(size) {
  std::iota(parent_.begin(), parent_.end(), std::uint32_t{0});
}

void Orbits::Classes::unite(std::uint32_t a, std::uint32_t b) {
  a = first_of(a);
  b = first_of(b);
  parent_[std::max(a, b)] = std::min(a, b);
}

std::uint32_t Orbits::Classes::first_of(std::uint32_t a) {
  while (parent_[a] != a) a = parent_[a] = parent_[parent_[a]];
  return a;
}

Orbits::Orbits(Node count, const Generators& generators)
    : count_(count),
      nodes_(generators.empty() ? 0 : count),
      pairs_(generators.empty() ? 0 : std::size_t{count} * count) {
  for (const auto& image : generators) unite_along(image);
}

Orbits Orbits::of(const Graph& graph, const NeighbourOptions& options) {
  if (!options.up_to_symmetry) return {graph.num_nodes(), {}};
  if (options.generators != nullptr) return {graph.num_nodes(), *options.generators};
  return {graph.num_nodes(), automorphism_generators(graph, options.frozen)};
}

// Pairs of nodes that stay, stay. Most generators of a molecule swap two hydrogens, so this takes a
// few n steps rather than n².
void Orbits::unite_along(const std::vector<Node>& image) {
  for (Node u = 0; u < count_; ++u) {
    if (image[u] == u) continue;
    nodes_.unite(u, image[u]);
    for (Node v = 0; v < count_; ++v) {
      if (v != u) pairs_.unite(index(u, v), index(image[u], image[v]));
    }
  }
}

}  // namespace fewedits
