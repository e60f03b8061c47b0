// SPDX-License-Identifier: MIT
#include "fewedits/cover/exchange.hpp"

#include <algorithm>
#include <limits>

namespace fewedits {
namespace {

bool is_in(const SolutionSet& set, std::size_t candidate) {
  return std::find(set.begin(), set.end(), candidate) != set.end();
}

}  // namespace

std::vector<std::uint64_t> covered_without(const CoverTable& table,
                                           std::span<const std::size_t> set, std::size_t member) {
  std::vector<std::uint64_t> taken(table.rows.words(), 0);
  for (std::size_t m = 0; m < set.size(); ++m) {
    if (m == member) continue;
    const BitRow row = table.rows[set[m]];
    for (std::size_t w = 0; w < taken.size(); ++w) taken[w] |= row[w];
  }
  return taken;
}

std::size_t num_covered(const CoverTable& table, std::span<const std::size_t> set) {
  return count_bits(covered_without(table, set, set.size()));
}

std::optional<BestAddition> best_addition(const CoverTable& table, BitRow taken,
                                          const SolutionSet& set, Rng* rng) {
  std::optional<BestAddition> best;
  std::uint64_t equals = 0;
  for (std::size_t c = 0; c < table.rows.size(); ++c) {
    const std::size_t most = best ? best->adds : 0;
    if (table.num_covered[c] < most) continue;
    const std::size_t adds = count_new(table.rows[c], taken);
    if (adds < most || is_in(set, c)) continue;
    equals = !best || adds > most ? 1 : equals + 1;
    if (equals == 1 || (rng != nullptr && rng->below(equals) == 0)) best = {c, adds};
  }
  return best;
}

void fill_up(const CoverTable& table, SolutionSet& set, std::size_t k, Rng* rng) {
  while (set.size() < k) {
    const auto best = best_addition(table, covered_without(table, set, set.size()), set, rng);
    if (!best) return;
    set.push_back(best->candidate);
  }
}

void cut_down(const CoverTable& table, SolutionSet& set, std::size_t k) {
  while (set.size() > k) {
    std::size_t least = 0;
    std::size_t missed = std::numeric_limits<std::size_t>::max();
    for (std::size_t m = 0; m < set.size(); ++m) {
      const std::size_t own = count_new(table.rows[set[m]], covered_without(table, set, m));
      if (own >= missed) continue;
      missed = own;
      least = m;
    }
    set.erase(set.begin() + static_cast<std::ptrdiff_t>(least));
  }
}

bool exchange(const CoverTable& table, SolutionSet& set, Rng* rng) {
  bool any = false;
  for (bool again = true; again;) {
    again = false;
    for (std::size_t m = 0; m < set.size(); ++m) {
      const auto taken = covered_without(table, set, m);
      const std::size_t adds = count_new(table.rows[set[m]], taken);
      const auto best = best_addition(table, taken, set, rng);
      if (!best || best->adds <= adds) continue;
      set[m] = best->candidate;
      any = again = true;
    }
  }
  return any;
}

void perturb(const CoverTable& table, SolutionSet& set, std::size_t k, Rng& rng) {
  const std::size_t out = std::min<std::size_t>(set.size(), 2 + rng.below(4));
  for (std::size_t r = 0; r < out; ++r) {
    set.erase(set.begin() + static_cast<std::ptrdiff_t>(rng.below(set.size())));
  }
  // The first that comes in ignores a quarter of the inputs, else it would always be the same.
  auto taken = covered_without(table, set, set.size());
  for (std::uint64_t& word : taken) word |= rng.next() & rng.next();
  if (const auto first = best_addition(table, taken, set, &rng)) set.push_back(first->candidate);
  fill_up(table, set, k, &rng);
  exchange(table, set, &rng);
}

}  // namespace fewedits
