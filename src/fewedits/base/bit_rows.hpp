// SPDX-License-Identifier: MIT
// Rows of bits over a fixed number of columns, and counting in them.
//
// Memory: one block of 64-bit words, row after row, ceil(columns / 64) words each. Which inputs a
// graph covers is such a row: what a set leaves uncovered is counted 64 inputs at a time.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fewedits {

using BitRow = std::span<const std::uint64_t>;

inline std::size_t words_for(std::size_t bits) { return (bits + 63) / 64; }

/// Bits that are set.
std::size_t count_bits(BitRow row);
/// Bits of both; of the same length.
std::size_t count_common(BitRow a, BitRow b);
/// Bits of `row` that `taken` lacks; of the same length.
std::size_t count_new(BitRow row, BitRow taken);

/// Calls use(column) for every bit that is set, ascending.
template <typename Use>
void for_each_bit(BitRow row, const Use& use) {
  for (std::size_t w = 0; w < row.size(); ++w) {
    for (std::uint64_t left = row[w]; left != 0; left &= left - 1) {
      use(w * 64 + static_cast<std::size_t>(std::countr_zero(left)));
    }
  }
}

class BitRows {
 public:
  explicit BitRows(std::size_t columns = 0, std::size_t rows = 0)
      : words_(words_for(columns)), rows_(rows), bits_(rows * words_, 0) {}

  [[nodiscard]] std::size_t size() const { return rows_; }
  [[nodiscard]] std::size_t words() const { return words_; }  ///< per row
  [[nodiscard]] BitRow operator[](std::size_t row) const {
    return BitRow(bits_).subspan(row * words_, words_);
  }
  [[nodiscard]] std::size_t bytes() const { return bits_.capacity() * sizeof(std::uint64_t); }

  void set(std::size_t row, std::size_t column) {
    bits_[row * words_ + column / 64] |= std::uint64_t{1} << (column % 64);
  }
  void add_row() {
    ++rows_;
    bits_.resize(bits_.size() + words_, 0);
  }
  void clear() {
    rows_ = 0;
    bits_.clear();
  }

 private:
  std::size_t words_;
  std::size_t rows_;
  std::vector<std::uint64_t> bits_;
};

}  // namespace fewedits
