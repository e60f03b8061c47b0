// SPDX-License-Identifier: MIT
// How many graphs of a set cover each input, while graphs come and go. O(inputs covered) a change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fewedits {

class CoverCounts {
 public:
  explicit CoverCounts(std::size_t num_inputs);

  /// A graph that covers these inputs comes, or goes.
  void add(std::span<const std::uint32_t> covers);
  void remove(std::span<const std::uint32_t> covers);

  [[nodiscard]] std::size_t num_inputs() const { return counts_.size(); }
  /// Graphs that cover each input.
  [[nodiscard]] std::span<const std::uint32_t> counts() const { return counts_; }
  [[nodiscard]] bool covers(std::uint32_t input) const { return counts_[input] > 0; }
  /// Inputs that some graph covers.
  [[nodiscard]] std::size_t covered() const { return counts_.size() - with_count_[0]; }
  /// The count of the inputs that are covered least often.
  [[nodiscard]] std::uint32_t smallest() const;
  /// Of these inputs, those that no graph covers.
  [[nodiscard]] std::size_t gain(std::span<const std::uint32_t> covers) const;

 private:
  std::vector<std::uint32_t> counts_;
  std::vector<std::size_t> with_count_;  ///< [c]: inputs whose count is c
};

}  // namespace fewedits
