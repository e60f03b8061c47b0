// SPDX-License-Identifier: MIT
#include "fewedits/formats/dataset_block.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

#include "fewedits/base/byte_cursor.hpp"
#include "fewedits/base/error.hpp"
#include "fewedits/base/terminal_text.hpp"

namespace fewedits {
namespace {

/// How many bytes an index below `count` takes. Fixed within a list, so that reading needs no
/// branches.
int index_width(std::size_t count) {
  if (count <= 0x100) return 1;
  return count <= 0x10000 ? 2 : 4;
}

/// Small numbers of either sign are small numbers without: 0, -1, 1, -2, …
std::uint64_t folded(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}
std::int64_t unfolded(std::uint64_t value) {
  return static_cast<std::int64_t>((value >> 1) ^ (0 - (value & 1)));
}

// ---------------------------------------------------------------------------------------
// Writing.

class BlockWriter {
 public:
  /// Seven bits to a byte, the lowest first; all but the last have the highest bit.
  void number(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }
  void text(const std::string& value) {
    number(value.size());
    bytes_ += value;
  }
  void index(std::uint32_t value, int width) {
    for (int i = 0; i < width; ++i) bytes_ += static_cast<char>(value >> (8 * i));
  }
  void graph(const Graph& g, const BlockForm& form);
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

void BlockWriter::graph(const Graph& g, const BlockForm& form) {
  const Node nodes = g.num_nodes();
  const bool bonds = nodes > 0 && g.has_edge_labels();
  number((std::uint64_t{nodes} << 1) | (bonds ? 1U : 0U));
  number(g.num_edges());
  const auto labels_below = [&](std::span<const Label> labels, std::size_t count) {
    for (const Label label : labels) {
      if (label >= count)
        throw Error(fmt::format("there are {} labels, and one is {}", count, label));
    }
  };
  labels_below(g.labels(), form.num_node_labels);
  labels_below(g.edge_labels(), form.num_edge_labels);
  for (const Label label : g.labels()) index(label, index_width(form.num_node_labels));
  const auto edges = g.edges();
  std::vector<std::uint32_t> row(nodes, 0);
  for (const Edge& e : edges) ++row[e.u];
  for (const std::uint32_t length : row) index(length, index_width(nodes));
  for (const Edge& e : edges) index(e.v, index_width(nodes));
  if (!bonds) return;
  for (const Edge& e : edges) index(e.label, index_width(form.num_edge_labels));
}

// ---------------------------------------------------------------------------------------
// Reading.

class BlockReader {
 public:
  BlockReader(std::string_view bytes, const BlockForm& form, const std::string& origin,
              const std::string& what)
      : cursor_(bytes, origin, what, kRemedy), form_(form), origin_(origin), what_(what) {}

  std::int64_t label() { return unfolded(number()); }
  std::string name() {
    const std::string_view text = cursor_.take(number());
    if (printable(text) != text) fail("has control characters in a name");
    return std::string(text);
  }
  /// Places ascend; what is written is how much further than the next one this is.
  std::int64_t place() {
    const std::uint64_t further = number();
    constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
    if (next_place_ > kMost || further > kMost - next_place_) fail("has a place that is none");
    next_place_ += further + 1;
    return static_cast<std::int64_t>(next_place_ - 1);
  }
  Graph graph();
  void expect_end() {
    if (cursor_.remaining() > 0) fail("goes on after its last graph");
  }
  [[noreturn]] void fail(const char* problem) const {
    throw Error({origin_}, what_ + " " + problem, kRemedy);
  }

 private:
  static constexpr const char* kRemedy =
      "the file is damaged or was not written by fewedits; get or save it again";

  std::uint64_t number() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<std::uint8_t>(cursor_.take(1).front());
      // Of 64 bits one is left for the tenth byte. A number has one form: no empty byte ends it.
      if ((shift == 63 && byte > 1) || (shift > 0 && byte == 0)) break;
      value |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) return value;
    }
    fail("has a number that is none");
  }
  /// So many indices below `limit`.
  void indices(std::uint64_t count, std::size_t limit, std::vector<std::uint32_t>& out) {
    switch (index_width(limit)) {
      case 1: return indices_of<std::uint8_t>(count, limit, out);
      case 2: return indices_of<std::uint16_t>(count, limit, out);
      default: return indices_of<std::uint32_t>(count, limit, out);
    }
  }
  template <typename Index>
  void indices_of(std::uint64_t count, std::size_t limit, std::vector<std::uint32_t>& out) {
    // The bytes are taken first: no count makes the list longer than what is there.
    if (count > cursor_.remaining()) cursor_.skip(count);
    const std::string_view bytes = cursor_.take(count * sizeof(Index));
    out.resize(static_cast<std::size_t>(count));
    std::uint32_t largest = 0;
    for (std::size_t i = 0; i < out.size(); ++i) {
      Index value;
      std::memcpy(&value, bytes.data() + i * sizeof(Index), sizeof(Index));
      out[i] = value;
      largest = std::max(largest, out[i]);
    }
    if (!out.empty() && largest >= limit) fail("has an index that is out of range");
  }
  void ends_of_edges(std::uint64_t nodes, std::uint64_t edges);

  ByteCursor cursor_;
  const BlockForm& form_;
  const std::string& origin_;
  const std::string& what_;
  std::uint64_t next_place_ = 0;
  std::vector<std::uint32_t> labels_;
  std::vector<std::uint32_t> row_;
  std::vector<std::uint32_t> other_;
  std::vector<std::uint32_t> edge_labels_;
  std::vector<Edge> edges_;
};

Graph BlockReader::graph() {
  const std::uint64_t shape = number();
  const std::uint64_t nodes = shape >> 1;
  const bool bonds = (shape & 1) != 0;
  const std::uint64_t edges = number();
  if (nodes == 0 && (bonds || edges > 0)) fail("has edges in a graph without nodes");
  if (nodes > std::numeric_limits<Node>::max() / 2) fail("has a graph that is too large");
  if (nodes == 0) return {};  // all of these share one, so that a list of them costs little
  indices(nodes, form_.num_node_labels, labels_);
  ends_of_edges(nodes, edges);
  if (bonds) {
    indices(edges, form_.num_edge_labels, edge_labels_);
    for (std::size_t i = 0; i < edges_.size(); ++i) edges_[i].label = edge_labels_[i];
  }
  return {labels_, edges_, bonds ? Graph::EdgeLabels::kPresent : Graph::EdgeLabels::kAbsent};
}

/// For each node how many of its neighbours come after it, then all of these, row by row.
void BlockReader::ends_of_edges(std::uint64_t nodes, std::uint64_t edges) {
  indices(nodes, nodes, row_);
  if (std::accumulate(row_.begin(), row_.end(), std::uint64_t{0}) != edges) {
    fail("counts the edges of a graph in two ways");
  }
  indices(edges, nodes, other_);
  edges_.resize(other_.size());
  std::size_t at = 0;
  bool ascending = true;
  for (Node u = 0; u < nodes; ++u) {
    Node before = u;
    for (const std::size_t end = at + row_[u]; at < end; ++at) {
      ascending = ascending && other_[at] > before;
      before = other_[at];
      edges_[at] = {u, before, 0};
    }
  }
  if (!ascending) fail("has edges that do not ascend");
}

}  // namespace

BlockForm block_form(const RawDataset& raw) {
  return {!raw.graph_labels.empty(), !raw.names.empty(), !raw.source_index.empty(),
          raw.node_labels.size(), raw.edge_labels.size()};
}

std::string block_bytes(const RawDataset& raw, const BlockForm& form, std::size_t begin,
                        std::size_t end) {
  BlockWriter out;
  std::int64_t next_place = 0;
  for (std::size_t i = begin; i < end; ++i) {
    if (form.has_classes) out.number(folded(raw.graph_labels[i]));
    if (form.has_names) out.text(printable(raw.names[i]));
    if (form.has_places) {
      out.number(static_cast<std::uint64_t>(raw.source_index[i] - next_place));
      next_place = raw.source_index[i] + 1;
    }
    out.graph(raw.graphs[i], form);
  }
  return out.take();
}

void read_block(std::string_view bytes, const BlockForm& form, const std::string& origin,
                const std::string& what, std::size_t begin, std::size_t end, RawDataset& out) {
  BlockReader reader(bytes, form, origin, what);
  for (std::size_t i = begin; i < end; ++i) {
    if (form.has_classes) out.graph_labels[i] = reader.label();
    if (form.has_names) out.names[i] = reader.name();
    if (form.has_places) out.source_index[i] = reader.place();
    out.graphs[i] = reader.graph();
  }
  reader.expect_end();
}

}  // namespace fewedits
