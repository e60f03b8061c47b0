// SPDX-License-Identifier: MIT
#include "fewedits/base/xml_text.hpp"

#include <nlohmann/json.hpp>
#include <string_view>

namespace fewedits {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

/// The JSON library knows how to replace what is no UTF-8.
std::string as_utf8(const std::string& bytes) {
  using Json = nlohmann::json;
  const auto text = Json(bytes).dump(-1, ' ', false, Json::error_handler_t::replace);
  return Json::parse(text).get<std::string>();
}

/// How a byte is written in XML text; empty: as it is.
std::string_view escape(char c) {
  switch (c) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '"': return "&quot;";
    case '\'': return "&apos;";
    case '\t': return "&#9;";
    case '\n': return "&#10;";
    case '\r': return "&#13;";
    default: return static_cast<unsigned char>(c) < 0x20 ? kReplacement : std::string_view();
  }
}

}  // namespace

std::string xml_text(const std::string& bytes) {
  const std::string text = as_utf8(bytes);
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view rest = std::string_view(text).substr(i);
    const std::string_view escaped = escape(text[i]);
    // U+FFFE and U+FFFF are UTF-8 but no characters.
    if (rest.starts_with("\xEF\xBF\xBE") || rest.starts_with("\xEF\xBF\xBF")) {
      out += kReplacement;
      i += 2;
    } else if (escaped.empty()) {
      out += text[i];
    } else {
      out += escaped;
    }
  }
  return out;
}

}  // namespace fewedits
