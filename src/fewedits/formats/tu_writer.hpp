// SPDX-License-Identifier: MIT
// Writes a raw dataset as a TU folder, with fewedits.json beside the data.
#pragma once

#include <filesystem>

#include "fewedits/graph/dataset.hpp"

namespace fewedits {

/// Creates `folder` (which must not exist yet, or be empty) with files named after the
/// folder. Nothing half-written stays behind: files are written to a sibling folder first and
/// moved into place at the end.
void write_tu(const std::filesystem::path& folder, const RawDataset& raw,
              const DatasetMetadata& metadata);

}  // namespace fewedits
