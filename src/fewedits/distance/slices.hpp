// SPDX-License-Identifier: MIT
// Batches of pairs for distances that compute rather than search. Internal to distance.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <span>

#include "fewedits/distance/distance.hpp"

namespace fewedits {

/// Calls body(begin, end) for chunks of the pairs, on all threads, and `watch` after every slice of
/// them; what is not reached when it says stop is not done.
template <typename Body>
void measure_in_slices(std::size_t pairs, std::size_t chunk, std::span<Measure> out,
                       ThreadPool& pool, const DistanceWatch& watch, const Body& body) {
  assert(out.size() == pairs);
  constexpr std::size_t kSlice = 8192;
  for (Measure& m : out) m.done = false;
  for (std::size_t done = 0; done < pairs;) {
    const std::size_t count = std::min(kSlice, pairs - done);
    pool.for_chunks(count, chunk, [&](std::size_t begin, std::size_t end, int) {
      body(done + begin, done + end);
    });
    done += count;
    if (watch && !watch(done, pairs)) return;
  }
}

}  // namespace fewedits
