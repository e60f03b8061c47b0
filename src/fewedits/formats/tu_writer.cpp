// SPDX-License-Identifier: MIT
#include "fewedits/formats/tu_writer.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>

#include "fewedits/base/error.hpp"
#include "fewedits/base/file.hpp"
#include "fewedits/formats/metadata.hpp"

namespace fewedits {
namespace {

namespace fs = std::filesystem;

void append_line(std::string& out, std::int64_t value) {
  out += fmt::format_int(value).c_str();
  out += '\n';
}

/// A folder beside the target that is removed unless it was moved into place.
class StagingFolder {
 public:
  explicit StagingFolder(const fs::path& target) {
    // Another writer of this process, or leftovers of one that was killed, may hold a name.
    for (int attempt = 0;; ++attempt) {
      path_ = target.parent_path() /
              fmt::format(".{}.{}.{}.tmp", target.filename().string(), ::getpid(), attempt);
      std::error_code problem;
      if (fs::create_directory(path_, problem)) return;
      if (problem || attempt == 1000) {
        throw Error(Location{target.string(), 0}, "cannot create the folder: " + problem.message(),
                    "check that the folder above it exists and is writable");
      }
    }
  }
  ~StagingFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  StagingFolder(const StagingFolder&) = delete;
  StagingFolder& operator=(const StagingFolder&) = delete;

  [[nodiscard]] const fs::path& path() const { return path_; }

  /// Replaces nothing but an empty folder: rename(2) refuses to do more.
  void move_to(const fs::path& target) {
    std::error_code problem;
    fs::rename(path_, target, problem);
    if (problem) {
      throw Error(Location{target.string(), 0},
                  "cannot move the folder into place: " + problem.message());
    }
    sync_folder(target.parent_path());
  }

 private:
  fs::path path_;
};

/// What the format cannot say must not be lost in silence.
void check_expressible(const RawDataset& raw, const std::string& target) {
  const auto fail = [&](const std::string& what) { throw Error(Location{target, 0}, what); };
  if (raw.graphs.empty()) fail("cannot write a dataset without graphs");
  bool any_edge = false;
  for (std::size_t g = 0; g < raw.graphs.size(); ++g) {
    const Graph& graph = raw.graphs[g];
    any_edge = any_edge || graph.num_edges() > 0;
    if (graph.num_nodes() == 0) {
      fail(fmt::format("graph {} has no nodes, which the TU format cannot hold", g));
    }
    if (graph.has_edge_labels() != raw.graphs[0].has_edge_labels()) {
      fail(fmt::format("graphs 0 and {} differ in having edge labels", g));
    }
  }
  if (!any_edge) fail("no graph has an edge, which the TU format cannot hold");
}

void check_free(const fs::path& folder) {
  std::error_code problem;
  if (!fs::exists(folder, problem)) return;
  if (!fs::is_directory(folder, problem) || !fs::is_empty(folder, problem)) {
    throw Error(Location{folder.string(), 0}, "exists already and is not an empty folder",
                "choose another folder, or empty this one");
  }
}

/// Each file's text by what comes after the dataset's name.
std::map<std::string, std::string> texts(const RawDataset& raw) {
  const bool edge_labels = raw.graphs[0].has_edge_labels();
  std::string adjacency;
  std::string indicator;
  std::string graph_labels;
  std::string node_labels;
  std::string edge_label_lines;
  std::uint64_t first = 1;
  for (std::size_t g = 0; g < raw.graphs.size(); ++g) {
    const Graph& graph = raw.graphs[g];
    append_line(graph_labels, raw.graph_labels.at(g));
    for (Node u = 0; u < graph.num_nodes(); ++u) {
      append_line(indicator, static_cast<std::int64_t>(g) + 1);
      append_line(node_labels, raw.node_labels.at(graph.label(u)).value);
      for (const Node v : graph.neighbours(u)) {
        adjacency += fmt::format_int(first + u).c_str();
        adjacency += ", ";
        append_line(adjacency, static_cast<std::int64_t>(first + v));
      }
      for (const Label label : graph.edge_labels(u)) {
        append_line(edge_label_lines, raw.edge_labels.at(label).value);
      }
    }
    first += graph.num_nodes();
  }
  std::map<std::string, std::string> out;
  out["A"] = std::move(adjacency);
  out["graph_indicator"] = std::move(indicator);
  out["graph_labels"] = std::move(graph_labels);
  out["node_labels"] = std::move(node_labels);
  if (edge_labels) out["edge_labels"] = std::move(edge_label_lines);
  return out;
}

}  // namespace

void write_tu(const fs::path& folder, const RawDataset& raw, const DatasetMetadata& metadata) {
  // "out/" and "out" are the same folder; the name is its last component.
  fs::path target = fs::absolute(folder).lexically_normal();
  if (!target.has_filename()) target = target.parent_path();
  const std::string name = target.filename().string();
  if (name.empty()) throw Error(Location{folder.string(), 0}, "is no folder to write to");
  check_expressible(raw, folder.string());
  check_free(target);

  StagingFolder staging(target);
  for (const auto& [what, text] : texts(raw)) {
    write_file_atomically(staging.path() / fmt::format("{}_{}.txt", name, what), text);
  }
  write_file_atomically(staging.path() / "fewedits.json", to_json(metadata));
  staging.move_to(target);
}

}  // namespace fewedits
