// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <set>
#include <stdexcept>
#include <thread>

#include "fewedits/base/error.hpp"
#include "fewedits/base/file.hpp"
#include "fewedits/base/hash.hpp"
#include "fewedits/base/parallel.hpp"
#include "fewedits/base/rng.hpp"
#include "fewedits/base/sha256.hpp"
#include "fewedits/base/stop_sign.hpp"
#include "fewedits/base/tensor.hpp"
#include "fewedits/base/terminal_text.hpp"
#include "fewedits/base/text.hpp"
#include "support/shared.hpp"

namespace {
/// Modes of what was synced, in order.
std::vector<mode_t> synced_modes;
}  // namespace

/// In place of the C library's: notes what it is called for.
extern "C" int fsync(int fd) {
  struct stat info {};
  if (::fstat(fd, &info) == 0) synced_modes.push_back(info.st_mode);
  return static_cast<int>(::syscall(SYS_fsync, fd));
}

namespace fewedits {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

/// The name that a writer would choose who goes by its process alone.
std::string name_by_process(const std::filesystem::path& file) {
  return file.string() + "." + std::to_string(::getpid()) + ".tmp";
}

TEST(StopSignTest, AGrantLastsUntilAnotherMomentIsSet) {
  const auto soon = StopSign::Clock::now() + std::chrono::hours(1);
  StopSign asked;
  StopSign sign(&asked);
  sign.set_at(soon);
  EXPECT_FALSE(sign.is_set());
  asked.set();
  EXPECT_TRUE(sign.is_set());
  sign.grant_until(soon);
  EXPECT_FALSE(sign.is_set()) << "that is the grant";
  sign.set_at(soon);
  EXPECT_TRUE(sign.is_set()) << "it was for what came before";
  sign.grant_until(StopSign::Clock::now());
  EXPECT_TRUE(sign.is_set()) << "its moment is over";
}

TEST(ErrorTest, NamesFileLineAndRemedy) {
  const Error error({"a.txt", 7}, "bad token", "fix it");
  EXPECT_STREQ(error.what(), "a.txt:7: bad token\n  hint: fix it");
}

TEST(ErrorTest, BracesMeanAFile) {
  const std::string path = "a.txt";
  EXPECT_STREQ(Error({path}, "is empty").what(), "a.txt: is empty");
  EXPECT_STREQ(Error(path, "a remedy").what(), "a.txt\n  hint: a remedy");
}

TEST(ErrorTest, QuotedEscapesControlBytesAndCutsLongText) {
  EXPECT_EQ(in_quotes("a\x1b[31m"), "'a\\x1b[31m'");
  EXPECT_LT(in_quotes(std::string(1000, 'x')).size(), 80U);
  EXPECT_EQ(in_quotes("gr\xc3\xbcn"), "'gr\xc3\xbcn'");
  EXPECT_EQ(in_quotes("\xc3"), "'\\xc3'");
  EXPECT_EQ(in_quotes("ab\xc3\xbc", 3), "'ab…'") << "not half a character";
  EXPECT_EQ(in_quotes("ab\xc3\xbc", 4), "'ab\xc3\xbc'");
}

TEST(RngTest, SameSeedSameNumbersAndStreamsDiffer) {
  Rng a(7);
  Rng b(7);
  Rng c(7, 1);
  bool differs = false;
  for (int i = 0; i < 100; ++i) {
    const auto x = a.next();
    EXPECT_EQ(x, b.next());
    differs |= x != c.next();
  }
  EXPECT_TRUE(differs);
}

TEST(RngTest, BelowIsUniform) {
  Rng rng(3);
  std::vector<int> count(7, 0);
  for (int i = 0; i < 70000; ++i) ++count[rng.below(7)];
  // Chi-square with 6 degrees of freedom: 22.5 is the 99.9 % quantile.
  double chi = 0;
  for (const int c : count) chi += (c - 10000.0) * (c - 10000.0) / 10000.0;
  EXPECT_LT(chi, 22.5);
}

TEST(ParallelTest, EveryIndexOnceWhateverTheThreads) {
  for (const int threads : {1, 2, 4}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.size(), threads);
    for (const std::size_t count : {0UL, 1UL, 17UL, 1000UL}) {
      std::vector<int> hits(count, 0);
      pool.for_chunks(count, 7, [&](std::size_t begin, std::size_t end, int worker) {
        ASSERT_LT(worker, threads);
        for (std::size_t i = begin; i < end; ++i) ++hits[i];
      });
      EXPECT_EQ(hits, std::vector<int>(count, 1));
    }
  }
}

TEST(ParallelTest, SaysWhenThereAreNoMoreThreads) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers need more address space than this test leaves";
#endif
  // A million stacks do not fit any address space limit this test could meet.
  const rlimit tight{std::size_t{1} << 33, RLIM_INFINITY};
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_AS, &before), 0);
  if (::setrlimit(RLIMIT_AS, &tight) != 0) GTEST_SKIP() << "cannot limit the address space here";
  EXPECT_THROW(ThreadPool pool(1'000'000), Error);
  ::setrlimit(RLIMIT_AS, &before);
}

TEST(ParallelTest, RethrowsTheLowestChunksError) {
  ThreadPool pool(4);
  for (int round = 0; round < 20; ++round) {
    try {
      pool.for_chunks(100, 1, [](std::size_t begin, std::size_t, int) {
        if (begin % 10 == 3) throw std::runtime_error(std::to_string(begin));
      });
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "3");
    }
  }
}

TEST(HashTest, NoCollisionsAmongSimilarInputs) {
  std::set<Hash128> seen;
  std::size_t inputs = 0;
  for (std::uint32_t a = 0; a < 40; ++a) {
    for (std::uint32_t b = 0; b < 40; ++b) {
      for (std::uint32_t length = 2; length < 6; ++length) {
        std::vector<std::uint32_t> words(length, 0);
        words[0] = a;
        words[length - 1] = b;
        seen.insert(hash_words(words));
        ++inputs;
      }
    }
  }
  EXPECT_EQ(seen.size(), inputs);
}

TEST(HashTest, OneFlippedBitChangesHalfOfTheHash) {
  Rng rng(1);
  double flipped = 0;
  const int rounds = 2000;
  for (int i = 0; i < rounds; ++i) {
    std::vector<std::uint32_t> words(10);
    for (auto& w : words) w = static_cast<std::uint32_t>(rng.next());
    const Hash128 before = hash_words(words);
    words[rng.below(10)] ^= 1U << rng.below(32);
    const Hash128 after = hash_words(words);
    flipped += std::popcount(before.high ^ after.high) + std::popcount(before.low ^ after.low);
  }
  EXPECT_NEAR(flipped / rounds, 64.0, 1.0);
}

TEST(TensorTest, ConvertsEveryDtype) {
  const auto bytes = [](auto value) {
    const auto view = std::as_bytes(std::span(&value, 1));
    return std::vector<std::byte>(view.begin(), view.end());
  };
  const auto one = [](DType dtype, std::vector<std::byte> raw) {
    return Tensor{dtype, {1}, std::move(raw)}.to_floats().at(0);
  };
  EXPECT_EQ(one(DType::kFloat32, bytes(1.5F)), 1.5F);
  EXPECT_EQ(one(DType::kFloat64, bytes(-2.25)), -2.25F);
  EXPECT_EQ(one(DType::kInt64, bytes(std::int64_t{-7})), -7.0F);
  EXPECT_EQ(one(DType::kUInt8, bytes(std::uint8_t{200})), 200.0F);
  EXPECT_EQ(one(DType::kBool, bytes(std::uint8_t{3})), 1.0F);
  EXPECT_EQ(one(DType::kBFloat16, bytes(std::uint16_t{0x3fc0})), 1.5F);
  // IEEE half: 1.5, the smallest subnormal 2^-24, the largest subnormal, the largest finite.
  EXPECT_EQ(one(DType::kFloat16, bytes(std::uint16_t{0x3e00})), 1.5F);
  EXPECT_EQ(one(DType::kFloat16, bytes(std::uint16_t{0x0001})), 0x1.0p-24F);
  EXPECT_EQ(one(DType::kFloat16, bytes(std::uint16_t{0x83ff})), -0x1.ff8p-15F);
  EXPECT_EQ(one(DType::kFloat16, bytes(std::uint16_t{0x7bff})), 65504.0F);
}

TEST(FileTest, WriteIsAtomicAndLeavesNothingBehindOnFailure) {
  const test::TemporaryFolder folder;
  const auto file = folder.path() / "out.txt";
  write_file_atomically(file, "first");
  write_file_atomically(file, "second");
  EXPECT_EQ(read_file(file), "second");
  EXPECT_THROW(write_file_atomically(folder.path() / "no" / "such" / "folder", "x"), Error);
  // A folder in the way: the rename fails and the temporary file goes.
  std::filesystem::create_directory(folder.path() / "taken");
  std::filesystem::create_directory(folder.path() / "taken" / "inner");
  EXPECT_THROW(write_file_atomically(folder.path() / "taken", "x"), Error);
  std::size_t entries = 0;
  for ([[maybe_unused]] const auto& e : std::filesystem::directory_iterator(folder.path()))
    ++entries;
  EXPECT_EQ(entries, 2U);
}

TEST(FileTest, WriteKeepsLinksModesAndPipes) {
  namespace fs = std::filesystem;
  const test::TemporaryFolder folder;
  const auto file = folder.write("real.txt", "old");
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
  const auto link = folder.path() / "link.txt";
  fs::create_symlink("real.txt", link);
  write_file_atomically(link, "new");
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(read_file(file), "new");
  EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_read | fs::perms::owner_write);

  const auto pipe = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::string received;
  std::thread reader([&] { std::getline(std::ifstream(pipe), received); });
  write_file_atomically(pipe, "through the pipe");
  reader.join();
  EXPECT_EQ(received, "through the pipe");
  EXPECT_TRUE(fs::is_fifo(pipe));
}

TEST(FileTest, OnlyPlainFilesAreRead) {
  const test::TemporaryFolder folder;
  const auto pipe = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);  // nobody writes to it
  for (const std::filesystem::path& path :
       {pipe, std::filesystem::path("/dev/zero"), std::filesystem::path("/dev/null")}) {
    EXPECT_THAT([&] { (void)read_file(path); },
                ThrowsMessage<Error>(HasSubstr("is a pipe or a device")));
  }
  EXPECT_THAT([&] { (void)read_file(folder.path()); },
              ThrowsMessage<Error>(HasSubstr("is a folder")));
  // Larger than there is memory, and nothing of it on disk.
  const auto hole = folder.write("hole", "");
  std::filesystem::resize_file(hole, std::uint64_t{1} << 42);
  EXPECT_THAT([&] { (void)read_file(hole); },
              ThrowsMessage<Error>(HasSubstr("is larger than the limit")));
}

TEST(TerminalTextTest, NothingSteersTheTerminal) {
  EXPECT_EQ(printable("C, Cl, \xc3\xa9, \xe2\x82\xac, \xf0\x9f\x98\x80"),
            "C, Cl, \xc3\xa9, \xe2\x82\xac, \xf0\x9f\x98\x80");
  EXPECT_EQ(printable(std::string_view("a\x1b[2J\n\t\0b\x7f", 10)),
            "a\\x1b[2J\\x0a\\x09\\x00b\\x7f");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\xc2\\x9b31m");  // C1: another escape
  EXPECT_EQ(printable("\xe2\x80\xae"
                      "fdp"),
            "\\xe2\\x80\\xaefdp");  // right to left
  // No UTF-8: cut off, alone, too long, a surrogate, too large.
  EXPECT_EQ(printable("\xe2\x82"), "\\xe2\\x82");
  EXPECT_EQ(printable("\x9b"), "\\x9b");
  EXPECT_EQ(printable("\xc0\x9b"), "\\xc0\\x9b");
  EXPECT_EQ(printable("\xe0\x82\x9b"), "\\xe0\\x82\\x9b");
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
  EXPECT_EQ(printable_lines("a\tb\r\nc"), "a\tb\\x0d\nc");
}

TEST(FileTest, WriteFollowsALinkToAFileThatIsNotThereYet) {
  namespace fs = std::filesystem;
  const test::TemporaryFolder folder;
  fs::create_directory(folder.path() / "inner");
  fs::create_symlink("inner/real.txt", folder.path() / "link.txt");
  EXPECT_EQ(end_of_links(folder.path() / "link.txt"),
            fs::canonical(folder.path()) / "inner/real.txt");
  write_file_atomically(folder.path() / "link.txt", "new");
  EXPECT_TRUE(fs::is_symlink(folder.path() / "link.txt"));
  EXPECT_EQ(read_file(folder.path() / "inner/real.txt"), "new");
  fs::create_symlink("round.txt", folder.path() / "round.txt");
  EXPECT_THROW(write_file_atomically(folder.path() / "round.txt", "x"), Error);
}

TEST(FileTest, TheFileBesideIsNewAndNoLinkIsFollowed) {
  namespace fs = std::filesystem;
  const test::TemporaryFolder folder;
  const auto victim = folder.write("victim.txt", "untouched");
  const auto out = folder.path() / "out.txt";
  // Names that someone could foresee.
  for (const std::string& name : {out.string() + ".tmp", name_by_process(out)}) {
    fs::create_symlink(victim, name);
  }
  write_file_atomically(out, "new");
  EXPECT_EQ(read_file(victim), "untouched");
  EXPECT_EQ(read_file(out), "new");
  EXPECT_FALSE(fs::is_symlink(out));
}

TEST(FileTest, WhatIsForFewEyesIsNeverReadableByOthersOnTheWay) {
  namespace fs = std::filesystem;
  const test::TemporaryFolder folder;
  const auto file = folder.write("secret.txt", "old");
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
  synced_modes.clear();
  write_file_atomically(file, "new");
  ASSERT_FALSE(synced_modes.empty());
  EXPECT_EQ(synced_modes.front(), S_IFREG | 0600U);
}

TEST(FileTest, TheFolderIsSyncedAfterTheFile) {
  const test::TemporaryFolder folder;
  synced_modes.clear();
  write_file_atomically(folder.path() / "out.txt", "new");
  ASSERT_EQ(synced_modes.size(), 2U);
  EXPECT_TRUE(S_ISREG(synced_modes[0]));
  EXPECT_TRUE(S_ISDIR(synced_modes[1]));
}

TEST(FileTest, WhereNothingCanBeWrittenIsFoundByTrying) {
  const test::TemporaryFolder folder;
  const auto file = folder.write("old.txt", "old");
  probe_writable(file);
  probe_writable(folder.path() / "new.txt");
  EXPECT_EQ(read_file(file), "old");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
  EXPECT_THROW(probe_writable(folder.path()), Error);
  EXPECT_THROW(probe_writable(folder.path() / "no" / "such"), Error);
  EXPECT_THROW(probe_writable("/proc/new.txt"), Error) << "nobody can, not even root";
  probe_writable("/dev/null");
}

TEST(FileTest, TemporaryFilesAreNew) {
  const auto first = write_temporary_file("fewedits-test-", ".txt", "first");
  const auto second = write_temporary_file("fewedits-test-", ".txt", "second");
  EXPECT_NE(first, second);
  EXPECT_EQ(first.extension(), ".txt");
  EXPECT_EQ(read_file(first), "first");
  EXPECT_EQ(read_file(second), "second");
  std::filesystem::remove(first);
  std::filesystem::remove(second);
}

TEST(FileTest, ReadIsBoundedAndRefusesFolders) {
  const test::TemporaryFolder folder;
  const auto file = folder.write("big", std::string(1000, 'x'));
  EXPECT_THROW(read_file(file, 999), Error);
  EXPECT_EQ(read_file(file, 1000).size(), 1000U);
  EXPECT_THROW(read_file(folder.path()), Error);
  try {
    read_file(folder.path() / "absent");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.where().file, (folder.path() / "absent").string());
  }
}

TEST(TextTest, ANumberIsTheWholeText) {
  EXPECT_EQ(number_in<double>("0.5"), 0.5);
  EXPECT_EQ(number_in<std::int64_t>("-7"), -7);
  for (const char* text : {"", " 1", "1 ", "1x", "0,5", "one"}) {
    EXPECT_FALSE(number_in<double>(text)) << text;
  }
  EXPECT_FALSE(number_in<std::int64_t>("1.5"));
  EXPECT_FALSE(number_in<std::int64_t>("99999999999999999999"));
}

TEST(Sha256Test, IsThatOfTheStandard) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256_hex(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256Test, IsTheSameInEveryWayAndHoweverTheBytesAreCut) {
  Rng rng(3, 1);
  for (int round = 0; round < 300; ++round) {
    std::string bytes(rng.below(400), '\0');
    for (char& c : bytes) c = static_cast<char>(rng.below(256));
    Sha256 plain(Sha256::Way::kPlain);
    Sha256 best;
    plain.update(bytes);
    for (std::string_view left = bytes; !left.empty();) {
      const std::size_t taken = rng.below(left.size() + 1);
      best.update(left.substr(0, taken));
      left.remove_prefix(taken);
    }
    EXPECT_EQ(best.hex(), plain.hex()) << bytes.size();
  }
}

}  // namespace
}  // namespace fewedits
