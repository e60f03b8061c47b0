// SPDX-License-Identifier: MIT
// Many node maps from one graph, in as few bytes as they need: what a search keeps of every graph
// that it may choose, so that nothing it found has to be found again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fewedits/proof/node_map.hpp"

namespace fewedits {

/// Maps from the nodes of one graph to those of others, which are known by their index.
class PackedMaps {
 public:
  PackedMaps() = default;
  /// For a graph of so many nodes.
  explicit PackedMaps(Node nodes) : nodes_(nodes) {}

  [[nodiscard]] Node nodes() const { return nodes_; }
  /// Those that there is a map to, ascending.
  [[nodiscard]] std::span<const std::uint32_t> graphs() const { return graphs_; }
  [[nodiscard]] std::size_t size() const { return graphs_.size(); }
  [[nodiscard]] bool has(std::uint32_t graph) const;
  /// The map to graphs()[place].
  [[nodiscard]] NodeMap at(std::size_t place) const;

  /// In place of one that may be there. Quick if the graph comes after all others.
  void set(std::uint32_t graph, std::span<const Node> map);
  /// Takes over those to graphs that have none here; of the same graph, which one without any map
  /// need not have been made for.
  void add_missing(const PackedMaps& others);
  /// The same for the graph whose node to[v] is node v of this one.
  [[nodiscard]] PackedMaps renumbered(std::span<const Node> to) const;

  /// About what it occupies.
  [[nodiscard]] std::size_t bytes() const { return 4 * graphs_.size() + images_.size(); }

  // For files: how many bytes an image takes, and all images, one map after the other. A value of
  // nothing but ones is kUnmatched.
  [[nodiscard]] std::uint8_t width() const { return width_; }
  [[nodiscard]] std::span<const std::uint8_t> images() const { return images_; }
  /// Of what such a file holds. `graphs` ascend, `width` is 1, 2 or 4, and there are
  /// nodes · graphs · width bytes.
  PackedMaps(Node nodes, std::vector<std::uint32_t> graphs, std::uint8_t width,
             std::vector<std::uint8_t> images);

  friend bool operator==(const PackedMaps&, const PackedMaps&) = default;

 private:
  [[nodiscard]] Node image(std::size_t at) const;
  void write(std::size_t at, Node image);
  void widen(std::uint8_t width);

  Node nodes_ = 0;
  std::uint8_t width_ = 1;
  std::vector<std::uint32_t> graphs_;
  std::vector<std::uint8_t> images_;
};

}  // namespace fewedits
