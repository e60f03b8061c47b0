// SPDX-License-Identifier: MIT
#include "fewedits/search/kept.hpp"

#include <algorithm>

#include "fewedits/cover/archive.hpp"
#include "fewedits/cover/cover_counts.hpp"
#include "fewedits/search/state.hpp"

namespace fewedits {

std::size_t covered_by(std::span<const Candidate> set, std::size_t num_inputs) {
  CoverCounts counts(num_inputs);
  for (const Candidate& c : set) counts.add(c.covers);
  return counts.covered();
}

bool keep(std::span<const Candidate> set, std::size_t num_inputs, SearchState& state) {
  if (covered_by(set, num_inputs) <= covered_by(state.kept, num_inputs)) return false;
  state.kept.assign(set.begin(), set.end());
  return true;
}

std::vector<Candidate> kept_set(const SearchState& state, std::span<const Candidate> others,
                                std::size_t k, std::size_t num_inputs) {
  CandidateArchive all(num_inputs);
  SolutionSet set;
  for (const Candidate& c : state.kept) {
    const std::size_t at = all.add(c);
    if (std::find(set.begin(), set.end(), at) == set.end()) set.push_back(at);
  }
  for (const Candidate& c : others) all.add(c);
  cut_down(all.table(), set, k);
  fill_up(all.table(), set, k, nullptr);
  std::vector<Candidate> out;
  for (const std::size_t at : set) out.push_back(all[at]);
  return out;
}

}  // namespace fewedits
