// SPDX-License-Identifier: MIT
#include "gcfx/base/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "gcfx/base/error.hpp"

namespace gcfx {
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

}  // namespace

std::string read_file(const std::filesystem::path& path, std::uint64_t limit) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) throw Error({path.string()}, "cannot open: " + reason());
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) throw Error({path.string()}, "cannot read: " + reason());
  if (S_ISDIR(info.st_mode)) throw Error({path.string()}, "is a folder, a file was expected");

  // The size is only a hint: a pipe reports 0 and a file may grow while we read.
  std::string bytes;
  bytes.reserve(std::min<std::uint64_t>(limit, static_cast<std::uint64_t>(info.st_size)));
  char buffer[1 << 16];
  for (;;) {
    const ssize_t got = ::read(file.get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw Error({path.string()}, "cannot read: " + reason());
    if (got == 0) return bytes;
    bytes.append(buffer, static_cast<std::size_t>(got));
    if (bytes.size() > limit) {
      throw Error({path.string()}, fmt::format("is larger than the limit of {} bytes", limit));
    }
  }
}

void write_file_atomically(const std::filesystem::path& path, std::string_view bytes) {
  const auto fail = [&](const std::string& why, const std::string& remedy = {}) {
    throw Error({path.string()}, "cannot write: " + why, remedy);
  };
  struct stat info {};
  const bool exists = ::stat(path.c_str(), &info) == 0;
  if (exists && S_ISDIR(info.st_mode)) fail("it is a folder");
  if (exists && !S_ISREG(info.st_mode)) {
    // A pipe or a device is written to, never replaced by a file.
    const Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (file.get() < 0 || !write_all(file.get(), bytes)) fail(reason());
    return;
  }
  // A link stays a link: what it points to is replaced.
  const auto target = exists ? std::filesystem::canonical(path) : path;
  const std::string temporary = fmt::format("{}.{}.tmp", target.string(), ::getpid());
  Descriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (file.get() < 0) fail(reason(), "check that the folder exists and is writable");
  const bool written = write_all(file.get(), bytes) &&
                       (!exists || ::fchmod(file.get(), info.st_mode & 07777) == 0) &&
                       (::fsync(file.get()) == 0 || errno == EINVAL) &&
                       ::close(file.release()) == 0 &&
                       ::rename(temporary.c_str(), target.c_str()) == 0;
  if (!written) {
    const std::string why = reason();
    ::unlink(temporary.c_str());
    fail(why);
  }
}

}  // namespace gcfx
