// SPDX-License-Identifier: MIT
// Internal to glance: which of the rejected and the accepted graphs have which pattern.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fewedits/base/parallel.hpp"
#include "fewedits/glance/pattern_reader.hpp"

namespace fewedits {

/// A share among rejected and one among accepted graphs.
struct TwoShares {
  std::size_t rejected = 0;
  std::size_t of_rejected = 0;
  std::size_t accepted = 0;
  std::size_t of_accepted = 0;

  [[nodiscard]] double among_rejected() const;
  [[nodiscard]] double among_accepted() const;
  [[nodiscard]] double difference() const { return among_rejected() - among_accepted(); }
  /// Of the difference, from Wilson's intervals of the two shares (Newcombe, "Interval estimation
  /// for the difference between independent proportions", 1998, method 10).
  [[nodiscard]] Interval interval(double quantile) const;
  /// How far the interval stays away from 0: 0 if it does not.
  [[nodiscard]] double margin(double quantile) const;
};

struct PatternRow {
  PatternKey key;
  /// Rejected graphs first, then accepted ones, as places in the two lists: ascending.
  std::vector<std::uint32_t> graphs;
  PatternExample example;
  std::vector<PatternKey> same;  ///< less simple patterns that are in exactly these graphs
};

class PatternTable {
 public:
  /// Patterns of at least `least` of the graphs, but not of all; of those in the same graphs the
  /// simplest alone. Neither looks at who is rejected. Throws Stopped if the pool is told to stop.
  PatternTable(const PatternReader& reader, std::span<const std::uint32_t> rejected,
               std::span<const std::uint32_t> accepted, std::size_t least, ThreadPool& pool);

  /// Simple patterns first.
  [[nodiscard]] const std::vector<PatternRow>& rows() const { return rows_; }
  [[nodiscard]] std::size_t num_rejected() const { return num_rejected_; }
  [[nodiscard]] std::size_t num_accepted() const { return num_accepted_; }
  /// Of the graphs that `counts` says yes to, by place.
  [[nodiscard]] TwoShares shares(const PatternRow& row, const std::vector<bool>& counts) const;
  /// Of all.
  [[nodiscard]] TwoShares shares(const PatternRow& row) const;

 private:
  void keep_simplest();
  std::vector<PatternRow> rows_;
  std::size_t num_rejected_;
  std::size_t num_accepted_;
};

/// Graphs in both rows over graphs in one of them.
double overlap(const PatternRow& a, const PatternRow& b);

}  // namespace fewedits
