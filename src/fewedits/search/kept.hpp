// SPDX-License-Identifier: MIT
// The best set that a run held, or one that it goes on from. Internal to search.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "fewedits/cover/candidate.hpp"

namespace fewedits {

struct SearchState;

/// Inputs that they cover together.
std::size_t covered_by(std::span<const Candidate> set, std::size_t num_inputs);

/// Makes it SearchState::kept if it covers more than what is kept; true if it does.
bool keep(std::span<const Candidate> set, std::size_t num_inputs, SearchState& state);

/// What is kept as k candidates: cut down, or with those of `others` that add most.
std::vector<Candidate> kept_set(const SearchState& state, std::span<const Candidate> others,
                                std::size_t k, std::size_t num_inputs);

}  // namespace fewedits
