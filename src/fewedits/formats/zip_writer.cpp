// SPDX-License-Identifier: MIT
#include "fewedits/formats/zip_writer.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <cassert>
#include <concepts>
#include <limits>
#include <utility>

#include "fewedits/base/error.hpp"

namespace fewedits {
namespace {

constexpr std::uint64_t kMaxBytes = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t kLocalBytes = 30;
constexpr std::uint16_t kVersion = 20;
constexpr std::uint16_t kUtf8Names = 1 << 11;
constexpr std::uint16_t kDate = (1 << 5) | 1;    // 1 January 1980: same input, same bytes
constexpr std::uint16_t kPaddingField = 0x4246;  // "FB", as PyTorch's own writer pads

template <std::integral T>
void put(std::string& out, T value) {
  for (std::size_t i = 0; i < sizeof value; ++i) {
    out += static_cast<char>((static_cast<std::uint64_t>(value) >> (8 * i)) & 0xffU);
  }
}

/// Bytes of an extra field that move the content behind it to a multiple of `alignment`.
std::size_t padding_for(std::size_t content_at, std::size_t alignment) {
  constexpr std::size_t kFieldHeader = 4;
  if (content_at % alignment == 0) return 0;
  return kFieldHeader + (alignment - (content_at + kFieldHeader) % alignment) % alignment;
}

/// The part that local headers and directory entries have in common.
void put_common(std::string& out, std::uint32_t crc, std::uint32_t size, std::size_t name_length,
                std::size_t extra_length) {
  put(out, kVersion);
  put(out, kUtf8Names);
  put(out, std::uint16_t{0});  // stored
  put(out, std::uint16_t{0});  // time
  put(out, kDate);
  put(out, crc);
  put(out, size);
  put(out, size);
  put(out, static_cast<std::uint16_t>(name_length));
  put(out, static_cast<std::uint16_t>(extra_length));
}

}  // namespace

void ZipWriter::add(const std::string& name, std::string_view content, std::size_t alignment) {
  assert(!name.empty() && name.size() <= 0xffff && alignment > 0 && alignment <= 4096);
  const std::size_t header = bytes_.size() + kLocalBytes + name.size();
  const std::size_t padding = padding_for(header, alignment);
  if (content.size() > kMaxBytes || header + padding > kMaxBytes - content.size()) {
    throw Error(
        fmt::format("cannot write zip member {} of {} bytes: the archive would exceed 4 GiB",
                    in_quotes(name), content.size()),
        "write fewer or smaller tensors to one file, or use .safetensors");
  }
  const auto* data = reinterpret_cast<const Bytef*>(content.data());
  const Entry entry{name, static_cast<std::uint32_t>(crc32_z(0, data, content.size())),
                    static_cast<std::uint32_t>(content.size()),
                    static_cast<std::uint32_t>(bytes_.size())};
  bytes_ += "PK\x03\x04";
  put_common(bytes_, entry.crc, entry.size, name.size(), padding);
  bytes_ += name;
  if (padding > 0) {
    put(bytes_, kPaddingField);
    put(bytes_, static_cast<std::uint16_t>(padding - 4));
    bytes_.append(padding - 4, '\0');
  }
  bytes_ += content;
  entries_.push_back(entry);
}

std::string ZipWriter::finish() {
  const std::size_t directory = bytes_.size();
  for (const Entry& entry : entries_) {
    bytes_ += "PK\x01\x02";
    put(bytes_, kVersion);
    put_common(bytes_, entry.crc, entry.size, entry.name.size(), 0);
    put(bytes_, std::uint16_t{0});  // comment
    put(bytes_, std::uint16_t{0});  // disk
    put(bytes_, std::uint16_t{0});  // internal attributes
    put(bytes_, std::uint32_t{0});  // external attributes
    put(bytes_, entry.offset);
    bytes_ += entry.name;
  }
  // One less than the fields could hold: their largest values mean "see the zip64 record".
  if (entries_.size() >= 0xffff || bytes_.size() >= kMaxBytes) {
    throw Error(fmt::format("cannot write a zip archive of {} members and {} bytes",
                            entries_.size(), bytes_.size()),
                "the format ends at 65534 members and 4 GiB; use .safetensors");
  }
  const std::size_t directory_size = bytes_.size() - directory;
  bytes_ += "PK\x05\x06";
  put(bytes_, std::uint32_t{0});  // disks
  put(bytes_, static_cast<std::uint16_t>(entries_.size()));
  put(bytes_, static_cast<std::uint16_t>(entries_.size()));
  put(bytes_, static_cast<std::uint32_t>(directory_size));
  put(bytes_, static_cast<std::uint32_t>(directory));
  put(bytes_, std::uint16_t{0});  // comment
  entries_.clear();
  return std::exchange(bytes_, {});
}

}  // namespace fewedits
