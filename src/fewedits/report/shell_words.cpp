// SPDX-License-Identifier: MIT
#include "fewedits/report/shell_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace fewedits {
namespace {

bool is_plain(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-./=,:+@%").find(c) != std::string_view::npos;
  });
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

}  // namespace

std::string shell_quoted(const std::string& text) {
  if (is_plain(text)) return text;
  const bool spelled = std::ranges::any_of(text, is_control);
  std::string out = spelled ? "$'" : "'";
  for (const char c : text) {
    if (is_control(c)) {
      out += fmt::format("\\x{:02x}", c);
    } else if (spelled && (c == '\'' || c == '\\')) {
      out += {'\\', c};
    } else if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

}  // namespace fewedits
