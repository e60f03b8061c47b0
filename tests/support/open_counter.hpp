// SPDX-License-Identifier: MIT
// How often a file is opened, by anyone, as the kernel tells it.
#pragma once

#include <gtest/gtest.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <filesystem>

namespace fewedits::test {

class OpenCounter {
 public:
  explicit OpenCounter(const std::filesystem::path& file) : fd_(::inotify_init1(IN_NONBLOCK)) {
    // Closing is watched so that two openings in a row are not told as one.
    const int watch = ::inotify_add_watch(fd_, file.c_str(), IN_OPEN | IN_CLOSE);
    EXPECT_GE(watch, 0) << "cannot watch " << file;
  }
  ~OpenCounter() { ::close(fd_); }
  OpenCounter(const OpenCounter&) = delete;
  OpenCounter& operator=(const OpenCounter&) = delete;

  /// Since it was last asked.
  [[nodiscard]] int count() const {
    int opened = 0;
    alignas(inotify_event) std::array<char, 4096> events{};
    for (;;) {
      const ssize_t bytes = ::read(fd_, events.data(), events.size());
      if (bytes <= 0) return opened;
      for (std::size_t at = 0; at < static_cast<std::size_t>(bytes);) {
        inotify_event event{};
        std::memcpy(&event, events.data() + at, sizeof(event));
        if ((event.mask & IN_OPEN) != 0) ++opened;
        at += sizeof(event) + event.len;
      }
    }
  }

 private:
  int fd_;
};

}  // namespace fewedits::test
