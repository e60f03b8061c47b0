// SPDX-License-Identifier: MIT
// Any bytes as a zip file: an Error, or members whose sizes are the claimed ones.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "fewedits/base/error.hpp"
#include "fewedits/formats/zip_archive.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::uint64_t kLimit = 1 << 20;
  try {
    const fewedits::ZipArchive archive(std::string(reinterpret_cast<const char*>(data), size),
                                       "fuzz.zip");
    for (const std::string& name : archive.names()) {
      try {
        const std::string content = archive.read(name, kLimit);
        if (content.size() != archive.size_of(name) || content.size() > kLimit) std::abort();
      } catch (const fewedits::Error&) {
        // A member may be damaged and the next one sound.
      }
    }
  } catch (const fewedits::Error&) {
    // The expected answer to nonsense.
  }
  return 0;
}
