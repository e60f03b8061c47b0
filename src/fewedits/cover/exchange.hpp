// SPDX-License-Identifier: MIT
// Exchange search: the local search for k rows that cover most together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fewedits/base/bit_rows.hpp"
#include "fewedits/base/rng.hpp"
#include "fewedits/cover/candidate.hpp"

namespace fewedits {

/// What all candidates cover.
struct CoverTable {
  explicit CoverTable(std::size_t num_inputs) : rows(num_inputs) {}

  BitRows rows;                            ///< by candidate
  std::vector<std::uint32_t> num_covered;  ///< by each of them
};

/// What a set covers together, but for the member at that place (its size: but for none).
std::vector<std::uint64_t> covered_without(const CoverTable& table,
                                           std::span<const std::size_t> set, std::size_t member);
std::size_t num_covered(const CoverTable& table, std::span<const std::size_t> set);

struct BestAddition {
  std::size_t candidate = 0;
  std::size_t adds = 0;
};
/// Of those outside the set, the one that adds most to `taken`; none if all are in it. Among equals
/// one at random, or the first if there is no generator.
std::optional<BestAddition> best_addition(const CoverTable& table, BitRow taken,
                                          const SolutionSet& set, Rng* rng);

/// Adds what covers most, up to k, even if that is nothing.
void fill_up(const CoverTable& table, SolutionSet& set, std::size_t k, Rng* rng);

/// Drops what is missed least, down to k.
void cut_down(const CoverTable& table, SolutionSet& set, std::size_t k);

/// Exchanges members, one at a time, as long as that covers more; true if any was.
bool exchange(const CoverTable& table, SolutionSet& set, Rng* rng);

/// Drops a few members at random, adds one that does without a random quarter of the inputs, fills
/// up to k and exchanges.
void perturb(const CoverTable& table, SolutionSet& set, std::size_t k, Rng& rng);

}  // namespace fewedits
