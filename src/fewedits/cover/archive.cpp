// SPDX-License-Identifier: MIT
#include "fewedits/cover/archive.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

#include "fewedits/graph/identity.hpp"

namespace fewedits {
namespace {

/// An estimate: it depends on how often a set can be improved.
constexpr std::uint64_t kWordsPerUnit = 20;

/// Of isomorphic graphs, whose nodes may have other numbers.
void add_missing_maps(const Candidate& from, Candidate& to) {
  const auto is_missing = [&](std::uint32_t input) { return !to.maps.has(input); };
  const auto inputs = from.maps.graphs();
  if (std::none_of(inputs.begin(), inputs.end(), is_missing)) return;
  if (from.graph == to.graph) return to.maps.add_missing(from.maps);
  const std::vector<Node> there = canonical_positions(to.graph);
  std::vector<Node> node_at(there.size());
  for (Node v = 0; v < there.size(); ++v) node_at[there[v]] = v;
  std::vector<Node> becomes = canonical_positions(from.graph);
  for (Node& v : becomes) v = node_at[v];
  to.maps.add_missing(from.maps.renumbered(becomes));
}

}  // namespace

std::uint64_t CandidateArchive::work_of_a_try() const {
  return size() * (table_.rows.words() + 16) / kWordsPerUnit;
}

std::size_t CandidateArchive::add(Candidate candidate, std::uint32_t rounds) {
  const Hash128 id = Identity(candidate.graph).hash();
  return insert(Entry{std::move(candidate), id, rounds});
}

std::size_t CandidateArchive::add(Candidate candidate, const Hash128& id) {
  return insert(Entry{std::move(candidate), id});
}

void CandidateArchive::add_all(const CandidateArchive& others) {
  for (const Entry& entry : others.entries_) insert(entry);
}

std::size_t CandidateArchive::insert(Entry entry) {
  const auto [known, is_new] = places_.emplace(entry.id, size());
  const std::size_t at = known->second;
  const std::vector<std::uint32_t> covers = std::exchange(entry.candidate.covers, {});
  if (is_new) {
    entries_.push_back(std::move(entry));
    table_.num_covered.push_back(0);
    table_.rows.add_row();
  } else {
    Entry& old = entries_[at];
    old.rounds = std::max(old.rounds, entry.rounds);
    add_missing_maps(entry.candidate, old.candidate);
  }
  cover(at, covers);
  return at;
}

void CandidateArchive::extend(std::size_t at, const Candidate& candidate) {
  assert(candidate.graph == entries_[at].candidate.graph);
  entries_[at].candidate.maps.add_missing(candidate.maps);
  cover(at, candidate.covers);
}

std::size_t CandidateArchive::map_bytes() const {
  std::size_t sum = 0;
  for (const Entry& entry : entries_) sum += entry.candidate.maps.bytes();
  return sum;
}

void CandidateArchive::cover(std::size_t at, std::span<const std::uint32_t> inputs) {
  for (const std::uint32_t i : inputs) table_.rows.set(at, i);
  auto& list = entries_[at].candidate.covers;
  list.clear();
  for_each_bit(table_.rows[at],
               [&](std::size_t i) { list.push_back(static_cast<std::uint32_t>(i)); });
  table_.num_covered[at] = static_cast<std::uint32_t>(list.size());
}

void CandidateArchive::shrink(std::size_t most, SolutionSet& set) {
  if (const std::size_t bytes = map_bytes(); bytes > kMapBytes) {
    most = std::min(most, static_cast<std::size_t>(static_cast<double>(size()) * kMapBytes /
                                                   static_cast<double>(bytes)));
  }
  if (size() <= most) return;
  std::vector<std::size_t> adds(size(), 0);
  for (std::size_t m = 0; m < set.size(); ++m) {
    const auto taken = covered_without(table_, set, m);
    for (std::size_t c = 0; c < size(); ++c) {
      adds[c] = std::max(adds[c], count_new(table_.rows[c], taken));
    }
  }
  for (const std::size_t c : set) adds[c] = num_inputs_ + 1;
  std::vector<std::size_t> stay(size());
  std::iota(stay.begin(), stay.end(), std::size_t{0});
  // Among equals, those found last.
  std::sort(stay.begin(), stay.end(), [&](std::size_t a, std::size_t b) {
    return adds[a] != adds[b] ? adds[a] > adds[b] : a > b;
  });
  stay.resize(std::max(most, set.size()));
  std::sort(stay.begin(), stay.end());
  std::vector<Entry> old = std::exchange(entries_, {});
  places_.clear();
  table_ = CoverTable(num_inputs_);
  for (const std::size_t c : stay) insert(std::move(old[c]));
  for (std::size_t& c : set) {
    c = static_cast<std::size_t>(std::lower_bound(stay.begin(), stay.end(), c) - stay.begin());
  }
}

SolutionSet CandidateArchive::perturbed(const SolutionSet& set, std::size_t k, std::size_t tries,
                                        std::uint64_t seed, ThreadPool& pool) const {
  std::vector<SolutionSet> sets(tries, set);
  std::vector<std::size_t> covered_by(tries, 0);
  try {
    pool.for_chunks(tries, 1, [&](std::size_t t, std::size_t, int) {
      Rng rng(seed, t);
      perturb(table_, sets[t], k, rng);
      covered_by[t] = covered(sets[t]);
    });
  } catch (const Stopped&) {  // those that were tried by then count
  }
  const auto best = std::max_element(covered_by.begin(), covered_by.end());
  if (best == covered_by.end() || *best < covered(set)) return set;
  return sets[static_cast<std::size_t>(best - covered_by.begin())];
}

}  // namespace fewedits
