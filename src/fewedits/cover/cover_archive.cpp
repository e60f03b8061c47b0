// SPDX-License-Identifier: MIT
#include "fewedits/cover/cover_archive.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "fewedits/base/target_clones.hpp"
#include "fewedits/graph/identity.hpp"

namespace fewedits {
namespace {

/// Bits of `row` that are not in `taken`.
FEWEDITS_TARGET_CLONES std::size_t count_new(const std::uint64_t* row, const std::uint64_t* taken,
                                             std::size_t words) {
  std::size_t count = 0;
  for (std::size_t w = 0; w < words; ++w) {
    count += static_cast<std::size_t>(std::popcount(row[w] & ~taken[w]));
  }
  return count;
}

bool is_in(const Team& team, std::size_t choice) {
  return std::find(team.begin(), team.end(), choice) != team.end();
}

/// An estimate: it depends on how often a team can be improved.
constexpr std::uint64_t kWordsAUnit = 20;

}  // namespace

std::uint64_t CoverArchive::work_of_a_try() const { return size() * (words_ + 16) / kWordsAUnit; }

std::size_t CoverArchive::add(Choice choice, std::uint32_t rounds) {
  const Hash128 id = Identity(choice.graph).hash();
  return insert(Entry{std::move(choice), id, rounds});
}

void CoverArchive::add_all(const CoverArchive& others) {
  for (const Entry& entry : others.entries_) insert(entry);
}

std::size_t CoverArchive::insert(Entry entry) {
  const auto [known, is_new] = places_.emplace(entry.id, size());
  const std::size_t at = known->second;
  const std::vector<std::uint32_t> covers = std::exchange(entry.choice.covers, {});
  if (is_new) {
    entries_.push_back(std::move(entry));
    num_covered_.push_back(0);
    bits_.resize(bits_.size() + words_, 0);
  } else {
    entries_[at].rounds = std::max(entries_[at].rounds, entry.rounds);
  }
  extend(at, covers);
  return at;
}

void CoverArchive::extend(std::size_t at, std::span<const std::uint32_t> covers) {
  for (const std::uint32_t i : covers) {
    bits_[at * words_ + i / 64] |= std::uint64_t{1} << (i % 64);
  }
  auto& list = entries_[at].choice.covers;
  list.clear();
  for (std::size_t w = 0; w < words_; ++w) {
    for (std::uint64_t left = row(at)[w]; left != 0; left &= left - 1) {
      list.push_back(static_cast<std::uint32_t>(w * 64) +
                     static_cast<std::uint32_t>(std::countr_zero(left)));
    }
  }
  num_covered_[at] = static_cast<std::uint32_t>(list.size());
}

void CoverArchive::shrink(std::size_t most, Team& team) {
  if (size() <= most) return;
  std::vector<std::size_t> adds(size(), 0);
  for (std::size_t m = 0; m < team.size(); ++m) {
    const Words taken = covered_without(team, m);
    for (std::size_t c = 0; c < size(); ++c) {
      adds[c] = std::max(adds[c], count_new(row(c).data(), taken.data(), words_));
    }
  }
  for (const std::size_t c : team) adds[c] = words_ * 64 + 1;
  std::vector<std::size_t> stay(size());
  for (std::size_t c = 0; c < size(); ++c) stay[c] = c;
  // Among equals, those found last.
  std::sort(stay.begin(), stay.end(), [&](std::size_t a, std::size_t b) {
    return adds[a] != adds[b] ? adds[a] > adds[b] : a > b;
  });
  stay.resize(std::max(most, team.size()));
  std::sort(stay.begin(), stay.end());
  std::vector<Entry> old = std::exchange(entries_, {});
  places_.clear();
  num_covered_.clear();
  bits_.clear();
  for (const std::size_t c : stay) insert(std::move(old[c]));
  for (std::size_t& c : team) {
    c = static_cast<std::size_t>(std::lower_bound(stay.begin(), stay.end(), c) - stay.begin());
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

/// Of those outside the team, the one that adds most; one of them at random among equals.
std::optional<CoverArchive::Best> CoverArchive::best_beside(const Words& taken, const Team& team,
                                                            Rng& rng) const {
  std::optional<Best> best;
  std::uint64_t equals = 0;
  for (std::size_t c = 0; c < size(); ++c) {
    const std::size_t most = best ? best->adds : 0;
    if (num_covered_[c] < most) continue;
    const std::size_t adds = count_new(row(c).data(), taken.data(), words_);
    if (adds < most || is_in(team, c)) continue;
    equals = !best || adds > most ? 1 : equals + 1;
    if (equals == 1 || rng.below(equals) == 0) best = {c, adds};
  }
  return best;
}

void CoverArchive::fill(Team& team, std::size_t k, Rng& rng) const {
  while (team.size() < k) {
    const auto best = best_beside(covered_without(team, team.size()), team, rng);
    if (!best) return;
    team.push_back(best->choice);
  }
}

void CoverArchive::exchange(Team& team, Rng& rng) const {
  for (bool again = true; again;) {
    again = false;
    for (std::size_t m = 0; m < team.size(); ++m) {
      const Words taken = covered_without(team, m);
      const std::size_t adds = count_new(row(team[m]).data(), taken.data(), words_);
      const auto best = best_beside(taken, team, rng);
      if (!best || best->adds <= adds) continue;
      team[m] = best->choice;
      again = true;
    }
  }
}

void CoverArchive::shake(Team& team, std::size_t k, Rng& rng) const {
  const std::size_t out = std::min<std::size_t>(team.size(), 2 + rng.below(4));
  for (std::size_t r = 0; r < out; ++r) {
    team.erase(team.begin() + static_cast<std::ptrdiff_t>(rng.below(team.size())));
  }
  // The first that comes in ignores a quarter of the inputs, else it would always be the same.
  Words taken = covered_without(team, team.size());
  for (std::uint64_t& word : taken) word |= rng.next() & rng.next();
  if (const auto first = best_beside(taken, team, rng)) team.push_back(first->choice);
  fill(team, k, rng);
  exchange(team, rng);
}

Team CoverArchive::shaken(const Team& team, std::size_t k, std::size_t tries, std::uint64_t seed,
                          ThreadPool& pool) const {
  std::vector<Team> teams(tries, team);
  std::vector<std::size_t> covered_by(tries, 0);
  pool.for_chunks(tries, 1, [&](std::size_t t, std::size_t, int) {
    Rng rng(seed, t);
    shake(teams[t], k, rng);
    covered_by[t] = covered(teams[t]);
  });
  const auto best = std::max_element(covered_by.begin(), covered_by.end());
  if (best == covered_by.end() || *best < covered(team)) return team;
  return teams[static_cast<std::size_t>(best - covered_by.begin())];
}

}  // namespace fewedits
