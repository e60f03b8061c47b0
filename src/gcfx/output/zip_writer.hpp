// SPDX-License-Identifier: MIT
// Builds a zip archive of stored (uncompressed) members in memory; deterministic bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gcfx {

class ZipWriter {
 public:
  void add(const std::string& name, std::string_view content);
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

}  // namespace gcfx
