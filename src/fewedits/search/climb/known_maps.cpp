// SPDX-License-Identifier: MIT
#include "fewedits/search/climb/known_maps.hpp"

#include <algorithm>
#include <utility>

#include "fewedits/graph/shape_hash.hpp"

namespace fewedits {
namespace {

constexpr std::size_t kMostBytes = std::size_t{192} << 20;

}  // namespace

void KnownMaps::improve(std::span<const GedBounds> found) {
  const std::size_t n = graph->graph().num_nodes();
  for (std::size_t m = 0; m < mapped.size(); ++m) {
    const GedBounds& better = found[mapped[m]];
    if (better.map.size() != n || better.upper >= cost[m]) continue;
    cost[m] = static_cast<std::int32_t>(better.upper);
    std::copy(better.map.begin(), better.map.end(),
              images.begin() + static_cast<std::ptrdiff_t>(m * n));
  }
}

std::size_t KnownMaps::bytes() const {
  constexpr std::size_t kBytesPerNode = 100;  // of a prepared graph
  return sizeof(std::int32_t) * (lower.size() + mapped.size() + cost.size() + images.size()) +
         kBytesPerNode * graph->graph().num_nodes();
}

void MapStore::keep(std::shared_ptr<KnownMaps> known) {
  const std::uint64_t shape = shape_hash(known->graph->graph());
  auto& at = by_shape_[shape];
  if (at) {
    bytes_ -= at->bytes();
    order_.erase(std::find(order_.begin(), order_.end(), shape));
  }
  order_.push_back(shape);
  bytes_ += known->bytes();
  at = std::move(known);
  while (bytes_ > kMostBytes && order_.size() > 1) {
    const auto oldest = by_shape_.find(order_.front());
    bytes_ -= oldest->second->bytes();
    by_shape_.erase(oldest);
    order_.pop_front();
  }
}

std::shared_ptr<KnownMaps> MapStore::of(const Graph& graph) const {
  const auto at = by_shape_.find(shape_hash(graph));
  return at != by_shape_.end() && at->second->graph->graph() == graph ? at->second : nullptr;
}

}  // namespace fewedits
