// SPDX-License-Identifier: MIT
// Greedy maximum coverage: which k candidates cover the most inputs (paper §4.3, SPEC §6).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace fewedits {

/// One step of the greedy summary.
struct Pick {
  std::size_t candidate = 0;
  std::size_t gain = 0;  ///< inputs it covers that no earlier pick does
};

/// covers[c] lists the inputs (< num_inputs, ascending) that candidate c covers. Picks up to k
/// candidates by largest gain, the lowest index among equals; stops early only when candidates
/// run out (later picks may have gain 0). Lazy: gains only shrink, so a stale gain is an upper
/// bound (Minoux 1978).
std::vector<Pick> greedy_summary(std::span<const std::vector<std::uint32_t>> covers,
                                 std::size_t num_inputs, std::size_t k);

}  // namespace fewedits
