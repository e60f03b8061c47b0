// SPDX-License-Identifier: MIT
// The folder in which a long search keeps its state: begun, resumed, saved to now and then.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "fewedits/base/file.hpp"
#include "fewedits/search/run_file.hpp"

namespace fewedits {

class RunFolder {
 public:
  /// Creates the folder if need be. Throws Error if it holds a run already and `resume` is false,
  /// if it holds none and `resume` is true, if another process is at work in it, or if nothing can
  /// be written there.
  RunFolder(const std::string& folder, bool resume);

  /// The saved state; unset if the run begins now. Throws Error if it was begun with other
  /// settings, or if the file is damaged.
  [[nodiscard]] std::optional<SavedSearch> load(const RunSettings& settings, std::size_t num_inputs,
                                                std::size_t num_labels,
                                                std::size_t num_edge_labels) const;
  /// False if it could not be (a full disk): the search goes on. `tell` hears why, once until the
  /// trouble is over.
  bool save(const RunSettings& settings, const SavedSearch& search,
            const std::function<void(const std::string&)>& tell);

  [[nodiscard]] const std::filesystem::path& file() const { return file_; }
  /// The file that a folder's run is saved in.
  static std::filesystem::path file_in(const std::string& folder);

 private:
  void remove_leftovers() const;

  std::filesystem::path file_;
  FolderLock lock_;
  bool resume_;
  bool in_trouble_ = false;
};

}  // namespace fewedits
