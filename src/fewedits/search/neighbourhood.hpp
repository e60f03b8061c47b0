// SPDX-License-Identifier: MIT
// A graph of the edit map and its neighbours, evaluated: how likely each is to be accepted, and
// which inputs it covers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fewedits/distance/distance.hpp"
#include "fewedits/edit/edit.hpp"
#include "fewedits/graph/graph.hpp"

namespace fewedits {

/// Entry 0 is the graph itself, the others its neighbours.
struct Neighbourhood {
  Neighbourhood() = default;
  /// Not evaluated: graph and edits alone.
  Neighbourhood(const Graph& of, std::span<const Edit> neighbours);

  Graph graph;
  std::vector<Edit> edits;
  std::vector<float> probability;      ///< of the desired class
  std::vector<std::uint8_t> accepted;  ///< as a counterfactual, constraints aside
  std::vector<std::uint64_t> shape;    ///< shape_hash
  NearRows near;                       ///< inputs that each entry covers

  [[nodiscard]] std::size_t size() const { return edits.size(); }
  /// A row: which of the active inputs the condition holds for.
  template <typename Condition>
  [[nodiscard]] std::vector<std::uint64_t> mask(const Condition& condition) const {
    std::vector<std::uint64_t> out(near.rows.words(), 0);
    for (std::size_t j = 0; j < near.active.size(); ++j) {
      if (condition(near.active[j])) out[j / 64] |= std::uint64_t{1} << (j % 64);
    }
    return out;
  }
  /// How many inputs the entry covers; of those in the mask.
  [[nodiscard]] int num_covered(std::size_t entry) const {
    return static_cast<int>(count_bits(near.rows[entry]));
  }
  [[nodiscard]] int num_covered(std::size_t entry, BitRow mask) const {
    return static_cast<int>(count_common(near.rows[entry], mask));
  }
  /// Inputs that the entry covers, ascending.
  [[nodiscard]] std::vector<std::uint32_t> covers(std::size_t entry) const;
  [[nodiscard]] std::size_t bytes() const;
};

}  // namespace fewedits
