// SPDX-License-Identifier: MIT
// What a summary was chosen from: seen by standing between a method and the search.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "fewedits/search/parts.hpp"

namespace fewedits::bench {

struct CandidatePool {
  std::vector<std::vector<std::uint32_t>> covers;  ///< of each candidate: places of inputs
  std::size_t inputs = 0;
  double summary_seconds = 0;  ///< of the greedy choice among them
};

/// The built-in parts; what a method finds is put into `pool`, too, which must outlive them.
Parts parts_that_tell(CandidatePool& pool);

/// For other programs (bench/optimum.py): a line of words (dataset, search, seed, inputs, k), then
/// a line for each candidate, the inputs that it covers.
struct PoolName {
  std::string dataset;
  std::string search;
  std::uint64_t seed = 0;
  std::size_t k = 0;
};
std::string pool_text(const PoolName& name, const CandidatePool& pool);
/// Such a file, and how long the summary takes here. Throws Error naming the line that makes no
/// sense.
CandidatePool read_pool(const std::filesystem::path& file);

}  // namespace fewedits::bench
