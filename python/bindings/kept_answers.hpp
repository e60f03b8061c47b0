// SPDX-License-Identifier: MIT
// The first answer for each graph, by the hash of the graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "fewedits/base/hash.hpp"

namespace fewedits::python {

/// A table of open addressing over one array of rows: a look into it touches one line of memory.
class KeptAnswers {
 public:
  using Place = std::uint32_t;

  explicit KeptAnswers(std::size_t classes) : classes_(classes) {}

  [[nodiscard]] std::size_t size() const { return size_; }
  /// The place of the row for that key, a new one at the end if there was none.
  [[nodiscard]] std::pair<Place, bool> find_or_add(const Hash128& key);
  /// Forgets the keys that were added last, which are these, in that order.
  void forget_last(std::span<const Hash128> keys);
  [[nodiscard]] std::span<float> row(Place place) {
    return std::span(rows_).subspan(place * classes_, classes_);
  }
  /// Rows of places one after the other.
  [[nodiscard]] std::span<float> rows(std::size_t first, std::size_t count) {
    return std::span(rows_).subspan(first * classes_, count * classes_);
  }

 private:
  static constexpr Place kFree = ~Place{0};
  struct Slot {
    Hash128 key;
    Place place = kFree;
  };
  [[nodiscard]] std::size_t slot_of(const Hash128& key) const;
  void grow();

  std::size_t classes_;
  std::size_t size_ = 0;
  std::vector<Slot> slots_;
  std::vector<float> rows_;
};

}  // namespace fewedits::python
