// SPDX-License-Identifier: MIT
#include "gcfx/explain/cover_archive.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "gcfx/base/target_clones.hpp"

namespace gcfx {
namespace {

/// Bits of `row` that are not in `taken`.
GCFX_TARGET_CLONES std::size_t count_new(const std::uint64_t* row, const std::uint64_t* taken,
                                         std::size_t words) {
  std::size_t count = 0;
  for (std::size_t w = 0; w < words; ++w) {
    count += static_cast<std::size_t>(std::popcount(row[w] & ~taken[w]));
  }
  return count;
}

}  // namespace

void CoverArchive::add(Choice choice) {
  choices_.push_back(std::move(choice));
  bits_.resize(bits_.size() + words_, 0);
  set_bits(size() - 1);
}

void CoverArchive::extend(std::size_t at, std::vector<std::uint32_t> covers) {
  choices_[at].covers = std::move(covers);
  set_bits(at);
}

void CoverArchive::set_bits(std::size_t at) {
  for (const std::uint32_t i : choices_[at].covers) {
    bits_[at * words_ + i / 64] |= std::uint64_t{1} << (i % 64);
  }
}

void CoverArchive::shrink(std::size_t most, std::vector<std::size_t>& keep) {
  if (size() <= most) return;
  std::vector<std::size_t> stay = keep;
  for (std::size_t c = size() - most; c < size(); ++c) stay.push_back(c);
  std::sort(stay.begin(), stay.end());
  stay.erase(std::unique(stay.begin(), stay.end()), stay.end());
  std::vector<Choice> old = std::exchange(choices_, {});
  bits_.clear();
  for (const std::size_t c : stay) add(std::move(old[c]));
  for (std::size_t& k : keep) {
    k = static_cast<std::size_t>(std::lower_bound(stay.begin(), stay.end(), k) - stay.begin());
  }
}

CoverArchive::Words CoverArchive::covered_without(std::span<const std::size_t> team,
                                                  std::size_t member) const {
  Words taken(words_, 0);
  for (std::size_t m = 0; m < team.size(); ++m) {
    if (m == member) continue;
    const auto bits = row(team[m]);
    for (std::size_t w = 0; w < words_; ++w) taken[w] |= bits[w];
  }
  return taken;
}

std::size_t CoverArchive::covered(std::span<const std::size_t> team) const {
  std::size_t count = 0;
  for (const std::uint64_t word : covered_without(team, team.size())) {
    count += static_cast<std::size_t>(std::popcount(word));
  }
  return count;
}

/// The choice that adds most; one of them at random among equals.
CoverArchive::Best CoverArchive::best_beside(const Words& taken, Rng& rng) const {
  Best best;
  std::uint64_t equals = 0;
  for (std::size_t c = 0; c < size(); ++c) {
    if (choices_[c].covers.size() < best.adds) continue;
    const std::size_t adds = count_new(row(c).data(), taken.data(), words_);
    if (adds < best.adds) continue;
    equals = adds > best.adds ? 1 : equals + 1;
    if (adds > best.adds || rng.below(equals) == 0) best = {c, adds};
  }
  return best;
}

void CoverArchive::exchange(std::vector<std::size_t>& team, Rng& rng) const {
  for (bool again = true; again;) {
    again = false;
    for (std::size_t m = 0; m < team.size(); ++m) {
      const Words taken = covered_without(team, m);
      const std::size_t adds = count_new(row(team[m]).data(), taken.data(), words_);
      const Best best = best_beside(taken, rng);
      if (best.adds <= adds) continue;
      team[m] = best.choice;
      again = true;
    }
  }
}

void CoverArchive::shake(std::vector<std::size_t>& team, Rng& rng) const {
  const std::size_t k = team.size();
  const std::size_t out = std::min<std::size_t>(k, 2 + rng.below(4));
  for (std::size_t r = 0; r < out; ++r) {
    team.erase(team.begin() + static_cast<std::ptrdiff_t>(rng.below(team.size())));
  }
  // The first that comes in ignores a quarter of the inputs, else it would always be the same.
  Words taken = covered_without(team, team.size());
  for (std::uint64_t& word : taken) word |= rng.next() & rng.next();
  while (team.size() < k) {
    team.push_back(best_beside(taken, rng).choice);
    taken = covered_without(team, team.size());
  }
  exchange(team, rng);
}

std::vector<std::size_t> CoverArchive::shaken(const std::vector<std::size_t>& team,
                                              std::size_t tries, std::uint64_t seed,
                                              ThreadPool& pool) const {
  std::vector<std::vector<std::size_t>> teams(tries, team);
  std::vector<std::size_t> covered_by(tries, 0);
  pool.for_chunks(tries, 1, [&](std::size_t t, std::size_t, int) {
    Rng rng(seed, t);
    shake(teams[t], rng);
    covered_by[t] = covered(teams[t]);
  });
  const auto best = std::max_element(covered_by.begin(), covered_by.end());
  if (best == covered_by.end() || *best < covered(team)) return team;
  return teams[static_cast<std::size_t>(best - covered_by.begin())];
}

}  // namespace gcfx
