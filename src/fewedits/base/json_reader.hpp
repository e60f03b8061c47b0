// SPDX-License-Identifier: MIT
// JSON text from users, parsed within limits. Only sources include this: it brings in nlohmann's.
#pragma once

#include <cstddef>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace fewedits {

struct JsonLimits {
  std::size_t depth = 64;  ///< of lists and objects in each other
  std::size_t keys = std::numeric_limits<std::size_t>::max();   ///< of one object
  std::size_t items = std::numeric_limits<std::size_t>::max();  ///< of one list
};

/// Throws Error with the file and, where known, the line unless the text is JSON within the limits.
/// Also where a key occurs twice in an object, of which the library would keep the later one in
/// silence. Builds nothing. Returns how many values and keys there are.
std::size_t check_json(std::string_view text, const std::string& file, const std::string& remedy,
                       const JsonLimits& limits = {});

/// Json is nlohmann::json or nlohmann::ordered_json, in which every key added looks at all others:
/// limit its keys. Checked first, in a pass of its own: the library's parser with a callback looks
/// at all earlier items of a list whenever an object in it ends.
template <typename Json>
Json parse_json(std::string_view text, const std::string& file, const std::string& remedy,
                const JsonLimits& limits = {}) {
  check_json(text, file, remedy, limits);
  return Json::parse(text);
}

}  // namespace fewedits
