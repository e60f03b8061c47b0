// SPDX-License-Identifier: MIT
#include "fewedits/base/input_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "fewedits/base/error.hpp"
#include "fewedits/base/file.hpp"

namespace fewedits {
namespace {

std::string reason() { return std::strerror(errno); }

std::uint64_t checked_size(int file, const std::string& name) {
  struct stat info {};
  if (::fstat(file, &info) != 0) throw Error({name}, "cannot read: " + reason());
  if (S_ISDIR(info.st_mode)) throw Error({name}, "is a folder, a file was expected");
  if (!S_ISREG(info.st_mode)) {
    throw Error({name}, "is a pipe or a device, a file was expected",
                "write its content to a file first");
  }
  return static_cast<std::uint64_t>(info.st_size);
}

}  // namespace

InputFile::InputFile(const std::filesystem::path& path) : name_(path.string()), file_(-1) {
  refuse_nul(path);
  // Opening a pipe would wait for its writer.
  file_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file_ < 0) throw Error({name_}, "cannot open: " + reason());
  try {
    size_ = checked_size(file_, name_);
  } catch (...) {
    ::close(file_);
    throw;
  }
}

InputFile::~InputFile() { ::close(file_); }

std::size_t InputFile::read(std::uint64_t offset, std::span<char> to) const {
  std::size_t done = 0;
  while (done < to.size()) {
    const ssize_t got =
        ::pread(file_, to.data() + done, to.size() - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw Error({name_}, "cannot read: " + reason());
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

}  // namespace fewedits
