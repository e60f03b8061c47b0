// SPDX-License-Identifier: MIT
// A file that is read piece by piece, by several threads if need be. It is read and not mapped: a
// mapped file that somebody cuts off kills the process that looks at it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace fewedits {

class InputFile {
 public:
  /// Throws Error if it cannot be opened. Folders, pipes and devices are refused: they may have no
  /// end, or make us wait for ever.
  explicit InputFile(const std::filesystem::path& path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  /// When it was opened; only a hint, since a file may grow.
  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] const std::string& name() const { return name_; }

  /// Reads from there on until `to` is full or the file ends; returns how many bytes that were.
  std::size_t read(std::uint64_t offset, std::span<char> to) const;

 private:
  std::string name_;
  int file_;
  std::uint64_t size_ = 0;
};

}  // namespace fewedits
