// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <string>

namespace gcfx {

/// Lower case of ASCII letters. The standard's tolower depends on the locale; names of files,
/// columns and datasets must not.
inline std::string ascii_lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

}  // namespace gcfx
