// SPDX-License-Identifier: MIT
// What is known of the edit distance of two graphs: two bounds, and perhaps the node map that
// proves the upper one. Every method of ged/ and distance/ answers with these, and every claim of
// an explanation is made of them.
#pragma once

#include <cstdint>
#include <vector>

#include "fewedits/proof/edit_costs.hpp"
#include "fewedits/proof/node_map.hpp"

namespace fewedits {

/// lower ≤ distance ≤ upper, and a map that costs `upper`; empty if there is none.
struct GedBounds {
  std::int64_t lower = 0;
  std::int64_t upper = 0;
  NodeMap map = {};
  [[nodiscard]] bool exact() const { return lower == upper; }
};

enum class Answer { kYes, kNo, kUnknown };

/// The bounds of an input and a counterfactual, and what they say of a limit.
struct CertifiedPair : GedBounds {
  std::int64_t largest = 0;          ///< largest_distance, the normaliser
  Answer within = Answer::kUnknown;  ///< is the distance at most theta? Yes only with a map

  [[nodiscard]] double normalized_lower() const { return normalized(lower); }
  [[nodiscard]] double normalized_upper() const { return normalized(upper); }

  /// Takes over what says more than is known; `limit` is the largest distance within theta.
  void improve(GedBounds found, std::int64_t limit);
  /// The map that costs `upper`, from an input of so many nodes. That of no node is not kept: most
  /// pairs are excluded at sight, and there may be millions.
  [[nodiscard]] NodeMap map_from(Node nodes) const {
    return map.empty() ? NodeMap(nodes, kUnmatched) : map;
  }

 private:
  [[nodiscard]] double normalized(std::int64_t distance) const {
    return normalized_distance(static_cast<double>(distance), largest);
  }
};

/// Maps go from the input's nodes to the counterfactual's: the way of the recourse.
struct CertifiedDistances {
  std::vector<std::vector<CertifiedPair>> pairs;  ///< [counterfactual][input]
  /// False if it was stopped. A pair whose turn did not come has no map, and the cost of none.
  bool complete = true;

  /// Normalised, as fill_metrics takes them: what is proven, and what could still be.
  [[nodiscard]] std::vector<std::vector<double>> normalized_upper() const;
  [[nodiscard]] std::vector<std::vector<double>> normalized_lower() const;
};

/// A map between an input and a graph that somebody else names, and its cost at unit costs.
struct ProvenPair {
  std::uint32_t input = 0;  ///< index of the input; whoever holds the pair says into what
  std::int64_t edits = 0;   ///< induced_cost of the map
  NodeMap map;              ///< from the input's nodes, unless its holder says otherwise
  friend bool operator==(const ProvenPair&, const ProvenPair&) = default;
};
/// Of several graphs.
using ProvenPairs = std::vector<std::vector<ProvenPair>>;

}  // namespace fewedits
