// SPDX-License-Identifier: MIT
// Any bytes give a dataset or an Error, the same in whatever pieces they are read. The input is cut
// at 0xFF, which occurs in no valid file, into the files of a dataset in the order below; files
// that do not follow are absent, and an optional file that is empty is absent too.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>

#include "fewedits/base/error.hpp"
#include "fewedits/formats/metadata.hpp"
#include "fewedits/formats/tu_lines.hpp"
#include "fewedits/formats/tu_reader.hpp"

namespace {

struct Part {
  const char* file;
  bool optional;
};
constexpr Part kParts[] = {
    {"F_graph_labels.txt", false}, {"F_graph_indicator.txt", false}, {"F_A.txt", false},
    {"F_node_labels.txt", true},   {"F_edge_labels.txt", true},      {"fewedits.json", true}};

void require(bool holds) {
  if (!holds) std::abort();
}

void check(const fewedits::RawDataset& raw) {
  require(!raw.graphs.empty() && raw.graphs.size() == raw.graph_labels.size());
  for (const fewedits::Graph& g : raw.graphs) {
    for (const fewedits::Label label : g.labels()) require(label < raw.node_labels.size());
    for (const fewedits::Edge& e : g.edges()) {
      require(e.u < e.v && e.v < g.num_nodes());
      require(!g.has_edge_labels() || e.label < raw.edge_labels.size());
    }
  }
}

std::map<std::string, std::string> cut(std::string_view input) {
  std::map<std::string, std::string> files;
  for (const Part& part : kParts) {
    const std::size_t end = std::min(input.find('\xFF'), input.size());
    if (end > 0 || !part.optional) files[part.file] = input.substr(0, end);
    if (end == input.size()) break;
    input.remove_prefix(end + 1);
  }
  return files;
}

/// The error, or what was read as far as it depends on lines.
std::string outcome_of(const std::map<std::string, std::string>& files, std::size_t piece) {
  static fewedits::ThreadPool pool(1);
  try {
    const auto raw = fewedits::parse_tu("F", files, "fuzz", fewedits::TuReading{pool, piece});
    check(raw);
    std::string out;
    for (const std::int64_t label : raw.graph_labels) out += std::to_string(label) + " ";
    for (const fewedits::Graph& g : raw.graphs) {
      for (const fewedits::Label label : g.labels()) out += std::to_string(label) + ",";
      for (const fewedits::Edge& e : g.edges()) {
        out +=
            std::to_string(e.u) + "-" + std::to_string(e.v) + ":" + std::to_string(e.label) + ";";
      }
    }
    return out;
  } catch (const fewedits::Error& error) {
    require(!error.where().file.empty());
    return error.what();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto files = cut({reinterpret_cast<const char*>(data), size});
  const std::string whole = outcome_of(files, 1 << 20);
  // However the files are cut into pieces.
  require(outcome_of(files, 3) == whole);
  if (files.contains("fewedits.json")) {
    try {
      // What was accepted is written in a form that is accepted again.
      const auto metadata = fewedits::parse_metadata(files.at("fewedits.json"), "fewedits.json");
      require(fewedits::parse_metadata(fewedits::to_json(metadata), "again").name == metadata.name);
    } catch (const fewedits::Error& error) {
      require(error.where().file == "fewedits.json");
    }
  }
  return 0;
}
