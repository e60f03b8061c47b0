// SPDX-License-Identifier: MIT
#include "fewedits/rules/neighbourhoods.hpp"

#include <algorithm>

namespace fewedits {
namespace {

/// SplitMix64's finaliser.
std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

}  // namespace

std::vector<std::uint64_t> neighbourhoods(const Graph& graph) {
  constexpr int kRadius = 2;
  std::vector<std::uint64_t> colour(graph.num_nodes());
  for (Node v = 0; v < graph.num_nodes(); ++v) {
    colour[v] = mixed(graph.label(v) + 0x9e3779b97f4a7c15ULL);
  }
  std::vector<std::uint64_t> next(colour.size());
  for (int round = 0; round < kRadius; ++round) {
    for (Node v = 0; v < graph.num_nodes(); ++v) {
      const auto row = graph.neighbours(v);
      const auto kinds = graph.edge_labels(v);
      std::uint64_t sum = 0;  // the neighbours have no order
      for (std::size_t i = 0; i < row.size(); ++i) {
        const std::uint64_t kind = kinds.empty() ? 0 : kinds[i] + 1;
        sum += mixed(colour[row[i]] ^ mixed(kind));
      }
      next[v] = mixed(colour[v] * 3 + mixed(sum + row.size()));
    }
    colour.swap(next);
  }
  return colour;
}

KnownNeighbourhoods::KnownNeighbourhoods(std::span<const Graph> graphs) {
  for (const Graph& graph : graphs) {
    const auto all = neighbourhoods(graph);
    known_.insert(known_.end(), all.begin(), all.end());
  }
  std::sort(known_.begin(), known_.end());
  known_.erase(std::unique(known_.begin(), known_.end()), known_.end());
}

bool KnownNeighbourhoods::contain_all_of(const Graph& graph) const {
  const auto all = neighbourhoods(graph);
  return std::all_of(all.begin(), all.end(), [&](std::uint64_t one) {
    return std::binary_search(known_.begin(), known_.end(), one);
  });
}

}  // namespace fewedits
