// SPDX-License-Identifier: MIT
// Puts bytes together that a ByteCursor takes apart again.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

namespace fewedits {

class ByteWriter {
 public:
  /// Little-endian.
  template <std::integral T>
  void number(T value) {
    static_assert(std::endian::native == std::endian::little);
    std::array<char, sizeof value> bytes;
    std::memcpy(bytes.data(), &value, sizeof value);
    bytes_.append(bytes.data(), bytes.size());
  }
  /// Its length as 64 bits, then its bytes.
  void text(std::string_view value) {
    number<std::uint64_t>(value.size());
    bytes_ += value;
  }
  void append(std::string_view bytes) { bytes_ += bytes; }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

}  // namespace fewedits
