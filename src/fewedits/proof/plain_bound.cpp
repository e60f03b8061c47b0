// SPDX-License-Identifier: MIT
#include "fewedits/proof/plain_bound.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <iterator>

namespace fewedits {

PlainShape::PlainShape(const Graph& graph) : labels(graph.labels().begin(), graph.labels().end()) {
  for (Node v = 0; v < graph.num_nodes(); ++v) {
    degrees.push_back(static_cast<std::uint32_t>(graph.degree(v)));
  }
  std::sort(labels.begin(), labels.end());
  std::sort(degrees.begin(), degrees.end(), std::greater<>());
}

std::int64_t least_edits(const PlainShape& a, const PlainShape& b) {
  std::vector<Label> common;
  std::set_intersection(a.labels.begin(), a.labels.end(), b.labels.begin(), b.labels.end(),
                        std::back_inserter(common));
  const std::size_t nodes = std::max(a.labels.size(), b.labels.size());
  std::int64_t apart = 0;  // a node that is missing has degree 0
  for (std::size_t i = 0; i < nodes; ++i) {
    const std::int64_t of_a = i < a.degrees.size() ? a.degrees[i] : 0;
    const std::int64_t of_b = i < b.degrees.size() ? b.degrees[i] : 0;
    apart += std::abs(of_a - of_b);
  }
  return static_cast<std::int64_t>(nodes - common.size()) + (apart + 1) / 2;
}

}  // namespace fewedits
