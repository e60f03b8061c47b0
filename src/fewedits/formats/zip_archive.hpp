// SPDX-License-Identifier: MIT
// A zip file held in memory, read defensively: nothing is ever extracted to disk, every
// offset and size is checked, and inflating stops at a bound, so a zip bomb costs no memory.
// Stored and deflated members, zip64 included; encrypted or split archives are refused.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace fewedits {

class ZipArchive {
 public:
  /// True if the bytes start like a zip file.
  static bool looks_like_zip(std::string_view bytes);

  /// Takes the whole file. `origin` names it in errors. Throws Error if it is not a sound
  /// archive (truncated, overlapping directory, duplicate or absolute or ".." names, …).
  ZipArchive(std::string bytes, std::string origin);

  /// In directory order; entries for folders ("name/") are left out.
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  /// Bytes of the whole archive.
  [[nodiscard]] std::uint64_t packed_size() const { return bytes_.size(); }
  [[nodiscard]] bool contains(const std::string& name) const;
  /// Uncompressed size as the directory claims it.
  [[nodiscard]] std::uint64_t size_of(const std::string& name) const;
  /// The member's bytes, CRC-checked. Throws Error if absent, damaged, or larger than `limit`.
  [[nodiscard]] std::string read(const std::string& name, std::uint64_t limit) const;

 private:
  struct Member {
    std::uint64_t header_offset = 0;
    std::uint64_t packed_size = 0;
    std::uint64_t size = 0;
    std::uint32_t crc = 0;
    std::uint16_t method = 0;
  };
  struct Directory;

  [[nodiscard]] std::size_t find_end() const;
  [[nodiscard]] Directory read_end() const;
  void widen(Directory& directory, std::size_t end) const;
  void read_members(const Directory& directory);
  void check_layout(const Directory& directory) const;
  [[nodiscard]] const Member& member(const std::string& name) const;
  [[nodiscard]] std::string_view packed_bytes(const std::string& name, const Member& member) const;
  [[nodiscard]] std::string inflate(const std::string& name, const Member& member) const;
  [[noreturn]] void fail(const std::string& message, const std::string& remedy = {}) const;

  std::string bytes_;
  std::string origin_;
  std::vector<std::string> names_;
  std::map<std::string, Member> members_;  ///< folders too
};

}  // namespace fewedits
