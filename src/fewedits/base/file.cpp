// SPDX-License-Identifier: MIT
#include "fewedits/base/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <random>
#include <utility>

#include "fewedits/base/error.hpp"
#include "fewedits/base/input_file.hpp"

namespace fewedits {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }
  void reset(int fd) { fd_ = fd; }

 private:
  int fd_;
};

std::string reason() { return std::strerror(errno); }

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(fd, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

[[noreturn]] void fail_to_write(const std::filesystem::path& path,
                                const std::string& why = reason(), const std::string& remedy = {}) {
  throw Error({path.string()}, "cannot write: " + why, remedy);
}

/// Where the bytes of a file go.
struct Target {
  std::filesystem::path file;
  std::optional<mode_t> mode;  ///< of the file that is replaced
  bool in_place = false;       ///< a pipe or a device
};

Target target_of(const std::filesystem::path& path) {
  struct stat info {};
  const bool exists = ::stat(path.c_str(), &info) == 0;
  if (!exists && errno == ELOOP) fail_to_write(path);
  if (exists && S_ISDIR(info.st_mode)) fail_to_write(path, "it is a folder");
  Target out{path, {}, exists && !S_ISREG(info.st_mode)};
  if (exists) out.mode = info.st_mode & 07777;
  // A link stays a link: what it points to is replaced.
  if (!out.in_place) out.file = end_of_links(path);
  return out;
}

/// A new file beside the target, until all is written; gone again unless it is moved into place.
/// Nobody can lay a link in its way: its name is random, and a name that exists is not opened.
class FileBeside {
 public:
  FileBeside(const std::filesystem::path& path, const Target& target)
      : path_(path), target_(target) {
    constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    int file = -1;
    for (int attempt = 0; file < 0 && attempt < 100; ++attempt) {
      name_ = fmt::format("{}.{:08x}.tmp", target.file.string(), std::random_device()());
      file = ::open(name_.c_str(), kFlags, 0666);
      if (file < 0 && errno != EEXIST) break;
    }
    if (file < 0) fail_to_write(path, reason(), "check that the folder exists and is writable");
    file_.reset(file);
  }
  ~FileBeside() {
    if (!name_.empty()) ::unlink(name_.c_str());
  }
  FileBeside(const FileBeside&) = delete;
  FileBeside& operator=(const FileBeside&) = delete;

  void fill(std::string_view bytes) {
    // First the mode: what was for few eyes only stays so.
    const bool filled = (!target_.mode || ::fchmod(file_.get(), *target_.mode) == 0) &&
                        write_all(file_.get(), bytes) &&
                        (::fsync(file_.get()) == 0 || errno == EINVAL) &&
                        ::close(file_.release()) == 0;
    if (!filled) fail_to_write(path_);
  }

  void move_into_place() {
    if (::rename(name_.c_str(), target_.file.c_str()) != 0) fail_to_write(path_);
    name_.clear();
  }

 private:
  const std::filesystem::path& path_;
  const Target& target_;
  std::string name_;  ///< empty once it is in place
  Descriptor file_{-1};
};

}  // namespace

std::filesystem::path end_of_links(const std::filesystem::path& path) {
  namespace fs = std::filesystem;
  constexpr int kMaxLinks = 40;  // as the kernel does
  std::error_code trouble;
  fs::path at = path;
  for (int i = 0; i < kMaxLinks && fs::is_symlink(fs::symlink_status(at, trouble)); ++i) {
    // The right side alone if that is absolute.
    at = at.parent_path() / fs::read_symlink(at, trouble);
  }
  const fs::path folder =
      fs::weakly_canonical(at.parent_path().empty() ? "." : at.parent_path(), trouble);
  return trouble ? at : folder / at.filename();
}

void refuse_nul(const std::filesystem::path& path) {
  if (path.native().find('\0') == std::string::npos) return;
  throw Error({path.string()}, "has a NUL in its name, which no file has");
}

std::string read_file(const std::filesystem::path& path, std::uint64_t limit) {
  const InputFile file(path);
  const auto check_size = [&](std::uint64_t bytes) {
    if (bytes <= limit) return;
    throw Error({path.string()}, fmt::format("is larger than the limit of {} bytes", limit));
  };
  check_size(file.size());

  // The size is only a hint: a file may grow while we read.
  std::string bytes;
  bytes.reserve(static_cast<std::size_t>(file.size()));
  char buffer[1 << 16];
  for (;;) {
    const std::size_t got = file.read(bytes.size(), buffer);
    if (got == 0) return bytes;
    bytes.append(buffer, got);
    check_size(bytes.size());
  }
}

void write_file_atomically(const std::filesystem::path& path, std::string_view bytes) {
  const Target target = target_of(path);
  if (target.in_place) {
    // A pipe or a device is written to, never replaced by a file.
    const Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (file.get() < 0 || !write_all(file.get(), bytes)) fail_to_write(path);
    return;
  }
  FileBeside file(path, target);
  file.fill(bytes);
  file.move_into_place();
  sync_folder(target.file.parent_path());
}

void sync_folder(const std::filesystem::path& folder) {
  const std::filesystem::path named = folder.empty() ? "." : folder;
  const Descriptor opened(::open(named.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // A folder that may be written to but not read, or a file system that knows no such thing.
  if (opened.get() < 0) return;
  if (::fsync(opened.get()) != 0 && errno == EIO) fail_to_write(named);
}

void probe_writable(const std::filesystem::path& path) {
  const Target target = target_of(path);
  // Opening a pipe would wait for its reader.
  if (target.in_place) return;
  const FileBeside tried(path, target);
}

std::filesystem::path write_temporary_file(const std::string& prefix, const std::string& ending,
                                           std::string_view bytes) {
  std::string path = (std::filesystem::temp_directory_path() / (prefix + "XXXXXX" + ending));
  Descriptor file(::mkstemps(path.data(), static_cast<int>(ending.size())));
  if (file.get() < 0) fail_to_write(path);
  if (!write_all(file.get(), bytes) || ::close(file.release()) != 0) {
    const std::string why = reason();
    ::unlink(path.c_str());
    fail_to_write(path, why);
  }
  return path;
}

FolderLock::FolderLock(const std::filesystem::path& folder) : fd_(-1) {
  Descriptor file(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (file.get() >= 0 && ::flock(file.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    throw Error({folder.string()}, "another fewedits is at work in this folder",
                "wait for it, or choose another folder");
  }
  fd_ = file.release();
}

FolderLock::~FolderLock() { const Descriptor closed(fd_); }

}  // namespace fewedits
