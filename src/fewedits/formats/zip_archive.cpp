// SPDX-License-Identifier: MIT
// Layout after PKWARE's APPNOTE.TXT: members, central directory, (zip64 end, its locator,)
// end record. The directory is the only source of sizes; local headers are only skipped.
#include "fewedits/formats/zip_archive.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <utility>

#include "fewedits/base/byte_cursor.hpp"
#include "fewedits/base/error.hpp"

namespace fewedits {
namespace {

constexpr std::uint32_t kLocalSignature = 0x04034b50;
constexpr std::uint32_t kEntrySignature = 0x02014b50;
constexpr std::uint32_t kLocatorSignature = 0x07064b50;
constexpr std::uint32_t kEnd64Signature = 0x06064b50;
constexpr std::size_t kLocalBytes = 30;
constexpr std::size_t kEntryBytes = 46;
constexpr std::size_t kEndBytes = 22;
constexpr std::size_t kLocatorBytes = 20;
constexpr std::uint16_t kZip64Field = 0x0001;
constexpr std::uint16_t kStored = 0;
constexpr std::uint16_t kDeflated = 8;
// Bit 0: encrypted, bit 6: strongly so, bit 13: directory masked.
constexpr std::uint16_t kEncryptedFlags = 0x2041;
// Deflate cannot do better than this (a 258-byte match in 2 bits), so a larger claim is a lie.
constexpr std::uint64_t kMaxDeflateRatio = 1032;

const char* const kDamaged = "the file is damaged or cut off; copy or download it again";
const char* const kRepack = "pack it again with an ordinary zip program";

std::uint32_t crc_of(std::string_view bytes) {
  const auto* data = reinterpret_cast<const Bytef*>(bytes.data());
  return static_cast<std::uint32_t>(crc32_z(crc32_z(0, nullptr, 0), data, bytes.size()));
}

/// Why a member of this name is refused; empty if it is not. Nothing is extracted here, but
/// names are shown and compared, and a file with such names is not what it claims to be.
std::string objection_to(const std::string& name) {
  if (name.empty()) return "is empty";
  if (name.find('\0') != std::string::npos) return "contains a NUL byte";
  if (name.find('\\') != std::string::npos) return "contains a backslash";
  if (name[0] == '/' || (name.size() > 1 && name[1] == ':')) return "is an absolute path";
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find('/', begin), name.size());
    if (name.compare(begin, end - begin, "..") == 0) return "leaves the archive ('..')";
    begin = end + 1;
  }
  return {};
}

/// Raw deflate data in, plain bytes out, piece by piece.
class Inflater {
 public:
  explicit Inflater(std::string_view packed) : rest_(packed) {
    if (inflateInit2(&stream_, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  /// Writes at most `room` bytes to `out` and returns how many; false in `sound` if the data
  /// is not deflate data or ends too early.
  std::size_t next(char* out, std::size_t room, bool& sound) {
    if (stream_.avail_in == 0) feed();
    stream_.next_out = reinterpret_cast<Bytef*>(out);
    stream_.avail_out = static_cast<uInt>(std::min(room, kPiece));
    const uInt before = stream_.avail_out;
    const int result = ::inflate(&stream_, Z_NO_FLUSH);
    ended_ = result == Z_STREAM_END;
    sound = ended_ || result == Z_OK;
    return before - stream_.avail_out;
  }

  [[nodiscard]] bool ended() const { return ended_; }
  [[nodiscard]] bool used_all() const { return rest_.empty() && stream_.avail_in == 0; }

 private:
  static constexpr std::size_t kPiece = std::size_t{1} << 30;  // zlib counts in 32 bits

  void feed() {
    const std::string_view piece = rest_.substr(0, kPiece);
    rest_.remove_prefix(piece.size());
    stream_.next_in = reinterpret_cast<z_const Bytef*>(const_cast<char*>(piece.data()));
    stream_.avail_in = static_cast<uInt>(piece.size());
  }

  std::string_view rest_;
  z_stream stream_{};
  bool ended_ = false;
};

/// Replaces the saturated ones of three 32-bit fields by the 64-bit ones of the extra field.
void widen_entry(ByteCursor extra, std::uint64_t& size, std::uint64_t& packed,
                 std::uint64_t& offset) {
  while (extra.remaining() >= 4) {
    const auto id = extra.number<std::uint16_t>();
    const auto length = extra.number<std::uint16_t>();
    const std::string_view body = extra.take(length);
    if (id != kZip64Field) continue;
    ByteCursor field = extra.inside(body);
    for (std::uint64_t* value : {&size, &packed, &offset}) {
      if (*value == 0xffffffffU) *value = field.number<std::uint64_t>();
    }
    return;
  }
}

}  // namespace

struct ZipArchive::Directory {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  std::uint64_t entries = 0;
};

bool ZipArchive::looks_like_zip(std::string_view bytes) {
  return bytes.starts_with("PK\x03\x04") || bytes.starts_with("PK\x05\x06");
}

ZipArchive::ZipArchive(std::string bytes, std::string origin)
    : bytes_(std::move(bytes)), origin_(std::move(origin)) {
  const Directory directory = read_end();
  read_members(directory);
  check_layout(directory);
}

void ZipArchive::fail(const std::string& message, const std::string& remedy) const {
  throw Error(Location{origin_}, message, remedy.empty() ? kDamaged : remedy);
}

/// The end record may be followed by a comment; its length must lead exactly to the end of the
/// file, so that a signature inside a comment or a member is not mistaken for it.
std::size_t ZipArchive::find_end() const {
  if (bytes_.size() >= kEndBytes) {
    const std::size_t last = bytes_.size() - kEndBytes;
    const std::size_t first = last > 0xffff ? last - 0xffff : 0;
    for (std::size_t at = last + 1; at-- > first;) {
      if (bytes_.compare(at, 4, "PK\x05\x06", 4) != 0) continue;
      ByteCursor cursor(bytes_, origin_, "the zip end record");
      cursor.skip(at + kEndBytes - 2);
      if (cursor.number<std::uint16_t>() == last - at) return at;
    }
  }
  fail("is not a whole zip file: its directory is missing");
}

ZipArchive::Directory ZipArchive::read_end() const {
  const std::size_t end = find_end();
  ByteCursor cursor(bytes_, origin_, "the zip end record");
  cursor.skip(end + 4);
  const auto disk = cursor.number<std::uint16_t>();
  const auto directory_disk = cursor.number<std::uint16_t>();
  const auto entries_here = cursor.number<std::uint16_t>();
  Directory directory;
  directory.entries = cursor.number<std::uint16_t>();
  directory.size = cursor.number<std::uint32_t>();
  directory.offset = cursor.number<std::uint32_t>();
  const bool wide = directory.entries == 0xffff || directory.size == 0xffffffffU ||
                    directory.offset == 0xffffffffU;
  if (wide && end >= kLocatorBytes) widen(directory, end);
  if ((disk != 0 && disk != 0xffff) || disk != directory_disk ||
      (entries_here != directory.entries && entries_here != 0xffff)) {
    fail("is one part of a split zip archive", "join the parts and pack them into one zip file");
  }
  if (directory.offset > end || directory.size > end - directory.offset) {
    fail(fmt::format("the zip directory ({} bytes at {}) is not inside the file", directory.size,
                     directory.offset));
  }
  if (directory.entries > directory.size / kEntryBytes) {
    fail(fmt::format("the zip directory claims {} members but has only {} bytes", directory.entries,
                     directory.size));
  }
  return directory;
}

/// Zip64: a locator right before the end record points to a record with 64-bit numbers.
void ZipArchive::widen(Directory& directory, std::size_t end) const {
  ByteCursor locator(bytes_, origin_, "the zip64 locator");
  locator.skip(end - kLocatorBytes);
  // Without a locator the saturated numbers are meant literally (65535 members exactly).
  if (locator.number<std::uint32_t>() != kLocatorSignature) return;
  const auto disk = locator.number<std::uint32_t>();
  const auto offset = locator.number<std::uint64_t>();
  const auto disks = locator.number<std::uint32_t>();

  ByteCursor record(bytes_, origin_, "the zip64 end record");
  record.skip(offset);
  if (record.number<std::uint32_t>() != kEnd64Signature) fail("the zip64 end record is missing");
  record.skip(8 + 2 + 2);  // its size, two versions
  const auto record_disk = record.number<std::uint32_t>();
  const auto directory_disk = record.number<std::uint32_t>();
  const auto entries_here = record.number<std::uint64_t>();
  directory.entries = record.number<std::uint64_t>();
  directory.size = record.number<std::uint64_t>();
  directory.offset = record.number<std::uint64_t>();
  if (disk != 0 || disks > 1 || record_disk != 0 || directory_disk != 0 ||
      entries_here != directory.entries) {
    fail("is one part of a split zip archive", "join the parts and pack them into one zip file");
  }
}

void ZipArchive::read_members(const Directory& directory) {
  ByteCursor cursor(std::string_view(bytes_).substr(directory.offset, directory.size), origin_,
                    "the zip directory");
  for (std::uint64_t i = 0; i < directory.entries; ++i) {
    if (cursor.number<std::uint32_t>() != kEntrySignature) {
      fail(fmt::format("entry {} of the zip directory is damaged", i + 1));
    }
    cursor.skip(4);  // versions
    Member member;
    const auto flags = cursor.number<std::uint16_t>();
    member.method = cursor.number<std::uint16_t>();
    cursor.skip(4);  // time and date
    member.crc = cursor.number<std::uint32_t>();
    member.packed_size = cursor.number<std::uint32_t>();
    member.size = cursor.number<std::uint32_t>();
    const auto name_length = cursor.number<std::uint16_t>();
    const auto extra_length = cursor.number<std::uint16_t>();
    const auto comment_length = cursor.number<std::uint16_t>();
    cursor.skip(2 + 2 + 4);  // disk (checked as a whole), attributes
    member.header_offset = cursor.number<std::uint32_t>();
    const std::string name(cursor.take(name_length));
    const std::string_view extra = cursor.take(extra_length);
    cursor.skip(comment_length);
    widen_entry(cursor.inside(extra), member.size, member.packed_size, member.header_offset);

    const std::string objection = objection_to(name);
    if (!objection.empty())
      fail("the name of member " + in_quotes(name) + " " + objection, kRepack);
    if ((flags & kEncryptedFlags) != 0) {
      fail("member " + in_quotes(name) + " is encrypted",
           "unpack it and pack it without a password");
    }
    if (!members_.emplace(name, member).second) {
      fail("member " + in_quotes(name) + " occurs twice", kRepack);
    }
    if (name.back() != '/') names_.push_back(name);
  }
}

/// Members may not overlap each other or the directory. Besides being unsound, overlapping
/// members are how small files claim to hold petabytes.
void ZipArchive::check_layout(const Directory& directory) const {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
  ranges.reserve(members_.size());
  for (const auto& [name, member] : members_) {
    const std::uint64_t header = kLocalBytes + name.size();
    if (member.header_offset > directory.offset ||
        header > directory.offset - member.header_offset ||
        member.packed_size > directory.offset - member.header_offset - header) {
      fail("member " + in_quotes(name) + " reaches outside the file");
    }
    ranges.emplace_back(member.header_offset, member.header_offset + header + member.packed_size);
  }
  std::sort(ranges.begin(), ranges.end());
  for (std::size_t i = 1; i < ranges.size(); ++i) {
    if (ranges[i].first < ranges[i - 1].second) fail("two zip members overlap", kRepack);
  }
}

bool ZipArchive::contains(const std::string& name) const { return members_.count(name) != 0; }

const ZipArchive::Member& ZipArchive::member(const std::string& name) const {
  const auto found = members_.find(name);
  if (found == members_.end())
    fail("has no member " + in_quotes(name), "check that it is complete");
  return found->second;
}

std::uint64_t ZipArchive::size_of(const std::string& name) const { return member(name).size; }

std::string ZipArchive::read(const std::string& name, std::uint64_t limit) const {
  const Member& entry = member(name);
  if (entry.size > limit) {
    fail(fmt::format("member {} has {} bytes, the limit is {}", in_quotes(name), entry.size, limit),
         "if the file is trustworthy, raise the limit; otherwise do not use it");
  }
  std::string content;
  if (entry.method == kDeflated) {
    content = inflate(name, entry);
  } else if (entry.method == kStored) {
    if (entry.size != entry.packed_size) fail("member " + in_quotes(name) + " has two sizes");
    content = packed_bytes(name, entry);
  } else {
    fail(fmt::format("member {} is packed with method {}", in_quotes(name), entry.method),
         "pack it again, stored or deflated (zip's default)");
  }
  if (crc_of(content) != entry.crc) fail("member " + in_quotes(name) + " fails its checksum");
  return content;
}

std::string_view ZipArchive::packed_bytes(const std::string& name, const Member& entry) const {
  ByteCursor cursor(bytes_, origin_, "zip member " + in_quotes(name));
  cursor.skip(entry.header_offset);
  if (cursor.number<std::uint32_t>() != kLocalSignature) {
    fail("the header of member " + in_quotes(name) + " is missing");
  }
  cursor.skip(kLocalBytes - 4 - 4);
  const auto name_length = cursor.number<std::uint16_t>();
  const auto extra_length = cursor.number<std::uint16_t>();
  if (cursor.take(name_length) != name) {
    fail("member " + in_quotes(name) + " has another name in its own header");
  }
  cursor.skip(extra_length);
  return cursor.take(entry.packed_size);
}

std::string ZipArchive::inflate(const std::string& name, const Member& entry) const {
  const std::string_view packed = packed_bytes(name, entry);
  if (entry.size / kMaxDeflateRatio > packed.size()) {
    fail(fmt::format("member {} claims to grow from {} to {} bytes, more than deflate can do",
                     in_quotes(name), packed.size(), entry.size));
  }
  Inflater inflater(packed);
  std::string content;
  std::size_t produced = 0;
  while (!inflater.ended() && produced <= entry.size) {
    // Memory follows what was really produced. One byte more than the claimed size shows
    // whether there is more than claimed.
    if (produced == content.size()) {
      const std::size_t wanted = std::max(2 * produced, std::size_t{1} << 16);
      content.resize(static_cast<std::size_t>(std::min<std::uint64_t>(entry.size + 1, wanted)));
    }
    bool sound = false;
    produced += inflater.next(content.data() + produced, content.size() - produced, sound);
    if (!sound) fail("member " + in_quotes(name) + " is not sound deflate data");
  }
  if (produced != entry.size || !inflater.used_all()) {
    fail(fmt::format("member {} does not unpack to the {} bytes claimed", in_quotes(name),
                     entry.size));
  }
  content.resize(produced);
  return content;
}

}  // namespace fewedits
