// SPDX-License-Identifier: MIT
#include "fewedits/cover/greedy.hpp"

#include <algorithm>
#include <cassert>
#include <queue>

#include "fewedits/cover/cover_counts.hpp"

namespace fewedits {
namespace {

/// The largest gain comes first, the lowest index among equals.
struct ComesLater {
  bool operator()(const Pick& a, const Pick& b) const {
    return a.gain != b.gain ? a.gain < b.gain : a.candidate > b.candidate;
  }
};

}  // namespace

std::vector<Pick> greedy_summary(std::span<const std::vector<std::uint32_t>> covers,
                                 std::size_t num_inputs, std::size_t k) {
  CoverCounts covered(num_inputs);
  std::priority_queue<Pick, std::vector<Pick>, ComesLater> waiting;
  for (std::size_t c = 0; c < covers.size(); ++c) {
    assert(covers[c].empty() || covers[c].back() < num_inputs);
    waiting.push({c, covers[c].size()});
  }
  std::vector<Pick> picks;
  while (picks.size() < k && !waiting.empty()) {
    const std::size_t candidate = waiting.top().candidate;
    waiting.pop();
    const Pick fresh{candidate, covered.gain(covers[candidate])};
    // Whoever waits gains no more than it says: if none of them comes first, this one is next.
    if (!waiting.empty() && ComesLater{}(fresh, waiting.top())) {
      waiting.push(fresh);
      continue;
    }
    picks.push_back(fresh);
    covered.add(covers[candidate]);
  }
  return picks;
}

}  // namespace fewedits
