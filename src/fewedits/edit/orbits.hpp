// SPDX-License-Identifier: MIT
// Which nodes, and which pairs of nodes, a graph's automorphisms map onto each other. Internal to
// the listings of neighbours.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fewedits/edit/neighbours.hpp"
#include "fewedits/graph/identity.hpp"

namespace fewedits {

/// Who comes first among those that automorphisms map onto each other.
class Orbits {
 public:
  /// Of a graph of so many nodes.
  Orbits(Node count, const Generators& generators);
  /// As the options say.
  static Orbits of(const Graph& graph, const NeighbourOptions& options);

  [[nodiscard]] bool is_first(Node u) const { return nodes_.is_first(u); }
  [[nodiscard]] bool is_first(Node u, Node v) const { return pairs_.is_first(index(u, v)); }

 private:
  /// Union-find in which the smallest member stands for its class. Of size 0: all are alone.
  class Classes {
   public:
    explicit Classes(std::size_t size);
    void unite(std::uint32_t a, std::uint32_t b);
    [[nodiscard]] bool is_first(std::uint32_t a) const {
      return parent_.empty() || parent_[a] == a;
    }

   private:
    std::uint32_t first_of(std::uint32_t a);

    std::vector<std::uint32_t> parent_;
  };

  void unite_along(const std::vector<Node>& image);
  [[nodiscard]] std::uint32_t index(Node u, Node v) const {
    return std::min(u, v) * count_ + std::max(u, v);
  }

  Node count_;
  Classes nodes_;
  Classes pairs_;
};

}  // namespace fewedits
