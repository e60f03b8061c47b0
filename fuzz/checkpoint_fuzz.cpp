// SPDX-License-Identifier: MIT
// Any bytes give a state dict or an Error, in bounded memory. The first byte chooses:
//   'f'  the rest is a whole file;
//   'p'  the rest is a pickle, 0xFE 0xFF, a storage: packed into a sound zip file here, since
//        the fuzzer cannot guess checksums;
//   's'  the rest is a safetensors header, 0xFE 0xFF, the data.
#include <zlib.h>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "fewedits/base/error.hpp"
#include "fewedits/formats/checkpoint_reader.hpp"

namespace {

template <std::integral T>
void put(std::string& out, T value) {
  for (std::size_t i = 0; i < sizeof value; ++i) {
    out += static_cast<char>((static_cast<std::uint64_t>(value) >> (8 * i)) & 0xffU);
  }
}

/// The fields that a member's header and its directory entry share.
std::string fields(std::string_view name, std::string_view content) {
  std::string out("\x14\0\0\0\0\0\0\0\x21\0", 10);
  const auto* data = reinterpret_cast<const Bytef*>(content.data());
  put(out, static_cast<std::uint32_t>(crc32_z(0, data, content.size())));
  put(out, static_cast<std::uint32_t>(content.size()));
  put(out, static_cast<std::uint32_t>(content.size()));
  put(out, static_cast<std::uint16_t>(name.size()));
  put(out, std::uint16_t{0});
  return out;
}

std::string zip(std::string_view pickle, std::string_view storage) {
  std::string out;
  std::string directory;
  const auto add = [&](std::string_view name, std::string_view content) {
    directory += std::string("PK\x01\x02\x14\0", 6) + fields(name, content);
    directory.append(10, '\0');
    put(directory, static_cast<std::uint32_t>(out.size()));
    directory += name;
    out += std::string("PK\x03\x04") + fields(name, content);
    out.append(name).append(content);
  };
  add("m/data.pkl", pickle);
  add("m/data/0", storage);
  const std::size_t begin = out.size();
  out += directory + std::string("PK\x05\x06\0\0\0\0\x02\0\x02\0", 12);
  put(out, static_cast<std::uint32_t>(directory.size()));
  put(out, static_cast<std::uint32_t>(begin));
  return out + std::string(2, '\0');
}

std::string safetensors(std::string_view header, std::string_view data) {
  std::string out;
  put(out, std::uint64_t{header.size()});
  return out.append(header).append(data);
}

std::string make_file(std::string_view input) {
  if (input.empty()) return {};
  const std::string_view rest = input.substr(1);
  if (input[0] == 'f') return std::string(rest);
  const std::size_t cut = std::min(rest.find("\xfe\xff"), rest.size());
  const std::string_view tail = rest.substr(std::min(cut + 2, rest.size()));
  return input[0] == 'p' ? zip(rest.substr(0, cut), tail) : safetensors(rest.substr(0, cut), tail);
}

void require(bool holds) {
  if (!holds) std::abort();
}

void check(const fewedits::StateDict& tensors, const fewedits::CheckpointLimits& limits) {
  require(!tensors.empty() && tensors.size() <= limits.max_tensors);
  std::size_t total = 0;
  for (const auto& [name, tensor] : tensors) {
    const auto numel = static_cast<std::size_t>(tensor.numel());
    require(tensor.bytes.size() == numel * fewedits::size_of(tensor.dtype));
    require(tensor.to_floats().size() == numel);
    total += tensor.bytes.size();
  }
  require(total <= limits.max_file_bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fewedits::CheckpointLimits limits{1 << 20, 100};
  try {
    check(fewedits::parse_checkpoint(make_file({reinterpret_cast<const char*>(data), size}), "fuzz",
                                     limits),
          limits);
  } catch (const fewedits::Error&) {
  }
  return 0;
}
