// SPDX-License-Identifier: MIT
// Reads the TU graph-classification format (Morris et al. 2020, "TUDataset"): a folder or a
// .zip with NAME_A.txt, NAME_graph_indicator.txt, NAME_graph_labels.txt and, optionally,
// NAME_node_labels.txt and NAME_edge_labels.txt.
//
// Normalisations, each reported in RawDataset::notes: an edge listed more than once (in either
// direction) counts once, self loops are dropped, attribute files are ignored, missing node
// labels become one label 0. A graph that no node names has no nodes; prepare() leaves it out.
// Everything else that is off is an Error with file and line.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fewedits/graph/dataset.hpp"

namespace fewedits {

class TuFiles;     // where the files come from; internal to the reader
struct TuReading;  // who reads how much at a time; internal to the reader

/// A folder or a .zip file, opened once: a zip file is read and its directory checked only then.
class TuSource {
 public:
  explicit TuSource(const std::filesystem::path& path);
  ~TuSource();
  TuSource(const TuSource&) = delete;
  TuSource& operator=(const TuSource&) = delete;

  /// The graphs, unfiltered. `threads` 0: one per core; the answer is the same for any number.
  [[nodiscard]] RawDataset read(int threads = 0) const;
  /// The metadata file (fewedits.json) that lies beside the data, if there is one.
  [[nodiscard]] std::optional<DatasetMetadata> read_metadata() const;
  /// Where that is, or would be.
  [[nodiscard]] std::string metadata_file() const;

 private:
  std::unique_ptr<const TuFiles> files_;
  std::string name_;
};

/// The files of the datasets in a folder, those that may be there but are not among them.
std::vector<std::filesystem::path> tu_files(const std::filesystem::path& folder);

/// What was found at `path`, unfiltered.
RawDataset read_tu(const std::filesystem::path& path, int threads = 0);

/// The same from memory: file name ("NAME_A.txt") → content; `origin` names the folder in errors.
RawDataset parse_tu(const std::string& name, const std::map<std::string, std::string>& files,
                    const std::string& origin);

/// By these threads, and in pieces of that size: neither makes a difference.
RawDataset parse_tu(const std::string& name, const std::map<std::string, std::string>& files,
                    const std::string& origin, const TuReading& reading);

}  // namespace fewedits
