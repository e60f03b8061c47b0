// SPDX-License-Identifier: MIT
// Any text as a list of pairs: pairs of existing graphs or an Error, nothing else.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "fewedits/base/error.hpp"
#include "fewedits/distance/pair_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kGraphs = 100;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    for (const fewedits::GraphPair& pair : fewedits::parse_pairs(text, "fuzz.csv", kGraphs)) {
      if (pair.a >= kGraphs || pair.b >= kGraphs) std::abort();
    }
  } catch (const fewedits::Error&) {
  }
  return 0;
}
