// SPDX-License-Identifier: MIT
#include "fewedits/base/bit_rows.hpp"

#include "fewedits/base/target_clones.hpp"

namespace fewedits {
namespace {

// PERF NOTE: plain pointers, so that both clones vectorise.
FEWEDITS_TARGET_CLONES std::size_t common(const std::uint64_t* a, const std::uint64_t* b,
                                          std::size_t words) {
  std::size_t count = 0;
  for (std::size_t w = 0; w < words; ++w) {
    count += static_cast<std::size_t>(std::popcount(a[w] & b[w]));
  }
  return count;
}

FEWEDITS_TARGET_CLONES std::size_t only_first(const std::uint64_t* a, const std::uint64_t* b,
                                              std::size_t words) {
  std::size_t count = 0;
  for (std::size_t w = 0; w < words; ++w) {
    count += static_cast<std::size_t>(std::popcount(a[w] & ~b[w]));
  }
  return count;
}

}  // namespace

std::size_t count_bits(BitRow row) { return common(row.data(), row.data(), row.size()); }

std::size_t count_common(BitRow a, BitRow b) { return common(a.data(), b.data(), a.size()); }

std::size_t count_new(BitRow row, BitRow taken) {
  return only_first(row.data(), taken.data(), row.size());
}

}  // namespace fewedits
