// SPDX-License-Identifier: MIT
// What a saved search holds.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fewedits/cover/candidate.hpp"
#include "fewedits/explanation/explanation.hpp"
#include "fewedits/search/baselines/local_state.hpp"
#include "fewedits/search/climb/certified_search.hpp"
#include "fewedits/search/walk/walk.hpp"

namespace fewedits {

struct SearchState {
  WalkState walk;
  std::vector<TracePoint> trace;
  std::size_t most_covered = 0;     ///< for `patience`
  std::uint64_t last_progress = 0;  ///< step at which it was reached
  /// The certified refinement, once it is under way.
  struct Refinement {
    CertifiedSearchState search;
    std::vector<RefinementPoint> trace;
  };
  std::optional<Refinement> refinement;
  /// Of methods that explain each input alone; they walk nowhere.
  std::optional<LocalRunState> local;
  /// The set that covered most of all that this run, or one it goes on from, ever held: with what
  /// its members cover, and under distances with proofs the maps. Nothing takes it away but a
  /// better one.
  std::vector<Candidate> kept;
};

}  // namespace fewedits
