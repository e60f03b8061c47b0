// SPDX-License-Identifier: MIT
#include "fewedits/search/run_folder.hpp"

#include <system_error>

#include "fewedits/base/error.hpp"

namespace fewedits {
namespace {

const std::string& created(const std::string& folder) {
  std::filesystem::create_directories(folder);
  return folder;
}

}  // namespace

std::filesystem::path RunFolder::file_in(const std::string& folder) {
  return std::filesystem::path(folder) / "run.fewedits";
}

RunFolder::RunFolder(const std::string& folder, bool resume)
    : file_(file_in(folder)), lock_(resume ? folder : created(folder)), resume_(resume) {
  const bool exists = std::filesystem::exists(file_);
  if (exists && !resume) {
    throw Error({file_.string()}, "there is a run in this folder already",
                "resume it, or choose another folder");
  }
  if (!exists && resume) {
    throw Error({file_.string()}, "there is no run to resume",
                "begin one: do not ask for a resumed one");
  }
  probe_writable(file_);
  remove_leftovers();
}

/// What a save that was killed halfway had written.
void RunFolder::remove_leftovers() const {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(file_.parent_path(), ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("run.fewedits.") && name.ends_with(".tmp")) {
      std::filesystem::remove(entry.path(), ignored);
    }
  }
}

std::optional<SavedSearch> RunFolder::load(const RunSettings& settings, std::size_t num_inputs,
                                           std::size_t num_labels,
                                           std::size_t num_edge_labels) const {
  if (!resume_) return std::nullopt;
  const std::string bytes = read_file(file_);
  const RunSettings saved = parse_run_settings(bytes, file_.string());
  check_settings(saved, settings, file_.string());
  return parse_run_file(bytes, file_.string(), num_inputs, num_labels, num_edge_labels).search;
}

bool RunFolder::save(const RunSettings& settings, const SavedSearch& search,
                     const std::function<void(const std::string&)>& tell) {
  try {
    write_file_atomically(file_, run_file_bytes({settings, search}));
    in_trouble_ = false;
  } catch (const std::exception& trouble) {
    if (!in_trouble_) {
      tell(std::string("the run could not be saved, and goes on: ") + trouble.what());
    }
    in_trouble_ = true;
  }
  return !in_trouble_;
}

}  // namespace fewedits
