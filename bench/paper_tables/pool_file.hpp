// SPDX-License-Identifier: MIT
// Pools of candidates for other programs (bench/optimum.py): a line of words (dataset, search,
// seed, inputs, k), then a line for each candidate, the inputs that it covers.
#pragma once

#include <cstdint>
#include <string>

#include "support/candidate_pool.hpp"

namespace fewedits::bench {

struct PoolName {
  std::string dataset;
  std::string search;
  std::uint64_t seed = 0;
  std::size_t k = 0;
};

std::string pool_text(const PoolName& name, const CandidatePool& pool);

}  // namespace fewedits::bench
