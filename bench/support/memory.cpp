// SPDX-License-Identifier: MIT
#include "support/memory.hpp"

#include <fstream>
#include <string>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace fewedits::bench {

std::uint64_t peak_memory() {
  std::ifstream status("/proc/self/status");
  std::string word;
  std::uint64_t kilobytes = 0;
  while (status >> word) {
    if (word == "VmHWM:") status >> kilobytes;
  }
  return kilobytes << 10;
}

void reset_peak_memory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
  std::ofstream("/proc/self/clear_refs") << "5";  // proc(5): resets VmHWM
}

}  // namespace fewedits::bench
