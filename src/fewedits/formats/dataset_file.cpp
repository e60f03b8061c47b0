// SPDX-License-Identifier: MIT
#include "fewedits/formats/dataset_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "fewedits/base/byte_cursor.hpp"
#include "fewedits/base/byte_writer.hpp"
#include "fewedits/base/error.hpp"
#include "fewedits/base/file.hpp"
#include "fewedits/base/input_file.hpp"
#include "fewedits/base/sha256.hpp"
#include "fewedits/base/text.hpp"
#include "fewedits/formats/dataset_block.hpp"
#include "fewedits/formats/dataset_description.hpp"

namespace fewedits {
namespace {

// As that of PNG: text in no encoding, and line ends that a wrong transfer would change.
constexpr std::string_view kMagic =
    "\x89"
    "few\r\n\x1a\n";
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kChecksumBytes = 64;  // hexadecimal digits of SHA-256
constexpr std::size_t kCountsBytes = 4 + 8 + 8;
constexpr std::size_t kHeadBytes = kMagic.size() + kCountsBytes + kChecksumBytes;
constexpr std::size_t kTableRowBytes = 8 + kChecksumBytes;
// A quarter of a megabyte of molecules: some hundred blocks for a million of them.
constexpr std::size_t kBlockGraphs = 2048;
constexpr std::uint64_t kMaxDescriptionBytes = std::uint64_t{64} << 20;
constexpr const char* kRemedy = "the file is damaged or cut off; copy or save it again";

/// Bytes of a file or of memory, which are there: ranges were checked against the size.
class Source {
 public:
  using Read = std::function<std::string(std::uint64_t offset, std::uint64_t count)>;
  Source(std::string origin, std::uint64_t size, Read read)
      : origin_(std::move(origin)), size_(size), read_(std::move(read)) {}

  [[nodiscard]] const std::string& origin() const { return origin_; }
  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] std::string read(std::uint64_t offset, std::uint64_t count) const {
    return read_(offset, count);
  }
  [[noreturn]] void fail(const std::string& problem, const char* remedy = kRemedy) const {
    throw Error({origin_}, problem, remedy);
  }

 private:
  std::string origin_;
  std::uint64_t size_;
  Read read_;
};

struct Head {
  std::uint64_t graphs = 0;
  std::uint64_t description_bytes = 0;
  std::string checksum;
  [[nodiscard]] std::uint64_t blocks() const {
    return graphs / kBlockGraphs + (graphs % kBlockGraphs > 0 ? 1 : 0);
  }
  /// Of what follows the head, up to the first block.
  [[nodiscard]] std::uint64_t index_bytes() const {
    return description_bytes + blocks() * kTableRowBytes;
  }
};

struct Block {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::string checksum;
};

std::string counts_bytes(std::uint64_t graphs, std::uint64_t description) {
  ByteWriter out;
  out.number(kVersion);
  out.number(graphs);
  out.number(description);
  return out.take();
}

Head read_head(const Source& source) {
  const std::string bytes = source.read(0, std::min<std::uint64_t>(source.size(), kHeadBytes));
  if (!bytes.starts_with(kMagic)) {
    source.fail("is no dataset file of fewedits", "the ending .few is for what fewedits saves");
  }
  ByteCursor cursor(bytes, source.origin(), "the dataset file", kRemedy);
  cursor.skip(kMagic.size());
  const auto version = cursor.number<std::uint32_t>();
  if (version != kVersion) {
    source.fail(fmt::format("is a dataset file of version {}, and this fewedits reads version {}",
                            version, kVersion),
                "save it again with this fewedits, or get a newer one");
  }
  Head head;
  head.graphs = cursor.number<std::uint64_t>();
  head.description_bytes = cursor.number<std::uint64_t>();
  head.checksum = cursor.take(kChecksumBytes);
  if (head.graphs == 0) source.fail("has no graphs");
  const std::uint64_t left = source.size() - kHeadBytes;
  if (head.description_bytes > std::min(left, kMaxDescriptionBytes) ||
      head.blocks() > (left - head.description_bytes) / kTableRowBytes) {
    source.fail("announces more than it holds");
  }
  return head;
}

/// The blocks lie one after the other and fill the file.
std::vector<Block> read_table(const Source& source, const Head& head, std::string_view table) {
  ByteCursor cursor(table, source.origin(), "the table of blocks", kRemedy);
  std::vector<Block> blocks(static_cast<std::size_t>(head.blocks()));
  std::uint64_t at = kHeadBytes + head.index_bytes();
  std::uint64_t graphs = head.graphs;
  for (Block& block : blocks) {
    block.offset = at;
    block.bytes = cursor.number<std::uint64_t>();
    block.checksum = cursor.take(kChecksumBytes);
    if (block.bytes > source.size() - at) source.fail("is cut off");
    const std::uint64_t inside = std::min<std::uint64_t>(graphs, kBlockGraphs);
    if (block.bytes / kLeastGraphBytes < inside) source.fail("has a block with too few bytes");
    at += block.bytes;
    graphs -= inside;
  }
  if (at != source.size()) source.fail("goes on after its last block");
  return blocks;
}

std::string block_in_words(std::size_t block, std::size_t begin, std::size_t end) {
  return fmt::format("block {} (graphs {} to {})", block, begin, end - 1);
}

void read_blocks(const Source& source, const std::vector<Block>& blocks, ThreadPool& pool,
                 RawDataset& out) {
  const BlockForm form = block_form(out);
  pool.for_chunks(blocks.size(), 1, [&](std::size_t at, std::size_t /*end*/, int) {
    const Block& block = blocks[at];
    const std::size_t begin = at * kBlockGraphs;
    const std::size_t end = std::min(begin + kBlockGraphs, out.graphs.size());
    const std::string what = block_in_words(at, begin, end);
    const std::string bytes = source.read(block.offset, block.bytes);
    if (sha256_hex(bytes) != block.checksum) {
      source.fail(what + " is damaged: its checksum is another one");
    }
    read_block(bytes, form, source.origin(), what, begin, end, out);
  });
}

/// Classes that are words are numbered by the table of words.
void check_classes(const Source& source, const RawDataset& raw) {
  if (raw.class_names.empty()) return;
  for (const std::int64_t label : raw.graph_labels) {
    if (!std::ranges::binary_search(raw.class_names, label, {}, &NamedValue::value)) {
      source.fail(fmt::format("has the class {}, which stands for no word", label));
    }
  }
}

void check_places(const Source& source, const RawDataset& raw) {
  const auto wrong = std::ranges::adjacent_find(raw.source_index, std::greater_equal<>());
  if (wrong != raw.source_index.end()) source.fail("has graphs whose places do not ascend");
}

StoredDataset read_from(const Source& source, ThreadPool& pool) {
  const Head head = read_head(source);
  const std::string index = source.read(kHeadBytes, head.index_bytes());
  if (sha256_hex(counts_bytes(head.graphs, head.description_bytes) + index) != head.checksum) {
    source.fail("is damaged: the checksum of its description is another one");
  }
  const std::string_view description(index.data(), head.description_bytes);
  StoredLists lists;
  StoredDataset out = read_description(description, source.origin(), lists);
  const auto blocks =
      read_table(source, head, std::string_view(index).substr(head.description_bytes));
  const auto graphs = static_cast<std::size_t>(head.graphs);
  out.raw.graphs.resize(graphs);
  if (lists.classes) out.raw.graph_labels.resize(graphs);
  if (lists.names) out.raw.names.resize(graphs);
  if (lists.places) out.raw.source_index.resize(graphs);
  read_blocks(source, blocks, pool, out.raw);
  check_classes(source, out.raw);
  check_places(source, out.raw);
  return out;
}

/// Frees the blocks on the way.
std::string put_together(std::uint64_t graphs, const std::string& description,
                         std::vector<std::string> blocks,
                         const std::vector<std::string>& checksums) {
  ByteWriter index;
  index.append(description);
  std::size_t total = kHeadBytes + description.size() + blocks.size() * kTableRowBytes;
  for (std::size_t at = 0; at < blocks.size(); ++at) {
    index.number<std::uint64_t>(blocks[at].size());
    index.append(checksums[at]);
    total += blocks[at].size();
  }
  const std::string counts = counts_bytes(graphs, description.size());
  const std::string rest = index.take();
  std::string out;
  out.reserve(total);
  out.append(kMagic).append(counts).append(sha256_hex(counts + rest)).append(rest);
  for (std::string& block : blocks) {
    out += block;
    block = {};
  }
  return out;
}

}  // namespace

bool has_dataset_extension(const std::filesystem::path& path) {
  return ascii_lower(path.extension().string()) == kDatasetFileExtension;
}

std::string dataset_file_of(std::uint64_t graphs, const std::string& description,
                            std::vector<std::string> blocks) {
  std::vector<std::string> checksums;
  for (const std::string& block : blocks) checksums.push_back(sha256_hex(block));
  return put_together(graphs, description, std::move(blocks), checksums);
}

std::string dataset_file_bytes(const StoredDataset& dataset, ThreadPool& pool) {
  const RawDataset& raw = dataset.raw;
  if (raw.graphs.empty()) throw Error(fmt::format("dataset {}: has no graphs", raw.name));
  const BlockForm form = block_form(raw);
  std::vector<std::string> blocks((raw.graphs.size() + kBlockGraphs - 1) / kBlockGraphs);
  std::vector<std::string> checksums(blocks.size());
  pool.for_chunks(blocks.size(), 1, [&](std::size_t at, std::size_t /*end*/, int) {
    const std::size_t begin = at * kBlockGraphs;
    blocks[at] = block_bytes(raw, form, begin, std::min(begin + kBlockGraphs, raw.graphs.size()));
    checksums[at] = sha256_hex(blocks[at]);
  });

  return put_together(raw.graphs.size(), description_bytes(dataset), std::move(blocks), checksums);
}

void check_dataset_extension(const std::filesystem::path& path) {
  if (has_dataset_extension(path)) return;
  throw Error({path.string()}, "is no name for a dataset file, which is known by its ending",
              fmt::format("end it in {}", kDatasetFileExtension));
}

void write_dataset_file(const std::filesystem::path& path, const StoredDataset& dataset,
                        ThreadPool& pool) {
  check_dataset_extension(path);
  write_file_atomically(path, dataset_file_bytes(dataset, pool));
}

StoredDataset read_dataset_file(const std::filesystem::path& path, ThreadPool& pool) {
  const InputFile file(path);
  const auto read = [&file](std::uint64_t offset, std::uint64_t count) {
    std::string bytes(static_cast<std::size_t>(count), '\0');
    if (file.read(offset, bytes) != bytes.size()) {
      throw Error({file.name()}, "was cut off while it was read", kRemedy);
    }
    return bytes;
  };
  return read_from(Source(file.name(), file.size(), read), pool);
}

StoredDataset parse_dataset_file(std::string_view bytes, const std::string& origin,
                                 ThreadPool& pool) {
  const auto read = [bytes](std::uint64_t offset, std::uint64_t count) {
    return std::string(
        bytes.substr(static_cast<std::size_t>(offset), static_cast<std::size_t>(count)));
  };
  return read_from(Source(origin, bytes.size(), read), pool);
}

}  // namespace fewedits
