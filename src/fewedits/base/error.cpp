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
  std::string out = "'";
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i == limit) {
      out += "…";
      break;
    }
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x20 || byte >= 0x7f) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += static_cast<char>(byte);
    }
  }
  return out + "'";
}

}  // namespace fewedits
