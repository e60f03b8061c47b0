// SPDX-License-Identifier: MIT
#include "fewedits/cover/cover_counts.hpp"

#include <algorithm>
#include <cassert>

namespace fewedits {

CoverCounts::CoverCounts(std::size_t num_inputs)
    : counts_(num_inputs, 0), with_count_(1, num_inputs) {}

void CoverCounts::add(std::span<const std::uint32_t> covers) {
  for (const std::uint32_t input : covers) {
    --with_count_[counts_[input]];
    const std::uint32_t count = ++counts_[input];
    if (count == with_count_.size()) with_count_.push_back(0);
    ++with_count_[count];
  }
}

void CoverCounts::remove(std::span<const std::uint32_t> covers) {
  for (const std::uint32_t input : covers) {
    assert(counts_[input] > 0);
    --with_count_[counts_[input]];
    ++with_count_[--counts_[input]];
  }
}

std::uint32_t CoverCounts::smallest() const {
  const auto first =
      std::find_if(with_count_.begin(), with_count_.end(), [](std::size_t n) { return n > 0; });
  return static_cast<std::uint32_t>(first - with_count_.begin());
}

std::size_t CoverCounts::gain(std::span<const std::uint32_t> covers) const {
  return static_cast<std::size_t>(std::count_if(covers.begin(), covers.end(),
                                                [&](std::uint32_t i) { return counts_[i] == 0; }));
}

}  // namespace fewedits
