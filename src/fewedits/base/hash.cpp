// SPDX-License-Identifier: MIT
#include "fewedits/base/hash.hpp"

namespace fewedits {
namespace {

// Odd constants with balanced bits (fractional parts of √2, √3, √5, √7).
constexpr std::uint64_t kMul[4] = {0x6a09e667f3bcc909ULL, 0xbb67ae8584caa73bULL,
                                   0x3c6ef372fe94f82bULL, 0xa54ff53a5f1d36f1ULL};

__extension__ using Wide = unsigned __int128;

std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

}  // namespace

Hash128 hash_words(std::span<const std::uint32_t> words, std::uint64_t seed) {
  std::uint64_t a = seed ^ kMul[0];
  std::uint64_t b = fold(seed ^ kMul[1], words.size() ^ kMul[2]);
  for (const std::uint32_t word : words) {
    // The multiplicand is kept away from 0 by the added constant, so no word is absorbed.
    a = fold(a ^ word, kMul[2]) + kMul[3];
    b = fold(b + word + kMul[3], kMul[1]) ^ (a >> 32);
  }
  return {fold(a ^ kMul[1], b | 1), fold(b ^ kMul[3], (a << 1) | 1)};
}

}  // namespace fewedits
