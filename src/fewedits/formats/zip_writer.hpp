// SPDX-License-Identifier: MIT
// Builds a zip archive of stored (uncompressed) members in memory; deterministic bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fewedits {

class ZipWriter {
 public:
  /// The content starts at a multiple of `alignment` bytes (so that it can be mapped). Throws
  /// Error if the archive would exceed 4 GiB, which this writer (no zip64) cannot express.
  void add(const std::string& name, std::string_view content, std::size_t alignment = 1);
  /// Ends the archive and returns its bytes.
  [[nodiscard]] std::string finish();

 private:
  struct Entry {
    std::string name;
    std::uint32_t crc;
    std::uint32_t size;
    std::uint32_t offset;
  };
  std::string bytes_;
  std::vector<Entry> entries_;
};

}  // namespace fewedits
