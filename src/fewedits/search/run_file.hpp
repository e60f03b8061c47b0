// SPDX-License-Identifier: MIT
// An unfinished search on disk, so that a crash or a power cut loses half a minute of a walk, or a
// sixteenth of the certified refinement, at most; Ctrl-C loses nothing of the walk. The best set
// that was ever held is in it whatever ended the run.
//
// Layout (little-endian): "fewedits.run", version, length and SHA-256 of the rest; then the
// settings the search depends on (key and value as text) and its state. Only what cannot be
// computed again, or not quickly, is kept of a visited graph. The bytes are never trusted: a file
// that was cut off or changed is refused as a whole. Format: docs/formats.md.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fewedits/explanation/explanation.hpp"
#include "fewedits/search/options.hpp"
#include "fewedits/search/progress.hpp"

namespace fewedits {

struct Parts;

/// What a search depends on: dataset, models and options, in a fixed order.
using RunSettings = std::vector<std::pair<std::string, std::string>>;

/// Of a run on the dataset with that fingerprint. `files` has the hashes of the models, and the
/// constraints among its options.
RunSettings run_settings(const std::string& dataset_hash, const ExplainOptions& options,
                         const Provenance& files, const Parts& parts);

struct RunFile {
  RunSettings settings;
  SavedSearch search;
};

std::string run_file_bytes(const RunFile& run);

/// The settings alone, to be compared before the rest is read.
RunSettings parse_run_settings(std::string_view bytes, const std::string& file);

/// `num_inputs` and the numbers of labels bound what may occur; without labels of edges, edges have
/// none. Throws Error if anything is wrong with it.
RunFile parse_run_file(std::string_view bytes, const std::string& file, std::size_t num_inputs,
                       std::size_t num_labels, std::size_t num_edge_labels = 0);

/// Throws Error naming the first setting in which they differ.
void check_settings(const RunSettings& saved, const RunSettings& now, const std::string& file);

}  // namespace fewedits
