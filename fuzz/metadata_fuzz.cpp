// SPDX-License-Identifier: MIT
// Any text as metadata: an Error, or metadata that is written and read back as the same and that
// prepares a dataset or is refused.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "fewedits/base/error.hpp"
#include "fewedits/formats/metadata.hpp"

namespace {

fewedits::RawDataset three_graphs() {
  fewedits::RawDataset raw;
  raw.name = "fuzz";
  raw.node_labels = {{0, ""}, {1, ""}, {7, ""}};
  const std::vector<fewedits::Label> labels{0, 1, 2, 2};
  const std::vector<fewedits::Edge> edges{{0, 1}};
  raw.graphs = {fewedits::Graph(labels, edges), fewedits::Graph(), fewedits::Graph(labels, {})};
  raw.graph_labels = {0, 1, 1};
  return raw;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const fewedits::DatasetMetadata metadata = fewedits::parse_metadata(text, "fuzz");
    const std::string written = fewedits::to_json(metadata);
    if (fewedits::to_json(fewedits::parse_metadata(written, "again")) != written) std::abort();
    const fewedits::Dataset dataset = fewedits::prepare(three_graphs(), metadata);
    for (const std::int64_t index : dataset.source_index) {
      if (index != 0 && index != 2) std::abort();  // the other has no nodes
    }
  } catch (const fewedits::Error&) {
    // The expected answer to nonsense.
  }
  return 0;
}
