// SPDX-License-Identifier: MIT
#include "fewedits/proof/packed_maps.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace fewedits {
namespace {

/// The value of nothing but ones.
Node none_of(std::uint8_t width) {
  return width < sizeof(Node) ? (Node{1} << (8 * width)) - 1 : kUnmatched;
}

std::uint8_t width_for(std::span<const Node> map) {
  Node largest = 0;
  for (const Node image : map) largest = image == kUnmatched ? largest : std::max(largest, image);
  return largest < none_of(1) ? 1 : (largest < none_of(2) ? 2 : 4);
}

}  // namespace

PackedMaps::PackedMaps(Node nodes, std::vector<std::uint32_t> graphs, std::uint8_t width,
                       std::vector<std::uint8_t> images)
    : nodes_(nodes), width_(width), graphs_(std::move(graphs)), images_(std::move(images)) {
  assert(width_ == 1 || width_ == 2 || width_ == 4);
  assert(images_.size() == std::size_t{nodes_} * graphs_.size() * width_);
}

bool PackedMaps::has(std::uint32_t graph) const {
  return std::binary_search(graphs_.begin(), graphs_.end(), graph);
}

Node PackedMaps::image(std::size_t at) const {
  Node value = 0;
  for (std::size_t b = 0; b < width_; ++b) value |= Node{images_[at * width_ + b]} << (8 * b);
  return value == none_of(width_) ? kUnmatched : value;
}

void PackedMaps::write(std::size_t at, Node image) {
  for (std::size_t b = 0; b < width_; ++b) {
    images_[at * width_ + b] = static_cast<std::uint8_t>(image >> (8 * b));
  }
}

NodeMap PackedMaps::at(std::size_t place) const {
  NodeMap out(nodes_);
  for (Node v = 0; v < nodes_; ++v) out[v] = image(place * nodes_ + v);
  return out;
}

void PackedMaps::widen(std::uint8_t width) {
  PackedMaps wide(nodes_, graphs_, width,
                  std::vector<std::uint8_t>(std::size_t{nodes_} * graphs_.size() * width));
  for (std::size_t i = 0; i < std::size_t{nodes_} * graphs_.size(); ++i) wide.write(i, image(i));
  *this = std::move(wide);
}

void PackedMaps::set(std::uint32_t graph, std::span<const Node> map) {
  assert(map.size() == nodes_);
  if (const std::uint8_t width = width_for(map); width > width_) widen(width);
  const auto at = std::lower_bound(graphs_.begin(), graphs_.end(), graph);
  const auto place = static_cast<std::size_t>(at - graphs_.begin());
  if (at == graphs_.end() || *at != graph) {
    graphs_.insert(at, graph);
    images_.insert(images_.begin() + static_cast<std::ptrdiff_t>(place * nodes_ * width_),
                   std::size_t{nodes_} * width_, 0);
  }
  for (Node v = 0; v < nodes_; ++v) write(place * nodes_ + v, map[v]);
}

void PackedMaps::add_missing(const PackedMaps& others) {
  if (size() == 0) nodes_ = others.nodes_;
  for (std::size_t i = 0; i < others.size(); ++i) {
    if (!has(others.graphs_[i])) set(others.graphs_[i], others.at(i));
  }
}

PackedMaps PackedMaps::renumbered(std::span<const Node> to) const {
  assert(to.size() == nodes_);
  PackedMaps out = *this;
  for (std::size_t i = 0; i < size(); ++i) {
    for (Node v = 0; v < nodes_; ++v) out.write(i * nodes_ + to[v], image(i * nodes_ + v));
  }
  return out;
}

}  // namespace fewedits
