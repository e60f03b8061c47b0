// SPDX-License-Identifier: MIT
// Looks for k graphs that cover much together: rounds of climbs, each for one member given the
// others, and between them the best k of everything remembered.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "fewedits/base/rng.hpp"
#include "fewedits/cover/archive.hpp"
#include "fewedits/cover/cover_set.hpp"
#include "fewedits/search/climb/climber.hpp"
#include "fewedits/search/climb/cover_measure.hpp"
#include "fewedits/search/climb/known_maps.hpp"
#include "fewedits/search/climb/search_space.hpp"

namespace fewedits {

/// How far a search is, but for maps that it keeps to save work.
struct SolutionSearchState {
  CandidateArchive archive;
  SolutionSet incumbent;  ///< the best known set
  Rng::State rng{};
  std::uint64_t climbs = 0;  ///< planned so far
  std::uint64_t work = 0;
};

class SolutionSearch {
 public:
  /// False: stop at once. Long steps are ended by SearchSpace::stop as well.
  using GoOn = std::function<bool()>;

  /// Begins with a set and what else is in the archive. Searches of different streams draw
  /// different numbers. Keeps the references.
  SolutionSearch(CandidateArchive archive, SolutionSet incumbent, std::size_t k,
                 const SearchSpace& space, ThreadPool& threads, std::uint64_t stream);
  /// Goes on.
  SolutionSearch(SolutionSearchState state, std::size_t k, const SearchSpace& space,
                 ThreadPool& threads, std::uint64_t stream);

  /// Climbs for each of several members. If it is told to stop, what was found so far counts, but
  /// is not measured.
  void round(const GoOn& go_on);
  /// How graphs are measured: like those that enter the set, or those that stay in it.
  enum class Care { kMeasure, kDecide };
  /// Measures the remembered graphs that nearly made it, and chooses again: what climbs know of
  /// them is too little, and differs less than what they cover.
  void reconsider(Care care, const GoOn& go_on);
  /// The best set of all that is remembered, as far as a long look finds it.
  void choose_again();

  /// Forgets the maps it keeps: whoever goes on from state() has none either.
  void forget_maps() { starts_ = {}; }
  [[nodiscard]] SolutionSearchState state() const;

  [[nodiscard]] const CoverSet& set() const { return set_; }
  [[nodiscard]] const CandidateArchive& archive() const { return archive_; }
  /// Done so far, in units of GedBudget.
  [[nodiscard]] std::uint64_t work() const;

 private:
  void set_incumbent(SolutionSet set);
  void reselect(std::size_t tries);
  bool climb(const GoOn& go_on);
  std::vector<std::vector<Hash128>> identities(const std::vector<Climber::Outcome>& outcomes);
  void take(Climber::Outcome& outcome, std::span<const Hash128> ids);
  void take_unfinished();
  bool is_promising(const Candidate& candidate);
  std::vector<std::size_t> runners_up(std::uint32_t rounds);
  std::vector<std::size_t> most_useful(std::span<const std::size_t> among, std::size_t count);
  void measure_members();
  Climber::Plan next_plan();
  std::vector<std::size_t> members_left_out(std::size_t s);
  const Candidate& good_candidate();
  Candidate crowded_input(const std::vector<std::uint32_t>& open);

  const SearchSpace& space_;
  std::size_t k_;
  ThreadPool& threads_;
  CoverMeasure candidates_;
  CoverMeasure members_;
  CoverMeasure staying_;
  CandidateArchive archive_;
  CoverSet set_;  ///< the incumbent
  MapStore starts_;
  std::vector<std::unique_ptr<Climber>> climbers_;
  std::uint64_t stream_;
  Rng rng_;
  std::uint64_t climbs_ = 0;
  std::uint64_t work_ = 0;  ///< but for climbers and measures
};

}  // namespace fewedits
