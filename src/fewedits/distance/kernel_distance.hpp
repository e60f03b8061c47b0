// SPDX-License-Identifier: MIT
// The graph-kernel distances the paper names (its §2.1): a kernel k turned into the distance
//   d(a,b) = sqrt(1 − k̂(a,b)) with k̂(a,b) = k(a,b) / sqrt(k(a,a)·k(b,b)).
// All three kernels are inner products of non-negative feature vectors, so k̂ is the cosine of two
// of them: d is in [0,1], and a pseudo-metric because 2d² is the squared Euclidean distance of
// the two unit vectors. Graphs with proportional features (a graph and two copies of it) are at
// distance 0. Edge labels are ignored, as in the paper's distance.
//
// Guarantees, for each kernel: d depends on the two graphs alone, not on the order of their
// nodes, the other graphs in the set or the number of threads; d(a,b) = d(b,a) bit for bit;
// graphs with equal features, so isomorphic ones too, are at exactly 0; the empty graph is at 0
// from itself and at 1 from every other. Where 1 − k̂ is rounded, d is off by at most about 1e-7,
// which shows only near 0. What is equal is decided by 128-bit hashes of canonical content
// (base/hash.hpp): with a million different features in play, the chance that any two of them
// are taken for one is about 1e-27.
//
// Measure: distance = normalized = lower = upper = d, status kExact.
#pragma once

#include <memory>

#include "fewedits/distance/distance.hpp"

namespace fewedits {

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

/// Each extracts the features of all graphs; the graphs are not kept. Throws Error if an option is
/// out of its range.
std::unique_ptr<const Distance> make_wl_distance(std::span<const Graph> graphs,
                                                 const WlOptions& options, ThreadPool& pool);
std::unique_ptr<const Distance> make_rw_distance(std::span<const Graph> graphs,
                                                 const RwOptions& options, ThreadPool& pool);
std::unique_ptr<const Distance> make_nspd_distance(std::span<const Graph> graphs,
                                                   const NspdOptions& options, ThreadPool& pool);

}  // namespace fewedits
