// SPDX-License-Identifier: MIT
// 128-bit non-cryptographic hash of a word sequence: two 64-bit lanes, each folded with a
// 64×64→128 multiply. Identity (graph/identity) compares the words as well. Tables that are keyed
// by the hash alone (visits of the walk, archives, features of graph kernels) take it for what it
// stands for: among a billion different sequences, two share it by chance once in 10^21 times.
// Sequences that somebody chose to that end may well share it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace fewedits {

struct Hash128 {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  friend bool operator==(const Hash128&, const Hash128&) = default;
  friend auto operator<=>(const Hash128&, const Hash128&) = default;
};

Hash128 hash_words(std::span<const std::uint32_t> words, std::uint64_t seed = 0);

}  // namespace fewedits

template <>
struct std::hash<fewedits::Hash128> {
  std::size_t operator()(const fewedits::Hash128& h) const noexcept { return h.low; }
};
