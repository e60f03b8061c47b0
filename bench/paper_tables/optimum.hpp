// SPDX-License-Identifier: MIT
// What bench/optimum.py found: greedy summaries beside the best ones of the same pools.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace fewedits::bench {

struct Optimum {
  std::string dataset;
  std::string search;
  std::uint64_t seed = 0;
  double candidates = 0;
  double greedy = 0;  ///< inputs covered
  double best = 0;    ///< that was found
  double bound = 0;   ///< proven not to be exceeded; `best` if it is optimal
};
using Optima = std::vector<Optimum>;

/// Empty if there is no such file.
Optima read_optima(const std::filesystem::path& file);

}  // namespace fewedits::bench
