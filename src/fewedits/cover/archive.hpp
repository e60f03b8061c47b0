// SPDX-License-Identifier: MIT
// The candidates that a search remembers, with what they cover, and the question which k of them
// cover most: exchange search from a set at hand.
//
// No graph is in it twice: isomorphic ones are one.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "fewedits/base/hash.hpp"
#include "fewedits/base/parallel.hpp"
#include "fewedits/base/rng.hpp"
#include "fewedits/cover/candidate.hpp"
#include "fewedits/cover/exchange.hpp"

namespace fewedits {

class CandidateArchive {
 public:
  explicit CandidateArchive(std::size_t num_inputs) : num_inputs_(num_inputs), table_(num_inputs) {}

  [[nodiscard]] std::size_t num_inputs() const { return num_inputs_; }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] const Candidate& operator[](std::size_t at) const { return entries_[at].candidate; }
  [[nodiscard]] const CoverTable& table() const { return table_; }
  /// Rounds that the graph was in the set; a counter for the search.
  [[nodiscard]] std::uint32_t rounds(std::size_t at) const { return entries_[at].rounds; }
  void set_rounds(std::size_t at, std::uint32_t rounds) { entries_[at].rounds = rounds; }

  /// Its place. If the graph is known already, what it covers is added to what is known, with the
  /// maps that were missing.
  std::size_t add(Candidate candidate, std::uint32_t rounds = 0);
  /// The same where Identity(candidate.graph).hash() is known already.
  std::size_t add(Candidate candidate, const Hash128& id);
  void add_all(const CandidateArchive& others);
  /// More is known to be covered by the graph there, which is the candidate's.
  void extend(std::size_t at, const Candidate& candidate);
  /// Keeps the set and, of the others, those that would add most to it in place of some member: at
  /// most so many, and about as many as have their maps in kMapBytes. Places change.
  static constexpr std::size_t kMapBytes = std::size_t{192} << 20;
  void shrink(std::size_t most, SolutionSet& set);

  /// Inputs that the set covers together.
  [[nodiscard]] std::size_t covered(std::span<const std::size_t> set) const {
    return num_covered(table_, set);
  }
  /// perturb(), `tries` times over, each independently. The best outcome, or the set itself if all
  /// are worse; one that is as good is preferred, so that repeated calls wander.
  [[nodiscard]] SolutionSet perturbed(const SolutionSet& set, std::size_t k, std::size_t tries,
                                      std::uint64_t seed, ThreadPool& pool) const;
  /// About what the maps occupy.
  [[nodiscard]] std::size_t map_bytes() const;
  /// What a try costs, in units of GedBudget.
  [[nodiscard]] std::uint64_t work_of_a_try() const;

 private:
  struct Entry {
    Candidate candidate;
    Hash128 id;
    std::uint32_t rounds = 0;
  };

  std::size_t insert(Entry entry);
  void cover(std::size_t at, std::span<const std::uint32_t> inputs);

  std::size_t num_inputs_;
  std::vector<Entry> entries_;
  std::unordered_map<Hash128, std::size_t> places_;
  CoverTable table_;
};

}  // namespace fewedits
