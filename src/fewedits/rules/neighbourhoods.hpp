// SPDX-License-Identifier: MIT
// What the graphs of a dataset look like from close up: the neighbourhoods of radius 2 that occur.
//
// A neighbourhood is told by two rounds of Weisfeiler-Lehman refinement: a node's label, its
// neighbours' with the labels of the edges to them, and theirs. Rings within the neighbourhood are
// not seen. Told apart by a hash of 64 bits, so a strange one may pass by a rare chance.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fewedits/graph/graph.hpp"

namespace fewedits {

/// By node.
std::vector<std::uint64_t> neighbourhoods(const Graph& graph);

class KnownNeighbourhoods {
 public:
  explicit KnownNeighbourhoods(std::span<const Graph> graphs);
  /// Does every neighbourhood of the graph occur?
  [[nodiscard]] bool contain_all_of(const Graph& graph) const;
  [[nodiscard]] std::size_t size() const { return known_.size(); }

 private:
  std::vector<std::uint64_t> known_;  ///< ascending
};

}  // namespace fewedits
