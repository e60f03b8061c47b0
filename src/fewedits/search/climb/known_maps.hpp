// SPDX-License-Identifier: MIT
// Maps of a graph to the inputs, kept from one climb to the next: finding them anew takes as long
// as twenty steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "fewedits/ged/prepared_graph.hpp"
#include "fewedits/ged/solver.hpp"

namespace fewedits {

/// What is known of one graph and the inputs.
struct KnownMaps {
  std::shared_ptr<const PreparedGraph> graph;
  std::vector<std::int32_t> lower;    ///< of each input's distance
  std::vector<std::uint32_t> mapped;  ///< the inputs that have a map, ascending
  std::vector<std::int32_t> cost;     ///< of their maps
  std::vector<Node> images;           ///< their maps, one after the other

  /// Takes over maps that are cheaper; `found` is by input, and may lack maps.
  void improve(std::span<const GedBounds> found);
  /// About what it occupies.
  [[nodiscard]] std::size_t bytes() const;
};

/// For the graphs that climbs set out from. Those kept longest ago are forgotten first, however
/// often they were looked up since.
class MapStore {
 public:
  void keep(std::shared_ptr<KnownMaps> known);
  /// Null if nothing is known.
  [[nodiscard]] std::shared_ptr<KnownMaps> of(const Graph& graph) const;

 private:
  std::unordered_map<std::uint64_t, std::shared_ptr<KnownMaps>> by_shape_;
  std::deque<std::uint64_t> order_;  ///< shapes, the last kept last
  std::size_t bytes_ = 0;
};

}  // namespace fewedits
