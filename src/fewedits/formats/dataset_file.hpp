// SPDX-License-Identifier: MIT
// A dataset in one file (docs/formats.md, "Dataset file"): graphs in compact blocks, each with its
// checksum, and all that the source said of them. Blocks are read and written by several threads.
// What is in the file is what a reader found, before any filter: it is understood anew whenever it
// is opened, as its source would be.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "fewedits/base/parallel.hpp"
#include "fewedits/graph/dataset.hpp"

namespace fewedits {

inline constexpr const char* kDatasetFileExtension = ".few";

/// How the source was read; whoever reads the file cannot choose any more.
struct ReadingOfSource {
  bool molecules = false;  ///< from a molecule file
  std::string label_column;
  bool explicit_hydrogens = false;
  bool ignore_charges = false;
  friend bool operator==(const ReadingOfSource&, const ReadingOfSource&) = default;
};

struct StoredDataset {
  RawDataset raw;
  DatasetMetadata metadata;
  /// Are the numbers of the classes ours, because they are words in the source?
  bool numbers_are_ours = false;
  ReadingOfSource reading = {};
};

/// Is it called NAME.few, in any case of letters?
bool has_dataset_extension(const std::filesystem::path& path);

/// Throws Error unless it is: under another name nobody would open the file.
void check_dataset_extension(const std::filesystem::path& path);

/// The same dataset has the same bytes, whatever the number of threads. Throws Error for what
/// cannot be stored.
std::string dataset_file_bytes(const StoredDataset& dataset, ThreadPool& pool);

/// The file of these parts, whatever they are: what checksums are of cannot be guessed, so tests
/// and fuzzers seal what they want read.
std::string dataset_file_of(std::uint64_t graphs, const std::string& description,
                            std::vector<std::string> blocks);

/// Writes the bytes, atomically. Checks the extension.
void write_dataset_file(const std::filesystem::path& path, const StoredDataset& dataset,
                        ThreadPool& pool);

/// Throws Error for whatever is not exactly such a file: cut off, with a wrong checksum, with
/// graphs that are none. Takes at most 32 times the size of the file, and some, of memory; the
/// bytes of the file are held block by block.
StoredDataset read_dataset_file(const std::filesystem::path& path, ThreadPool& pool);

/// The same from memory; `origin` names it in errors.
StoredDataset parse_dataset_file(std::string_view bytes, const std::string& origin,
                                 ThreadPool& pool);

}  // namespace fewedits
