// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fewedits {

/// Lower case of ASCII letters. The standard's tolower depends on the locale; names of files,
/// columns and datasets must not.
inline std::string ascii_lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

inline constexpr std::string_view kBlanks = " \t\r\n";

/// Without blanks at either end.
inline std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

/// "1 edit", "2 edits".
inline std::string counted(std::uint64_t count, std::string_view noun) {
  return std::to_string(count).append(" ").append(noun).append(count == 1 ? "" : "s");
}

/// 1234567 → "1,234,567".
inline std::string grouped(std::uint64_t number) {
  std::string out = std::to_string(number);
  for (std::size_t at = out.size(); at > 3;) out.insert(at -= 3, 1, ',');
  return out;
}

/// The number that the text is, whatever the locale; none if there is anything else in it.
template <typename Number>
std::optional<Number> number_in(std::string_view text) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [stopped, trouble] = std::from_chars(text.data(), end, value);
  return trouble == std::errc() && stopped == end ? std::optional(value) : std::nullopt;
}

}  // namespace fewedits
