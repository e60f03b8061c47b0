// SPDX-License-Identifier: MIT
// In place of libFuzzer, for compilers without it: a target gets the files of folders, one by one,
// each of them also cut short here and there, and with another first byte, by which some targets
// choose what is tried. So the default tests build every target and try it.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes bytes_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  const std::vector<char> chars{std::istreambuf_iterator<char>(in), {}};
  return {chars.begin(), chars.end()};
}

/// A copy of its own size, so that a sanitizer sees a step beyond its end.
void run(const Bytes& bytes) { LLVMFuzzerTestOneInput(bytes.data(), bytes.size()); }

void replay(const Bytes& seed) {
  constexpr std::ptrdiff_t kCuts = 16;
  const auto size = static_cast<std::ptrdiff_t>(seed.size());
  for (std::ptrdiff_t cut = 0; cut <= kCuts; ++cut) {
    run({seed.begin(), seed.begin() + size * cut / kCuts});
  }
  if (seed.empty()) return;
  Bytes other = seed;
  for (int first = 0; first < 64; ++first) {
    other[0] = static_cast<std::uint8_t>(first);
    run(other);
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t files = 0;
  for (int i = 1; i < argc; ++i) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(argv[i])) {
      if (!entry.is_regular_file()) continue;
      replay(bytes_of(entry.path()));
      ++files;
    }
  }
  if (files == 0) std::fprintf(stderr, "there is no file to try\n");
  return files == 0 ? 1 : 0;
}
