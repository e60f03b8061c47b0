// SPDX-License-Identifier: MIT
#include "fewedits/cover/cover_set.hpp"

#include <utility>

namespace fewedits {

CoverSet::CoverSet(const CandidateArchive& archive, SolutionSet members)
    : archive_(&archive), members_(std::move(members)), counts_(archive.num_inputs()) {
  for (std::size_t s = 0; s < size(); ++s) {
    covers_.push_back((*this)[s].covers);
    resume(s);
  }
}

void CoverSet::resume_as(std::size_t s, std::size_t place) {
  members_[s] = place;
  covers_[s] = (*this)[s].covers;
  resume(s);
}

std::size_t CoverSet::weakest() {
  std::size_t at = 0;
  std::size_t least = counts_.num_inputs() + 1;
  for (std::size_t s = 0; s < size(); ++s) {
    suspend(s);
    const std::size_t value = marginal_of_member(s);
    resume(s);
    if (value >= least) continue;
    least = value;
    at = s;
  }
  return at;
}

}  // namespace fewedits
