// SPDX-License-Identifier: MIT
// Graphs that a search remembers, with what they cover as bit rows, and the question which k of
// them cover most: local search from a set at hand.
//
// No graph is in it twice: isomorphic ones are one. Sets of its graphs are lists of their places,
// called teams; no graph is in a team twice either.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "fewedits/base/hash.hpp"
#include "fewedits/base/parallel.hpp"
#include "fewedits/base/rng.hpp"
#include "fewedits/cover/chosen_set.hpp"

namespace fewedits {

using Team = std::vector<std::size_t>;

class CoverArchive {
 public:
  explicit CoverArchive(std::size_t num_inputs) : words_((num_inputs + 63) / 64) {}

  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] const Choice& operator[](std::size_t at) const { return entries_[at].choice; }
  /// Rounds that the graph was in the set; a counter for the search.
  [[nodiscard]] std::uint32_t rounds(std::size_t at) const { return entries_[at].rounds; }
  void set_rounds(std::size_t at, std::uint32_t rounds) { entries_[at].rounds = rounds; }

  /// Its place. If the graph is known already, what it covers is added to what is known.
  std::size_t add(Choice choice, std::uint32_t rounds = 0);
  void add_all(const CoverArchive& others);
  /// More is known to be covered.
  void extend(std::size_t at, std::span<const std::uint32_t> covers);
  /// Keeps the team and, of the others, those that would add most to it in place of some member;
  /// places change.
  void shrink(std::size_t most, Team& team);

  [[nodiscard]] std::size_t covered(std::span<const std::size_t> team) const;
  /// Adds what covers most, up to k, even if that is nothing.
  void fill(Team& team, std::size_t k, Rng& rng) const;
  /// Drops a few members at random, fills up to k and exchanges as long as that covers more;
  /// `tries` times over, each independently. The best outcome, or the team itself if all are
  /// worse; one that is as good is preferred, so that repeated calls wander.
  [[nodiscard]] Team shaken(const Team& team, std::size_t k, std::size_t tries, std::uint64_t seed,
                            ThreadPool& pool) const;
  /// What a try costs, in units of GedBudget.
  [[nodiscard]] std::uint64_t work_of_a_try() const;

 private:
  using Words = std::vector<std::uint64_t>;
  struct Entry {
    Choice choice;
    Hash128 id;
    std::uint32_t rounds = 0;
  };
  struct Best {
    std::size_t choice = 0;
    std::size_t adds = 0;
  };

  std::size_t insert(Entry entry);
  [[nodiscard]] std::span<const std::uint64_t> row(std::size_t choice) const {
    return std::span(bits_).subspan(choice * words_, words_);
  }
  [[nodiscard]] Words covered_without(std::span<const std::size_t> team, std::size_t member) const;
  [[nodiscard]] std::optional<Best> best_beside(const Words& taken, const Team& team,
                                                Rng& rng) const;
  void shake(Team& team, std::size_t k, Rng& rng) const;
  void exchange(Team& team, Rng& rng) const;

  std::size_t words_;
  std::vector<Entry> entries_;
  std::unordered_map<Hash128, std::size_t> places_;
  std::vector<std::uint32_t> num_covered_;  ///< by each of them
  Words bits_;
};

}  // namespace fewedits
