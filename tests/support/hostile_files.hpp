// SPDX-License-Identifier: MIT
// Hand-made zip files and pickles, sound and hostile, for the tests of the readers.
#pragma once

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "fewedits/base/error.hpp"
#include "support/stop_watch.hpp"

namespace fewedits::test {

template <std::integral T>
void put(std::string& out, T value) {
  for (std::size_t i = 0; i < sizeof value; ++i) {
    out += static_cast<char>((static_cast<std::uint64_t>(value) >> (8 * i)) & 0xffU);
  }
}

inline std::uint32_t crc_of(std::string_view bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

/// Raw deflate data, as zip members hold it.
inline std::string deflated(std::string_view bytes, int level = 9) {
  z_stream stream{};
  deflateInit2(&stream, level, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<z_const Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

/// The same of `count` zero bytes, without ever holding them.
inline std::string deflated_zeros(std::uint64_t count) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string zeros(1 << 16, '\0');
  std::string piece(1 << 16, '\0');
  std::string out;
  for (std::uint64_t fed = 0; fed < count; fed += zeros.size()) {
    stream.next_in = reinterpret_cast<Bytef*>(zeros.data());
    stream.avail_in = static_cast<uInt>(std::min<std::uint64_t>(zeros.size(), count - fed));
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    deflate(&stream, fed + zeros.size() >= count ? Z_FINISH : Z_NO_FLUSH);
    out.append(piece, 0, piece.size() - stream.avail_out);
  }
  deflateEnd(&stream);
  return out;
}

/// A zip member of which every field can lie.
struct RawMember {
  std::string name;
  std::string packed;
  std::uint64_t size = packed.size();
  std::uint32_t crc = crc_of(packed);
  std::uint16_t method = 0;
  std::uint16_t flags = 0;
  bool zip64 = false;                    ///< sizes and offset in a zip64 extra field
  bool sizes_only_in_directory = false;  ///< as with a data descriptor

  static RawMember deflated(const std::string& name, std::string_view content) {
    return {name, test::deflated(content), content.size(), crc_of(content), 8};
  }
};

struct RawZip {
  std::vector<RawMember> members;
  std::string comment = {};
  std::uint16_t disk = 0;
  bool zip64 = false;

  [[nodiscard]] std::string bytes() const {
    std::string out;
    std::string directory;
    for (const RawMember& member : members) {
      const std::uint64_t offset = out.size();
      out += "PK\x03\x04";
      put_fields(out, member, member.sizes_only_in_directory, 0);
      out += member.name + member.packed;
      if (member.sizes_only_in_directory) out.append(16, '\x11');  // the data descriptor
      put_entry(directory, member, offset);
    }
    const std::uint64_t begin = out.size();
    out += directory;
    if (zip64) put_end64(out, begin, directory.size());
    out += "PK\x05\x06";
    put(out, disk);
    put(out, disk);
    const auto count = static_cast<std::uint16_t>(zip64 ? 0xffff : members.size());
    put(out, count);
    put(out, count);
    put(out, static_cast<std::uint32_t>(zip64 ? 0xffffffffU : directory.size()));
    put(out, static_cast<std::uint32_t>(zip64 ? 0xffffffffU : begin));
    put(out, static_cast<std::uint16_t>(comment.size()));
    return out + comment;
  }

 private:
  static void put_fields(std::string& out, const RawMember& member, bool blank, std::size_t extra) {
    put(out, std::uint16_t{20});
    put(out, static_cast<std::uint16_t>(member.flags | (blank ? 8 : 0)));
    put(out, member.method);
    put(out, std::uint32_t{0x00210000});
    put(out, blank ? 0U : member.crc);
    const bool wide = extra > 0;
    put(out, static_cast<std::uint32_t>(wide ? 0xffffffffU : blank ? 0 : member.packed.size()));
    put(out, static_cast<std::uint32_t>(wide ? 0xffffffffU : blank ? 0 : member.size));
    put(out, static_cast<std::uint16_t>(member.name.size()));
    put(out, static_cast<std::uint16_t>(extra));
  }

  static void put_entry(std::string& out, const RawMember& member, std::uint64_t offset) {
    out += "PK\x01\x02";
    put(out, std::uint16_t{45});
    put_fields(out, member, false, member.zip64 ? 28 : 0);
    out.append(2 + 2 + 2 + 4, '\0');
    put(out, static_cast<std::uint32_t>(member.zip64 ? 0xffffffffU : offset));
    out += member.name;
    if (!member.zip64) return;
    put(out, std::uint16_t{1});
    put(out, std::uint16_t{24});
    put(out, member.size);
    put(out, std::uint64_t{member.packed.size()});
    put(out, offset);
  }

  void put_end64(std::string& out, std::uint64_t begin, std::uint64_t size) const {
    const std::uint64_t record = out.size();
    out += "PK\x06\x06";
    put(out, std::uint64_t{44});
    put(out, std::uint32_t{0x002d002d});
    put(out, std::uint64_t{0});  // disks
    put(out, std::uint64_t{members.size()});
    put(out, std::uint64_t{members.size()});
    put(out, size);
    put(out, begin);
    out += "PK\x06\x07";
    put(out, std::uint32_t{0});
    put(out, record);
    put(out, std::uint32_t{1});
  }
};

/// Writes pickle opcodes one by one.
class RawPickle {
 public:
  std::string bytes = "\x80\x02";

  RawPickle& op(std::string_view opcodes) {
    bytes += opcodes;
    return *this;
  }
  RawPickle& text(std::string_view text) {
    bytes += 'X';
    put(bytes, static_cast<std::uint32_t>(text.size()));
    return op(text);
  }
  RawPickle& integer(std::int64_t value) {
    bytes += "\x8a\x08";
    put(bytes, value);
    return *this;
  }
  RawPickle& integers(const std::vector<std::int64_t>& values) {
    op("(");
    for (const auto value : values) integer(value);
    return op("t");
  }
  RawPickle& global(std::string_view module, std::string_view name) {
    return op("c").op(module).op("\n").op(name).op("\n");
  }
  RawPickle& storage(std::string_view type, std::string_view key, std::int64_t numel) {
    op("(").text("storage").global("torch", type).text(key).text("cuda:1").integer(numel);
    return op("tQ");
  }
  /// A float tensor over storage `key` of `numel` elements.
  RawPickle& tensor(const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& stride,
                    std::int64_t numel, std::int64_t offset = 0, std::string_view key = "0",
                    std::string_view type = "FloatStorage") {
    global("torch._utils", "_rebuild_tensor_v2").op("(").storage(type, key, numel);
    integer(offset).integers(shape).integers(stride).op("\x89").global("collections",
                                                                       "OrderedDict");
    return op(")RtR");
  }
};

/// What the error of `action` says; a failure if there is none.
inline std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "no fewedits::Error was thrown";
  return {};
}

/// Bytes by which the process's memory grew at most while `action` ran.
inline std::int64_t peak_growth(const std::function<void()>& action) {
  const auto peak = []() -> std::int64_t {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("VmHWM:")) return std::stoll(line.substr(6)) * 1024;
    }
    ADD_FAILURE() << "the system does not tell how much memory was used";
    return 0;
  };
  // Forgets earlier peaks, behind which this one could hide: see proc(5).
  std::ofstream("/proc/self/clear_refs") << 5;
  const std::int64_t before = peak();
  action();
  return kMemoryIsOurs ? peak() - before : 0;
}

inline void expect_contains(const std::string& text, const std::vector<std::string>& parts) {
  for (const auto& part : parts) {
    EXPECT_NE(text.find(part), std::string::npos) << '"' << part << "\" is not in: " << text;
  }
}

}  // namespace fewedits::test
