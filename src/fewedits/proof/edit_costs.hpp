// SPDX-License-Identifier: MIT
// What an edit costs (SPEC §4: one each), apart from the methods that minimise it.
//
// Costs are whole numbers, so that every bound and every comparison is exact; for halves, double
// all of them. The normalised distance divides by the cost of deleting one graph and building
// the other, which for unit costs is the sum of their sizes.
//
// Costs need not form a metric. A distance is always the least induced cost over all node maps:
// a node may be mapped at the price of relabel_node even where deleting and inserting it would be
// cheaper (its edges then stay); an edge between mapped nodes is relabelled or deleted and
// inserted anew, whichever is cheaper.
#pragma once

#include <cstdint>

#include "fewedits/graph/graph.hpp"

namespace fewedits {

struct EditCosts {
  std::int32_t insert_node = 1;
  std::int32_t delete_node = 1;
  std::int32_t relabel_node = 1;
  std::int32_t insert_edge = 1;
  std::int32_t delete_edge = 1;
  /// 0, the default: labels of edges make no difference, as in the paper.
  std::int32_t relabel_edge = 0;

  static constexpr std::int32_t kLargest = 1000;

  /// Throws Error unless every cost is in 0…kLargest.
  void check() const;
  /// Cost of deleting all of the graph / of building it from nothing.
  [[nodiscard]] std::int64_t to_delete(const Graph& g) const;
  [[nodiscard]] std::int64_t to_insert(const Graph& g) const;
  friend bool operator==(const EditCosts&, const EditCosts&) = default;
};

/// to_delete(a) + to_insert(b): what the map of no node costs, hence no distance is larger, and
/// the normaliser.
std::int64_t largest_distance(const Graph& a, const Graph& b, const EditCosts& costs);

/// distance / largest_distance; 0 if that is 0, as for two empty graphs.
double normalized_distance(std::int64_t distance, const Graph& a, const Graph& b,
                           const EditCosts& costs = {});
/// The same where largest_distance is known; the distance may be an estimate.
inline double normalized_distance(double distance, std::int64_t largest) {
  return largest == 0 ? 0.0 : distance / static_cast<double>(largest);
}

/// The largest distance whose normalized_distance is at most theta. Throws Error unless
/// 0 ≤ theta ≤ 1.
std::int64_t distance_limit(double theta, const Graph& a, const Graph& b,
                            const EditCosts& costs = {});
/// The same where largest_distance is known.
std::int64_t distance_limit(double theta, std::int64_t largest);

}  // namespace fewedits
