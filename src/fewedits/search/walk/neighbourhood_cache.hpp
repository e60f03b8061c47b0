// SPDX-License-Identifier: MIT
// Evaluated neighbourhoods, the least recently used forgotten first: a walk returns again and again
// to the graphs it likes.
#pragma once

#include <cstddef>
#include <list>
#include <unordered_map>

#include "fewedits/base/hash.hpp"
#include "fewedits/search/neighbourhood.hpp"

namespace fewedits {

/// A neighbourhood and which of its entries turned out to be which graphs.
struct KnownNeighbourhood {
  Neighbourhood entries;
  /// Identity of an entry, for those somebody had to compare.
  std::unordered_map<std::uint32_t, Hash128> identities;
  bool evaluated = false;

  [[nodiscard]] std::size_t bytes() const { return entries.bytes() + identities.size() * 64 + 128; }
};

class NeighbourhoodCache {
 public:
  explicit NeighbourhoodCache(std::size_t budget_bytes) : budget_(budget_bytes) {}
  // The places of a copy would be those of the original.
  NeighbourhoodCache(const NeighbourhoodCache&) = delete;
  NeighbourhoodCache& operator=(const NeighbourhoodCache&) = delete;
  NeighbourhoodCache(NeighbourhoodCache&&) = default;

  /// The place of that graph, now the most recently used one; `evaluated` is false if it is new.
  /// Valid until the next call. `forget_until_it_fits` is to be called after it grew.
  KnownNeighbourhood& at(const Hash128& graph);
  void forget_until_it_fits();
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  struct Node {
    Hash128 graph;
    std::size_t bytes = 0;
    KnownNeighbourhood known;
  };
  std::size_t budget_;
  std::size_t bytes_ = 0;
  std::list<Node> used_;  ///< most recent first
  std::unordered_map<Hash128, std::list<Node>::iterator> places_;
};

}  // namespace fewedits
