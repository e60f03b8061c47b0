// SPDX-License-Identifier: MIT
// Any text as an explanation and as a list of graphs: an Error, or one that is written and read
// back as the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "gcfx/base/error.hpp"
#include "gcfx/output/explanation_json.hpp"
#include "gcfx/output/graphml.hpp"

namespace {

bool survives(const gcfx::Explanation& explanation) {
  try {
    return gcfx::parse_explanation(gcfx::explanation_json(explanation), "again") == explanation;
  } catch (const gcfx::Error&) {
    return false;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const gcfx::GraphList list = gcfx::parse_graph_list(text, "fuzz.json");
    (void)gcfx::to_graphml(list.graphs, list.label_names);
    const gcfx::Explanation explanation = gcfx::parse_explanation(text, "fuzz.json");
    if (!survives(explanation)) std::abort();
  } catch (const gcfx::Error&) {
    // The expected answer to nonsense.
  }
  return 0;
}
