// SPDX-License-Identifier: MIT
// What the built-in distances can be asked for, as plain values.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "fewedits/ged/options.hpp"

namespace fewedits {

class GinEmbedder;

/// Units of GedBudget for each of the two questions about a pair that is proven: about 50 ms.
inline constexpr std::uint64_t kProveWork = 1'000'000;

/// Theta under distances that count edits.
inline constexpr double kEditTheta = 0.1;

/// Weisfeiler-Lehman subtree kernel (Shervashidze et al. 2011): the features are the nodes'
/// colours before and after each of `iterations` rounds of colour refinement.
struct WlOptions {
  int iterations = 3;  ///< 0…20
};

/// Random-walk kernel (Gärtner et al. 2003, Borgwardt et al. 2006): pairs of walks with equal
/// label sequences, those of l steps weighted by decay^l, for l = 0…length. Walks of no step (the
/// nodes) count, so that graphs without edges have features.
struct RwOptions {
  int length = 6;      ///< 1…50
  double decay = 0.1;  ///< in (0,1]
};

/// Neighbourhood subgraph pairwise distance kernel (Costa & De Grave 2010). A feature is a radius
/// r ≤ radius, a distance d ≤ distance and the unordered pair of the balls of radius r around two
/// nodes at distance d; each unordered pair of nodes counts once. As in the original, the features
/// of each (r,d) are scaled to length 1 before all are put together. (r,d) without features, as
/// those beyond the diameter, do not count.
///
/// A ball is the induced subgraph on the nodes within r of its root; two are equal if they are
/// isomorphic with root on root. That is exact (canonical forms, graph/identity), where the
/// original hashes an incomplete invariant.
struct NspdOptions {
  int radius = 2;    ///< 0…10
  int distance = 4;  ///< 0…20
};

/// What the built-in distances need to know; each looks at its own part. A distance of one's own
/// brings what else it needs inside its DistanceKind::make.
struct DistanceOptions {
  double theta = kEditTheta;  ///< where proofs try hardest
  std::uint64_t seed = 1;
  MapEffort effort{2, 8};
  std::uint64_t prove_work = kProveWork;
  const StopSign* stop = nullptr;  ///< ends questions about pairs early
  EditCosts costs;                 ///< those that prove: 1 each, but for labels of edges
  /// greed: a model in memory, or the file of one.
  std::shared_ptr<const GinEmbedder> embedder;
  std::string model;
  WlOptions wl;
  RwOptions rw;
  NspdOptions nspd;
};

}  // namespace fewedits
