// SPDX-License-Identifier: MIT
#include "fewedits/base/terminal_text.hpp"

#include <fmt/format.h>

#include <cstdint>

namespace fewedits {
namespace {

/// Bytes of a character in UTF-8; none: what begins there is no UTF-8.
struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 0;
};

Character character_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || at + bytes > text.size()) return {};
  std::uint32_t code = first & (0x7fU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3fU);
  }
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < kLeast[bytes] || code > 0x10ffff || surrogate) return {};
  return {code, bytes};
}

bool is_harmless(std::uint32_t code) {
  const auto among = [&](std::uint32_t first, std::uint32_t last) {
    return code >= first && code <= last;
  };
  const bool control = code < 0x20 || among(0x7f, 0x9f);
  // Marks and overrides of direction, separators of lines, characters without width.
  const bool steers =
      among(0x200b, 0x200f) || among(0x2028, 0x202e) || among(0x2060, 0x206f) || code == 0xfeff;
  return !control && !steers;
}

std::string escaped(std::string_view text, std::string_view kept) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const Character found = character_at(text, at);
    const std::size_t bytes = found.bytes == 0 ? 1 : found.bytes;
    const bool shown =
        found.bytes > 0 && (is_harmless(found.code) || kept.find(text[at]) != kept.npos);
    for (std::size_t i = at; i < at + bytes; ++i) {
      if (shown) {
        out += text[i];
      } else {
        out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[i]));
      }
    }
    at += bytes;
  }
  return out;
}

}  // namespace

std::string printable(std::string_view text) { return escaped(text, ""); }
std::string printable_lines(std::string_view text) { return escaped(text, "\n\t"); }

}  // namespace fewedits
