// SPDX-License-Identifier: MIT
// Any text as an explanation and as a list of graphs: an Error, or one that is written and read
// back as the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "fewedits/base/error.hpp"
#include "fewedits/explanation/explanation_json.hpp"
#include "fewedits/formats/graphml.hpp"

namespace {

bool survives(const fewedits::Explanation& explanation) {
  try {
    return fewedits::parse_explanation(fewedits::explanation_json(explanation), "again") ==
           explanation;
  } catch (const fewedits::Error&) {
    return false;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const fewedits::GraphList list = fewedits::parse_graph_list(text, "fuzz.json");
    (void)fewedits::to_graphml(list.graphs, list.label_names);
    const fewedits::Explanation explanation = fewedits::parse_explanation(text, "fuzz.json");
    if (!survives(explanation)) std::abort();
  } catch (const fewedits::Error&) {
    // The expected answer to nonsense.
  }
  return 0;
}
