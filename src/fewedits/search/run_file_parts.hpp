// SPDX-License-Identifier: MIT
// The bytes of run files: numbers, texts, graphs and maps. Internal to search.
#pragma once

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fewedits/base/byte_cursor.hpp"
#include "fewedits/base/error.hpp"
#include "fewedits/base/rng.hpp"
#include "fewedits/graph/graph.hpp"
#include "fewedits/proof/packed_maps.hpp"

namespace fewedits {

/// Beside the number of nodes.
inline constexpr std::uint32_t kHasEdgeLabels = std::uint32_t{1} << 31;

class RunFileWriter {
 public:
  template <typename T>
  void number(T value) {
    static_assert(std::endian::native == std::endian::little);
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    bytes_.append(bytes, sizeof value);
  }
  void text(std::string_view value) {
    number<std::uint64_t>(value.size());
    bytes_ += value;
  }
  void graph(const Graph& g) {
    number<std::uint32_t>(g.num_nodes() | (g.has_edge_labels() ? kHasEdgeLabels : 0));
    number<std::uint32_t>(static_cast<std::uint32_t>(g.num_edges()));
    for (const Label label : g.labels()) number<std::uint32_t>(label);
    for (const Edge& e : g.edges()) {
      number<std::uint32_t>(e.u);
      number<std::uint32_t>(e.v);
      if (g.has_edge_labels()) number<std::uint32_t>(e.label);
    }
  }
  void numbers(std::span<const std::uint32_t> values) {
    number<std::uint64_t>(values.size());
    for (const std::uint32_t value : values) number(value);
  }
  void floats(std::span<const float> values) {
    number<std::uint64_t>(values.size());
    for (const float value : values) number(value);
  }
  void bytes(std::span<const std::uint8_t> values) { bytes_.append(values.begin(), values.end()); }
  void words(const Rng::State& state) {
    for (const std::uint64_t word : state) number(word);
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// Throws Error for whatever cannot be.
class RunFileReader {
 public:
  static constexpr const char* kRemedy = "begin a new run in another folder";

  RunFileReader(std::string_view bytes, const std::string& file, std::size_t num_inputs,
                std::size_t num_labels, std::size_t num_edge_labels = 0)
      : cursor_(bytes, file, "the run file", kRemedy),
        file_(file),
        num_inputs_(num_inputs),
        num_labels_(num_labels),
        num_edge_labels_(num_edge_labels) {}

  template <typename T>
  T number() {
    return cursor_.number<T>();
  }
  /// A share of the inputs.
  double share() {
    const auto value = std::bit_cast<double>(number<std::uint64_t>());
    if (!(value >= 0 && value <= 1)) fail("has a share that is none");
    return value;
  }
  std::string text() { return std::string(cursor_.take(number<std::uint64_t>())); }
  /// A number of things of at least `bytes` bytes each that are still to come.
  std::uint64_t count(std::size_t bytes) {
    const auto value = number<std::uint64_t>();
    if (value > cursor_.remaining() / bytes) fail("announces more than it holds");
    return value;
  }
  float probability() {
    const auto value = std::bit_cast<float>(number<std::uint32_t>());
    // Rounding may have left it a little above 1.
    if (!(value >= 0 && value < 1.1F)) fail("has a probability that is none");
    return value;
  }
  bool flag(const char* else_what) {
    const auto value = number<std::uint8_t>();
    if (value > 1) fail(else_what);
    return value == 1;
  }
  std::vector<float> floats() {
    std::vector<float> out(count(sizeof(float)));
    for (float& value : out) {
      value = std::bit_cast<float>(number<std::uint32_t>());
      if (!std::isfinite(value)) fail("has a number that is none");
    }
    return out;
  }
  std::uint32_t input() {
    const auto value = number<std::uint32_t>();
    if (value >= num_inputs_) fail("names an input that does not exist");
    return value;
  }
  std::vector<std::uint32_t> inputs() {
    std::vector<std::uint32_t> list(count(sizeof(std::uint32_t)));
    for (std::size_t i = 0; i < list.size(); ++i) {
      list[i] = input();
      if (i > 0 && list[i] <= list[i - 1]) fail("has a list of inputs that does not ascend");
    }
    return list;
  }
  Graph graph() {
    const auto first = number<std::uint32_t>();
    const bool labelled = (first & kHasEdgeLabels) != 0;
    const std::uint32_t nodes = first & ~kHasEdgeLabels;
    const auto edges = number<std::uint32_t>();
    const std::uint64_t per_edge = labelled ? 3 : 2;
    if ((nodes + per_edge * edges) * 4 > cursor_.remaining()) fail("announces more than it holds");
    // The start of a walk that never began has no edges, and no labels either.
    const bool should_be = num_edge_labels_ > 0;
    if (labelled != should_be && (labelled || edges > 0)) {
      fail("has a graph with edge labels where there are none, or the other way round");
    }
    std::vector<Label> labels(nodes);
    for (Label& label : labels) {
      label = number<std::uint32_t>();
      if (label >= num_labels_) fail("has a node label that does not exist");
    }
    std::vector<Edge> list(edges);
    for (std::size_t i = 0; i < list.size(); ++i) {
      list[i].u = number<std::uint32_t>();
      list[i].v = number<std::uint32_t>();
      if (list[i].u >= list[i].v || list[i].v >= nodes ||
          (i > 0 && std::pair(list[i - 1].u, list[i - 1].v) >= std::pair(list[i].u, list[i].v))) {
        fail("has an edge that cannot be");
      }
      if (!labelled) continue;
      list[i].label = number<std::uint32_t>();
      if (list[i].label >= num_edge_labels_) fail("has an edge label that does not exist");
    }
    return {labels, list, labelled ? Graph::EdgeLabels::kPresent : Graph::EdgeLabels::kAbsent};
  }
  /// From a graph of so many nodes to some inputs.
  PackedMaps maps(Node nodes) {
    std::vector<std::uint32_t> to = inputs();
    const auto width = number<std::uint8_t>();
    if (width != 1 && width != 2 && width != 4) fail("has a map that is none");
    const std::uint64_t each = std::uint64_t{nodes} * width;
    if (each > 0 && to.size() > cursor_.remaining() / each) fail("announces more than it holds");
    const std::string_view images = cursor_.take(to.size() * each);
    return {nodes, std::move(to), width, {images.begin(), images.end()}};
  }
  Rng::State words() {
    Rng::State state{};
    for (std::uint64_t& word : state) word = number<std::uint64_t>();
    if (state == Rng::State{}) fail("has a random generator that gives nothing but zeros");
    return state;
  }
  [[nodiscard]] std::size_t num_inputs() const { return num_inputs_; }
  [[nodiscard]] bool at_end() const { return cursor_.remaining() == 0; }
  [[noreturn]] void fail(const char* what) const {
    throw Error({file_}, fmt::format("the run file {}", what), kRemedy);
  }

 private:
  ByteCursor cursor_;
  const std::string& file_;
  std::size_t num_inputs_;
  std::size_t num_labels_;
  std::size_t num_edge_labels_;
};

}  // namespace fewedits
