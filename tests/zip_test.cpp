// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <map>
#include <string>

#include "fewedits/base/rng.hpp"
#include "fewedits/formats/zip_archive.hpp"
#include "fewedits/formats/zip_writer.hpp"
#include "support/hostile_files.hpp"

namespace fewedits {
namespace {

using test::error_of;
using test::expect_contains;
using test::RawMember;
using test::RawZip;

constexpr std::uint64_t kLimit = 1 << 20;

std::map<std::string, std::string> read_all(const std::string& bytes) {
  const ZipArchive archive(bytes, "a.zip");
  std::map<std::string, std::string> content;
  for (const auto& name : archive.names()) content[name] = archive.read(name, kLimit);
  return content;
}

std::string open_error(const RawZip& zip) {
  return error_of([&] { ZipArchive(zip.bytes(), "a.zip"); });
}

std::string read_error(const RawZip& zip, std::uint64_t limit = kLimit) {
  return error_of([&] {
    static_cast<void>(ZipArchive(zip.bytes(), "a.zip").read(zip.members[0].name, limit));
  });
}

RawZip small_zip() {
  RawZip zip;
  zip.members.push_back({"x/stored", "stored bytes"});
  zip.members.push_back(RawMember::deflated("x/packed", std::string(300, 'p') + "end"));
  zip.members.push_back({"x/empty", ""});
  return zip;
}

/// What the tests of hostile files rest on.
TEST(PeakGrowthTest, SeesMemoryThatIsFreedAgainEveryTime) {
#ifdef FEWEDITS_UNDER_A_SANITIZER
  GTEST_SKIP() << "a sanitizer keeps memory of its own";
#endif
  for (int round = 0; round < 2; ++round) {
    const std::int64_t growth =
        test::peak_growth([] { EXPECT_EQ(std::string(64 << 20, 'x').back(), 'x'); });
    EXPECT_GT(growth, 60 << 20);
    EXPECT_LT(test::peak_growth([] {}), 4 << 20);
  }
}

TEST(ZipWriterTest, ReaderReadsWhatItWroteAndBytesAreDeterministic) {
  const auto write = [] {
    ZipWriter writer;
    writer.add("a/one", "first");
    writer.add("a/two", "");
    writer.add("three", std::string(1000, 'z'), 64);
    return writer.finish();
  };
  const std::string bytes = write();
  EXPECT_EQ(bytes, write());
  EXPECT_TRUE(ZipArchive::looks_like_zip(bytes));
  const ZipArchive archive(bytes, "a.zip");
  EXPECT_EQ(archive.names(), (std::vector<std::string>{"a/one", "a/two", "three"}));
  EXPECT_EQ(archive.read("a/one", 5), "first");
  EXPECT_EQ(archive.read("a/two", 0), "");
  EXPECT_EQ(archive.size_of("three"), 1000U);
  EXPECT_EQ(archive.read("three", 1000), std::string(1000, 'z'));
  EXPECT_FALSE(archive.contains("four"));
  EXPECT_EQ(bytes.find(std::string(1000, 'z')) % 64, 0U);
  expect_contains(error_of([&] { static_cast<void>(archive.read("four", 1)); }),
                  {"a.zip: ", "no member 'four'"});
}

TEST(ZipWriterTest, AnEmptyArchiveIsSound) {
  const std::string bytes = ZipWriter().finish();
  EXPECT_TRUE(ZipArchive::looks_like_zip(bytes));
  EXPECT_TRUE(ZipArchive(bytes, "a.zip").names().empty());
}

TEST(ZipWriterTest, AlignsAnyContentWhateverTheNames) {
  for (std::size_t length = 1; length < 140; ++length) {
    ZipWriter writer;
    writer.add(std::string(length, 'n'), "@content@", 64);
    const std::string bytes = writer.finish();
    EXPECT_EQ(bytes.find("@content@") % 64, 0U) << length;
    EXPECT_EQ(read_all(bytes).begin()->second, "@content@");
  }
}

TEST(ZipWriterTest, RefusesToExceedFourGibibytes) {
  // Reserved, never touched: the writer must refuse before it looks at the content.
  const std::size_t huge = std::size_t{5} << 30;
  void* const memory =
      mmap(nullptr, huge, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  ZipWriter writer;
  const auto add = [&](std::size_t size) {
    writer.add("big", {static_cast<const char*>(memory), size});
  };
  expect_contains(error_of([&] { add(huge); }), {"'big'", "5368709120", "4 GiB", "hint: "});
  expect_contains(error_of([&] { add(0xffffffff); }), {"4 GiB"});
  munmap(memory, huge);
  // The refused members left no trace.
  EXPECT_TRUE(ZipArchive(writer.finish(), "a.zip").names().empty());
}

TEST(ZipArchiveTest, ReadsStoredAndDeflatedMembersWithAndWithoutZip64) {
  for (const bool zip64 : {false, true}) {
    for (const bool descriptor : {false, true}) {
      RawZip zip = small_zip();
      zip.zip64 = zip64;
      for (auto& member : zip.members) {
        member.zip64 = zip64;
        member.sizes_only_in_directory = descriptor;
      }
      const auto content = read_all(zip.bytes());
      ASSERT_EQ(content.size(), 3U);
      EXPECT_EQ(content.at("x/stored"), "stored bytes");
      EXPECT_EQ(content.at("x/packed"), std::string(300, 'p') + "end");
      EXPECT_EQ(content.at("x/empty"), "");
    }
  }
}

TEST(ZipArchiveTest, InflatesMoreThanOneBufferful) {
  Rng rng(1);
  std::string content(700'000, '\0');
  for (char& c : content) c = static_cast<char>(rng.below(7));
  EXPECT_EQ(read_all(RawZip{{RawMember::deflated("a", content)}}.bytes()).at("a"), content);
}

TEST(ZipArchiveTest, FindsTheDirectoryBehindACommentThatLooksLikeOne) {
  RawZip zip = small_zip();
  zip.comment = std::string("PK\x05\x06") + std::string(40, 'c');
  EXPECT_EQ(read_all(zip.bytes()).size(), 3U);
  zip.comment = std::string(0xffff, 'c');
  EXPECT_EQ(read_all(zip.bytes()).size(), 3U);
}

TEST(ZipArchiveTest, LeavesFoldersOut) {
  const RawZip zip{{{"x/", ""}, {"x/a", "content"}}};
  EXPECT_EQ(ZipArchive(zip.bytes(), "a.zip").names(), std::vector<std::string>{"x/a"});
}

TEST(ZipArchiveTest, RefusesNamesThatLeaveTheArchive) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"../a", "'..'"},     {"a/../b", "'..'"},
      {"a/..", "'..'"},     {"/etc/passwd", "absolute"},
      {"C:/a", "absolute"}, {"a\\b", "backslash"},
      {"", "empty"},        {std::string("a\0b", 3), "NUL"},
  };
  for (const auto& [name, reason] : cases) {
    expect_contains(open_error({{{"ok", "x"}, {name, "content"}}}), {"a.zip: ", reason, "hint: "});
  }
  EXPECT_EQ(read_all(RawZip{{{"a..b/..c", "fine"}}}.bytes()).size(), 1U);
}

TEST(ZipArchiveTest, RefusesDuplicatesEncryptionSplittingAndOtherMethods) {
  expect_contains(open_error({{{"a", "1"}, {"a", "2"}}}), {"'a' occurs twice"});
  RawMember secret{"a", "1"};
  secret.flags = 1;
  expect_contains(open_error({{secret}}), {"'a' is encrypted", "password"});
  RawZip split = small_zip();
  split.disk = 3;
  expect_contains(open_error(split), {"split", "join the parts"});
  RawMember lzma{"a", "1"};
  lzma.method = 14;
  expect_contains(read_error({{lzma}}), {"'a' is packed with method 14", "stored or deflated"});
}

TEST(ZipArchiveTest, RefusesOverlappingMembers) {
  // Two directory entries for the same bytes: the second's local header is inside the first.
  const std::string inner = RawZip{{{"b", "payload"}}}.bytes();
  RawZip zip{{{"a", inner.substr(0, 38)}, {"b", "payload"}}};
  std::string bytes = zip.bytes();
  const std::size_t entry = bytes.rfind("PK\x01\x02");
  bytes.replace(entry + 42, 4, std::string("\x1f\0\0\0", 4));  // points into a's content
  expect_contains(error_of([&] { ZipArchive(bytes, "a.zip"); }), {"overlap"});
}

TEST(ZipArchiveTest, EveryTruncationIsAnError) {
  for (const bool zip64 : {false, true}) {
    RawZip zip = small_zip();
    zip.zip64 = zip64;
    const std::string bytes = zip.bytes();
    for (std::size_t length = 0; length < bytes.size(); ++length) {
      expect_contains(error_of([&] { read_all(bytes.substr(0, length)); }), {"a.zip: "});
    }
  }
}

TEST(ZipArchiveTest, NoSingleDamagedByteIsFatalAndDamagedContentIsNoticed) {
  RawZip zip = small_zip();
  zip.zip64 = true;
  zip.members[1].zip64 = true;
  const std::string bytes = zip.bytes();
  const auto sound = read_all(bytes);
  std::size_t refused = 0;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (const int mask : {0x01, 0x80, 0xff}) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ mask);
      try {
        // Names and unused fields may change; what is read is what was packed.
        for (const auto& [name, content] : read_all(damaged)) {
          const auto known = sound.find(name);
          EXPECT_TRUE(known == sound.end() || known->second == content) << at;
        }
      } catch (const Error&) {
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, bytes.size());
}

TEST(ZipArchiveTest, DamagedContentFailsItsChecksum) {
  RawZip zip = small_zip();
  zip.members[0].packed[3] = '!';
  expect_contains(read_error(zip), {"'x/stored' fails its checksum", "hint: "});
}

TEST(ZipArchiveTest, ABombCostsNoMemory) {
  const std::uint64_t size = 128U << 20;
  const RawMember honest{"bomb", test::deflated_zeros(size), size, 0, 8};
  EXPECT_LT(honest.packed.size(), size / 1000);
  RawMember modest = honest;
  modest.size = 1000;
  RawMember liar = honest;
  liar.size = std::uint64_t{1} << 40;
  liar.zip64 = true;
  // Claims no more than deflate could do, but does not deliver.
  RawMember unfulfilled{"bomb", test::deflated(std::string(1 << 20, 'x'), 0)};
  unfulfilled.method = 8;
  unfulfilled.size = 1000U << 20;
  const std::int64_t growth = test::peak_growth([&] {
    expect_contains(read_error({{honest}}), {"'bomb' has 134217728 bytes, the limit is 1048576"});
    expect_contains(read_error({{modest}}), {"does not unpack to the 1000 bytes claimed"});
    expect_contains(read_error({{liar}}, ~std::uint64_t{0}), {"more than deflate can do"});
    expect_contains(read_error({{unfulfilled}}, ~std::uint64_t{0}), {"does not unpack"});
  });
  EXPECT_LT(growth, 32 << 20);
}

TEST(ZipArchiveTest, RefusesImpossibleDirectories) {
  const std::string bytes = small_zip().bytes();
  const std::size_t end = bytes.size() - 22;
  const auto patched = [&](std::size_t at, const std::string& value) {
    std::string copy = bytes;
    copy.replace(at, value.size(), value);
    return error_of([&] { ZipArchive(copy, "a.zip"); });
  };
  expect_contains(patched(end + 8, "\x70\x70\x70\x70"), {"claims 28784 members"});
  expect_contains(patched(end + 12, "\x70\x70\x70\x70"), {"not inside the file"});
  expect_contains(patched(end + 16, "\xf0\xff\xff\xff"), {"not inside the file"});
  const std::size_t entry = bytes.find("PK\x01\x02");
  expect_contains(patched(entry, "XX"), {"entry 1 of the zip directory is damaged"});
  expect_contains(patched(entry + 42, "\xf0\xff\xff\xff"), {"'x/stored' reaches outside"});
  EXPECT_FALSE(ZipArchive::looks_like_zip("PK"));
  expect_contains(error_of([] { ZipArchive("not a zip", "a.zip"); }), {"not a whole zip file"});
}

}  // namespace
}  // namespace fewedits
