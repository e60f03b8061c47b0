// SPDX-License-Identifier: MIT
// 128-bit non-cryptographic hash of a word sequence: two 64-bit lanes, each folded with a
// 64×64→128 multiply. Collisions are possible in principle, so whoever keys a table by it
// also compares the words (see graph/identity).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace fewedits {

struct Hash128 {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  friend bool operator==(const Hash128&, const Hash128&) = default;
  friend auto operator<=>(const Hash128&, const Hash128&) = default;

  [[nodiscard]] std::string hex() const;
};

Hash128 hash_words(std::span<const std::uint32_t> words, std::uint64_t seed = 0);

}  // namespace fewedits

template <>
struct std::hash<fewedits::Hash128> {
  std::size_t operator()(const fewedits::Hash128& h) const noexcept { return h.low; }
};
