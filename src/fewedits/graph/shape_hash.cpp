// SPDX-License-Identifier: MIT
#include "fewedits/graph/shape_hash.hpp"

#include <utility>
#include <vector>

namespace fewedits {
namespace {

/// Three hops tell nearly all neighbours in an edit map apart; more rounds cost more than the few
/// comparisons they save.
constexpr int kRounds = 3;

std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93ULL;
  x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93ULL;
  return x ^ (x >> 32);
}

}  // namespace

std::uint64_t shape_hash(const Graph& graph) {
  const Node n = graph.num_nodes();
  const auto offsets = graph.offsets();
  const auto targets = graph.targets();
  thread_local std::vector<std::uint64_t> now;
  thread_local std::vector<std::uint64_t> next;
  now.resize(n);
  next.resize(n);
  for (Node v = 0; v < n; ++v) now[v] = mix(graph.label(v) + 1ULL);
  for (int round = 0; round < kRounds; ++round) {
    for (Node v = 0; v < n; ++v) {
      std::uint64_t sum = now[v] * 0xa54ff53a5f1d36f1ULL;
      if (graph.has_edge_labels()) {
        const auto labels = graph.edge_labels(v);
        const std::uint32_t first = offsets[v];
        for (std::size_t i = 0; i < labels.size(); ++i) {
          sum += mix(now[targets[first + i]] + labels[i] + 1);
        }
      } else {
        for (std::uint32_t e = offsets[v]; e < offsets[v + 1]; ++e) sum += now[targets[e]];
      }
      next[v] = mix(sum);
    }
    std::swap(now, next);
  }
  std::uint64_t total = mix(n + 1ULL);
  for (const std::uint64_t signature : now) total += mix(signature + 1);
  return total;
}

}  // namespace fewedits
