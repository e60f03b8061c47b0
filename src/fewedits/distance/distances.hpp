// SPDX-License-Identifier: MIT
// The distances that an explanation can be made under, by name.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fewedits/base/registry.hpp"
#include "fewedits/distance/distance.hpp"
#include "fewedits/distance/distance_options.hpp"

namespace fewedits {

struct DistanceKind {
  std::string about;         ///< a few words for help texts
  bool proves = false;       ///< it has a prover(); else what it says is claimed
  bool needs_model = false;  ///< DistanceOptions::model
  /// Normalised distances are shares of edits, so that a theta means the same as for the edit
  /// distance; else a comparable one is computed from the data (comparable_thetas).
  bool counts_edits = false;
  /// On graphs whose edges have labels only if it proves and DistanceOptions::costs count them,
  /// whose node labels are below `num_labels`.
  std::function<std::unique_ptr<Distance>(std::vector<Graph> graphs, std::size_t num_labels,
                                          const DistanceOptions& options, ThreadPool& pool)>
      make;
};

using DistanceRegistry = Registry<DistanceKind>;

DistanceRegistry builtin_distances();

/// For each of `edit_thetas` the theta at which as many pairs of stored graphs are near as are at
/// that one under the edit distance, but at least one: of 20,000 pairs drawn with the seed, or all
/// if there are fewer. Above 0 and below 1.
std::vector<double> comparable_thetas(Distance& distance, const std::vector<double>& edit_thetas,
                                      std::uint64_t seed, ThreadPool& pool);

/// Where nobody says what covered means: kEditTheta, or what is comparable.
double default_theta(const DistanceKind& kind, Distance& distance, std::uint64_t seed,
                     ThreadPool& pool);

}  // namespace fewedits
