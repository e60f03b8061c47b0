// SPDX-License-Identifier: MIT
// Whole files in, whole files out. Reading is bounded; writing is all or nothing; a folder can be
// locked.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace fewedits {

inline constexpr std::uint64_t kMaxFileBytes = std::uint64_t{4} << 30;

/// Throws Error for a name with a NUL in it: the system would read what precedes that, and find
/// another file, or the current folder.
void refuse_nul(const std::filesystem::path& path);

/// The file's bytes; throws Error if it cannot be read or is larger than `limit`. Folders, pipes
/// and devices are refused: they may have no end, or make us wait for ever.
std::string read_file(const std::filesystem::path& path, std::uint64_t limit = kMaxFileBytes);

/// Writes beside the target and renames, so that a reader sees the old file or the new
/// one and never a part; on failure the old file is untouched. Links and the file's mode are
/// kept; a pipe or a device is written to in place. What is written beside the target has a random
/// name that did not exist, and the folder is synced: once this returns, a power cut takes neither
/// the bytes nor the name.
void write_file_atomically(const std::filesystem::path& path, std::string_view bytes);

/// The file that write_file_atomically would make or replace: where the links that `path` leads
/// over end, whether or not there is a file yet.
std::filesystem::path end_of_links(const std::filesystem::path& path);

/// Makes what was created in or moved into the folder survive a power cut.
void sync_folder(const std::filesystem::path& folder);

/// Throws the Error of write_file_atomically if it could not begin to write there; found out by
/// trying, since permissions do not tell (a read-only disk, root). Leaves nothing behind.
void probe_writable(const std::filesystem::path& path);

/// Writes a new file, "prefix" and "ending" around a random name, in the folder for temporary
/// files, and returns where it is: for what could not be written where it was wanted.
std::filesystem::path write_temporary_file(const std::string& prefix, const std::string& ending,
                                           std::string_view bytes);

/// A folder for one process alone, as long as this lives; a killed process leaves no trace. Throws
/// Error if another one has it. Where a file system knows no locks, everyone gets in.
class FolderLock {
 public:
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int fd_;
};

}  // namespace fewedits
