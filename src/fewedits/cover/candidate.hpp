// SPDX-License-Identifier: MIT
// A graph that may become a counterfactual, and sets of such.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fewedits/graph/graph.hpp"
#include "fewedits/proof/packed_maps.hpp"

namespace fewedits {

struct Candidate {
  Graph graph;
  float probability = 0;              ///< of the desired class
  std::vector<std::uint32_t> covers;  ///< inputs within theta, ascending
  std::uint64_t visits = 0;
  std::uint32_t origin = 0;  ///< the input (or graph of the data) it comes from
  /// Under distances with proofs: from the graph to each input that it covers.
  PackedMaps maps = {};

  friend bool operator==(const Candidate&, const Candidate&) = default;
};

/// Places of candidates in an archive, each once.
using SolutionSet = std::vector<std::size_t>;

}  // namespace fewedits
