// SPDX-License-Identifier: MIT
// Which inputs a search stands on: all of them, or beyond some thousands a sample. What a sampled
// search finds is measured against all of them (search/all_inputs).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fewedits/graph/graph.hpp"
#include "fewedits/search/option_table.hpp"

namespace fewedits {

/// Of more inputs than that, a sample of so many is searched on, unless the options say otherwise.
inline constexpr std::size_t kAutomaticSample = 5000;

/// ExplainOptions::sample is set if a sample is in force. Throws Error if one is asked for where
/// nothing can be measured afterwards: only distances with proofs that are refined sample.
ExplainOptions with_sample_decided(ExplainOptions options, std::size_t num_inputs,
                                   const Parts& parts);

/// How many of so many inputs are searched on; the sample is decided.
std::size_t num_searched(const ExplainOptions& options, std::size_t num_inputs);

/// Places among `chosen`, which are indices into the graphs, ascending. Stratified by size and
/// labels: sorted by these, one graph is drawn from each of `size` stretches of equal length.
/// O(n log n); depends on graphs and seed alone.
std::vector<std::uint32_t> stratified_sample(std::span<const Graph> graphs,
                                             std::span<const std::uint32_t> chosen,
                                             std::size_t size, std::uint64_t seed);

}  // namespace fewedits
