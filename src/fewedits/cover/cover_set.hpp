// SPDX-License-Identifier: MIT
// A solution set and what it covers together, for searches that exchange one member at a time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fewedits/cover/archive.hpp"
#include "fewedits/cover/cover_counts.hpp"

namespace fewedits {

class CoverSet {
 public:
  /// Keeps a reference to the archive, in which the members are. What a member covers is what the
  /// archive knew when it joined.
  CoverSet(const CandidateArchive& archive, SolutionSet members);

  [[nodiscard]] const SolutionSet& members() const { return members_; }
  [[nodiscard]] std::size_t size() const { return members_.size(); }
  [[nodiscard]] const Candidate& operator[](std::size_t s) const {
    return (*archive_)[members_[s]];
  }
  /// Inputs that a member covers; one that is suspended does not count.
  [[nodiscard]] std::size_t covered() const { return counts_.covered(); }
  [[nodiscard]] bool covers(std::uint32_t input) const { return counts_.covers(input); }
  /// Inputs that the graph covers and no member does.
  [[nodiscard]] std::size_t marginal(const Candidate& candidate) const {
    return counts_.gain(candidate.covers);
  }
  /// The same of a member that is suspended.
  [[nodiscard]] std::size_t marginal_of_member(std::size_t s) const {
    return counts_.gain(covers_[s]);
  }

  /// Member s does not count until it is resumed, or another one takes its place.
  void suspend(std::size_t s) { counts_.remove(covers_[s]); }
  void resume(std::size_t s) { counts_.add(covers_[s]); }
  void resume_as(std::size_t s, std::size_t place);
  /// The member that is missed least.
  [[nodiscard]] std::size_t weakest();

 private:
  const CandidateArchive* archive_;
  SolutionSet members_;
  std::vector<std::vector<std::uint32_t>> covers_;  ///< by each member
  CoverCounts counts_;
};

}  // namespace fewedits
