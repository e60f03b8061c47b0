// SPDX-License-Identifier: MIT
#include "pool_file.hpp"

#include <fmt/format.h>

namespace fewedits::bench {

std::string pool_text(const PoolName& name, const CandidatePool& pool) {
  std::string out =
      fmt::format("{} {} {} {} {}\n", name.dataset, name.search, name.seed, pool.inputs, name.k);
  for (const auto& covers : pool.covers) out += fmt::format("{}\n", fmt::join(covers, " "));
  return out;
}

}  // namespace fewedits::bench
