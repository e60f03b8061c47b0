// SPDX-License-Identifier: MIT
#include "fewedits/search/neighbourhood.hpp"

namespace fewedits {

Neighbourhood::Neighbourhood(const Graph& of, std::span<const Edit> neighbours) : graph(of) {
  edits.reserve(neighbours.size() + 1);
  edits.push_back({});
  edits.insert(edits.end(), neighbours.begin(), neighbours.end());
}

std::vector<std::uint32_t> Neighbourhood::covers(std::size_t entry) const {
  std::vector<std::uint32_t> out;
  for_each_bit(near.rows[entry], [&](std::size_t j) { out.push_back(near.active[j]); });
  return out;
}

std::size_t Neighbourhood::bytes() const {
  return sizeof(Neighbourhood) + edits.capacity() * sizeof(Edit) +
         probability.capacity() * sizeof(float) + accepted.capacity() +
         shape.capacity() * sizeof(std::uint64_t) + near.active.capacity() * sizeof(std::uint32_t) +
         near.rows.bytes() + std::size_t{8} * (graph.num_nodes() + graph.num_edges());
}

}  // namespace fewedits
