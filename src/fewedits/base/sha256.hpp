// SPDX-License-Identifier: MIT
// SHA-256 (FIPS 180-4), so that a result can say which files it rests on.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace fewedits {

class Sha256 {
 public:
  /// Processors have instructions for it, or do it the plain way; the answer is the same.
  enum class Way { kBest, kPlain };
  explicit Sha256(Way way = Way::kBest);

  void update(std::string_view bytes);
  /// 64 hexadecimal digits. Call it once, at the end.
  std::string hex();

 private:
  using State = std::array<std::uint32_t, 8>;
  /// Takes so many blocks of 64 bytes in.
  using Blocks = void (*)(State& state, const unsigned char* bytes, std::size_t count);
  static void plain_blocks(State& state, const unsigned char* bytes, std::size_t count);

  Blocks blocks_;
  State state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
               0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> pending_{};
  std::size_t num_pending_ = 0;
  std::uint64_t total_ = 0;
};

std::string sha256_hex(std::string_view bytes);

}  // namespace fewedits
