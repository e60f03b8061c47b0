// SPDX-License-Identifier: MIT
// Any bytes as a dataset file: an Error, or a dataset of simple graphs. The first byte chooses:
//   'f'  the rest is a whole file;
//   'b'  the rest is the block of two graphs with everything;
//   'd'  the rest is the description of two graphs without nodes.
// The last two are sealed here, since the fuzzer cannot guess a checksum.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "fewedits/base/error.hpp"
#include "fewedits/formats/dataset_description.hpp"
#include "fewedits/formats/dataset_file.hpp"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

fewedits::StoredDataset with_everything() {
  fewedits::StoredDataset out;
  out.raw.name = "fuzz";
  out.raw.graphs.resize(2);
  out.raw.graph_labels = {0, 1};
  out.raw.names = {"a", "b"};
  out.raw.source_index = {3, 8};
  out.raw.node_labels = {{0, ""}, {1, "C"}, {2, "N"}};
  out.raw.edge_labels = {{1, ""}, {2, ""}};
  return out;
}

std::string make_file(std::string_view input) {
  if (input.empty()) return {};
  const std::string rest(input.substr(1));
  switch (input[0]) {
    case 'b': return fewedits::dataset_file_of(2, description_bytes(with_everything()), {rest});
    case 'd': return fewedits::dataset_file_of(2, rest, {std::string(4, '\0')});
    default: return rest;
  }
}

void check(const fewedits::RawDataset& raw) {
  for (const fewedits::Graph& g : raw.graphs) {
    for (const fewedits::Label label : g.labels()) require(label < raw.node_labels.size());
    for (const fewedits::Edge& e : g.edges()) {
      require(e.u < e.v && e.v < g.num_nodes() && g.has_edge(e.v, e.u));
      require(!g.has_edge_labels() || e.label < raw.edge_labels.size());
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fewedits::ThreadPool pool(1);
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::string file = make_file(input);
  try {
    const auto dataset = fewedits::parse_dataset_file(file, "fuzz.few", pool);
    check(dataset.raw);
    const std::string written = dataset_file_bytes(dataset, pool);
    // A block has one form. A description may say the same in other words: its metadata is JSON.
    require(input[0] != 'b' || written == file);
    require(dataset_file_bytes(fewedits::parse_dataset_file(written, "again", pool), pool) ==
            written);
  } catch (const fewedits::Error& error) {
    require(error.where().file == "fuzz.few");
  }
  return 0;
}
