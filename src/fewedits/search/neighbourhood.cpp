// SPDX-License-Identifier: MIT
#include "fewedits/search/neighbourhood.hpp"

#include <algorithm>
#include <bit>

#include "fewedits/base/target_clones.hpp"

namespace fewedits {
namespace {

FEWEDITS_TARGET_CLONES int count_common(const std::uint64_t* a, const std::uint64_t* b,
                                        std::size_t words) {
  int bits = 0;
  for (std::size_t w = 0; w < words; ++w) bits += std::popcount(a[w] & b[w]);
  return bits;
}

}  // namespace

Neighbourhood::Neighbourhood(const Graph& of, std::span<const Edit> neighbours) : graph(of) {
  edits.reserve(neighbours.size() + 1);
  edits.push_back({});
  edits.insert(edits.end(), neighbours.begin(), neighbours.end());
}

int Neighbourhood::num_covered(std::size_t entry, std::span<const std::uint64_t> mask) const {
  return count_common(row(entry).data(), mask.data(), words);
}

std::vector<std::uint32_t> Neighbourhood::covers(std::size_t entry) const {
  std::vector<std::uint32_t> out;
  const auto words_of_entry = row(entry);
  for (std::size_t w = 0; w < words; ++w) {
    for (std::uint64_t rest = words_of_entry[w]; rest != 0; rest &= rest - 1) {
      out.push_back(active[w * 64 + static_cast<std::size_t>(std::countr_zero(rest))]);
    }
  }
  return out;
}

std::size_t Neighbourhood::bytes() const {
  return sizeof(Neighbourhood) + edits.capacity() * sizeof(Edit) +
         probability.capacity() * sizeof(float) + shape.capacity() * sizeof(std::uint64_t) +
         active.capacity() * sizeof(std::uint32_t) + bits.capacity() * sizeof(std::uint64_t) +
         std::size_t{8} * (graph.num_nodes() + graph.num_edges());
}

/// A slice at a time: all distances of many graphs to many inputs would not fit into memory.
std::vector<std::vector<std::uint32_t>> Evaluator::covers(std::span<const Graph> graphs,
                                                          double theta, ThreadPool& pool) {
  constexpr std::size_t kSlice = 256;
  std::vector<std::vector<std::uint32_t>> out;
  out.reserve(graphs.size());
  for (std::size_t first = 0; first < graphs.size(); first += kSlice) {
    const auto slice = graphs.subspan(first, std::min(kSlice, graphs.size() - first));
    for (const auto& row : distances(slice, pool)) {
      std::vector<std::uint32_t>& covered = out.emplace_back();
      for (std::size_t i = 0; i < row.size(); ++i) {
        if (row[i] <= theta) covered.push_back(static_cast<std::uint32_t>(i));
      }
    }
  }
  return out;
}

std::optional<CertifiedDistances> Evaluator::prove(std::span<const Graph> /*graphs*/,
                                                   ThreadPool& /*pool*/,
                                                   const CertifiedWatch& /*watch*/) {
  return std::nullopt;
}

}  // namespace fewedits
