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
#include <vector>

#include "fewedits/distance/distance.hpp"
#include "fewedits/distance/distance_options.hpp"

namespace fewedits {

/// Each extracts the features of all graphs. Throws Error if an option is out of its range.
std::unique_ptr<Distance> make_wl_distance(std::vector<Graph> graphs, const WlOptions& options,
                                           ThreadPool& pool);
std::unique_ptr<Distance> make_rw_distance(std::vector<Graph> graphs, const RwOptions& options,
                                           ThreadPool& pool);
std::unique_ptr<Distance> make_nspd_distance(std::vector<Graph> graphs, const NspdOptions& options,
                                             ThreadPool& pool);

}  // namespace fewedits
