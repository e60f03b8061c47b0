// SPDX-License-Identifier: MIT
#include "fewedits/base/error.hpp"

#include <fmt/format.h>

#include "fewedits/base/terminal_text.hpp"

namespace fewedits {
namespace {

std::string compose(const Location& where, const std::string& message, const std::string& remedy) {
  std::string text;
  if (!where.file.empty()) {
    // Whoever named the file may not be the one who reads this.
    const std::string file = printable(where.file);
    text = where.line > 0 ? fmt::format("{}:{}: ", file, where.line) : file + ": ";
  }
  text += message;
  if (!remedy.empty()) text += "\n  hint: " + remedy;
  return text;
}

}  // namespace

Error::Error(const Location& where, const std::string& message, const std::string& remedy)
    : std::runtime_error(compose(where, message, remedy)), where_(where), remedy_(remedy) {}

std::string in_quotes(const std::string& text, std::size_t limit) {
  if (text.size() <= limit) return "'" + printable(text) + "'";
  // Not in the middle of a character, which has at most three bytes after its first.
  std::size_t end = limit;
  const auto continues = [&](std::size_t at) {
    return (static_cast<unsigned char>(text[at]) & 0xc0U) == 0x80;
  };
  while (end > 0 && limit - end < 3 && continues(end)) --end;
  return "'" + printable(std::string_view(text).substr(0, end)) + "…'";
}

}  // namespace fewedits
