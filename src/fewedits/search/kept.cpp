// SPDX-License-Identifier: MIT
#include "fewedits/search/kept.hpp"

#include <cstdint>
#include <unordered_set>

#include "fewedits/cover/archive.hpp"
#include "fewedits/cover/cover_counts.hpp"
#include "fewedits/graph/shape_hash.hpp"
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
  // Time may be up, and canonical forms of graphs that are hard for nauty take seconds. Isomorphic
  // graphs have equal shapes; one that is wrongly taken for another is left out, and what is kept
  // stays.
  std::unordered_set<std::uint64_t> shapes;
  const auto add = [&](const Candidate& c) {
    return all.add(c, Hash128{.high = 0, .low = all.size()});
  };
  for (const Candidate& c : state.kept) {
    shapes.insert(shape_hash(c.graph));
    set.push_back(add(c));
  }
  for (const Candidate& c : others) {
    if (shapes.insert(shape_hash(c.graph)).second) add(c);
  }
  cut_down(all.table(), set, k);
  fill_up(all.table(), set, k, nullptr);
  std::vector<Candidate> out;
  for (const std::size_t at : set) out.push_back(all[at]);
  return out;
}

}  // namespace fewedits
