// SPDX-License-Identifier: MIT
// Any text as a list of indices of graphs: an Error, or ascending indices, each once, which are
// written and read back as the same.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string_view>

#include "fewedits/base/error.hpp"
#include "fewedits/graph/index_list.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const auto list = fewedits::parse_index_list(text);
    if (!fewedits::looks_like_index_list(text)) std::abort();
    if (std::ranges::adjacent_find(list, std::greater_equal<>()) != list.end()) std::abort();
    if (fewedits::parse_index_list(fewedits::index_list_text(list)) != list) std::abort();
  } catch (const fewedits::Error&) {
    // The expected answer to nonsense.
  }
  return 0;
}
