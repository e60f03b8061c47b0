// SPDX-License-Identifier: MIT
// Whole files in, whole files out. Reading is bounded; writing is all or nothing.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace gcfx {

inline constexpr std::uint64_t kMaxFileBytes = std::uint64_t{4} << 30;

/// The file's bytes; throws Error if it cannot be read or is larger than `limit`.
std::string read_file(const std::filesystem::path& path, std::uint64_t limit = kMaxFileBytes);

/// Writes beside the target and renames, so that a reader sees the old file or the new
/// one and never a part; on failure the old file is untouched. Links and the file's mode are
/// kept; a pipe or a device is written to in place.
void write_file_atomically(const std::filesystem::path& path, std::string_view bytes);

}  // namespace gcfx
