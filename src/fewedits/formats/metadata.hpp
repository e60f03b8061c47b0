// SPDX-License-Identifier: MIT
// The declarative description of datasets: built-in entries (datasets.json, embedded) and
// the user's own files in the same form. The format is documented in docs/formats.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fewedits/graph/dataset.hpp"

namespace fewedits {

inline constexpr std::uint64_t kMaxMetadataBytes = std::uint64_t{16} << 20;

/// Parses one metadata object; `origin` names it in errors. Unknown keys are errors: a typo
/// must not silently change a dataset.
DatasetMetadata parse_metadata(const std::string& json, const std::string& origin);

/// The built-in entry of that name, compared case-insensitively.
std::optional<DatasetMetadata> builtin_metadata(const std::string& name);
std::vector<std::string> builtin_metadata_names();

/// The metadata as JSON in the same form, e.g. to sit beside a generated dataset.
std::string to_json(const DatasetMetadata& metadata);

}  // namespace fewedits
