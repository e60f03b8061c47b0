// SPDX-License-Identifier: MIT
// The steps that lead from a graph to its neighbours, one after the other in one list: a thousand
// of them are no thousand allocations. Most are a single edit each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "fewedits/edit/edit.hpp"
#include "fewedits/edit/neighbours.hpp"

namespace fewedits {

class Moves {
 public:
  Moves() = default;
  /// Steps of one edit each.
  explicit Moves(std::vector<Edit> edits) : edits_(std::move(edits)) {}
  explicit Moves(std::span<const Step> steps);

  [[nodiscard]] std::size_t size() const {
    return begins_.empty() ? edits_.size() : begins_.size() - 1;
  }
  [[nodiscard]] bool empty() const { return size() == 0; }
  [[nodiscard]] std::span<const Edit> operator[](std::size_t step) const {
    if (begins_.empty()) return {&edits_[step], 1};
    return std::span(edits_).subspan(begins_[step], begins_[step + 1] - begins_[step]);
  }
  /// Every step is one edit: these, in order.
  [[nodiscard]] bool are_single() const { return begins_.empty(); }
  [[nodiscard]] std::span<const Edit> edits() const { return edits_; }

 private:
  std::vector<Edit> edits_;
  std::vector<std::uint32_t> begins_;  ///< of each step, and the end; empty: one edit each
};

/// What leads to the neighbours of a graph that the constraints allow.
Moves moves(const Graph& graph, const NeighbourOptions& options,
            const Constraints& constraints = {});

}  // namespace fewedits
