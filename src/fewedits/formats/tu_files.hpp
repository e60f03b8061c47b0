// SPDX-License-Identifier: MIT
// Where the files of a TU dataset lie: a folder, an archive, or memory. Internal to the TU reader.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "fewedits/formats/tu_lines.hpp"

namespace fewedits {

inline constexpr const char* kTuMetadataFile = "fewedits.json";

class TuFiles {
 public:
  TuFiles() = default;
  TuFiles(const TuFiles&) = delete;
  TuFiles& operator=(const TuFiles&) = delete;
  virtual ~TuFiles() = default;

  [[nodiscard]] virtual bool contains(const std::string& file) const = 0;
  [[nodiscard]] virtual std::string read(const std::string& file, std::uint64_t limit) const = 0;
  /// To be read piece by piece.
  [[nodiscard]] virtual std::unique_ptr<const TextSource> open(const std::string& file) const;
  /// The folder or archive, for messages.
  [[nodiscard]] virtual std::string origin() const = 0;
  [[nodiscard]] std::string display(const std::string& file) const { return origin() + "/" + file; }
};

struct FoundTuFiles {
  std::unique_ptr<const TuFiles> files;
  std::string name;  ///< of the dataset
};

/// The files of the one dataset at `path`, a folder or a .zip. Throws Error if there is none, or
/// several.
FoundTuFiles open_tu_files(const std::filesystem::path& path);

}  // namespace fewedits
