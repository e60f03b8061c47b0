// SPDX-License-Identifier: MIT
// How good explainers that cut edges are, where the smallest set of edges is known.
#pragma once

#include <string>

#include "local_explainers/material.hpp"

namespace fewedits::bench {

struct KnownSmallest {
  std::vector<std::size_t> inputs;  ///< places
  std::vector<std::size_t> sizes;   ///< of a smallest set that flips
  std::size_t given_up = 0;         ///< graphs with none that few questions find
};
/// The first graphs, in a random order, of which a smallest set is found by trying all sets in
/// ascending size; `most` sets a graph.
KnownSmallest smallest_sets(const Material& material, std::size_t graphs, std::size_t most,
                            ThreadPool& pool);

/// Prints a row of the table.
void compare_with_smallest(const std::string& method, const LocalSettings& settings,
                           const Material& material, const KnownSmallest& known, ThreadPool& pool);

}  // namespace fewedits::bench
