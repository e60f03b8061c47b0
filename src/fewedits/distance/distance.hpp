// SPDX-License-Identifier: MIT
// One interface for every way to measure how far graphs are apart. An implementation is built
// for a set of graphs, prepares what it needs of each (embedding, kernel features, label counts)
// once, and then answers pairs of indices in batches.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "fewedits/base/parallel.hpp"
#include "fewedits/graph/graph.hpp"

namespace fewedits {

struct GraphPair {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  friend bool operator==(const GraphPair&, const GraphPair&) = default;
};

/// What is known of a pair once it was measured.
enum class PairStatus {
  kExact,   ///< `distance` is the distance, proven: lower = upper
  kBounds,  ///< only lower ≤ distance ≤ upper is proven
  kYes,     ///< within the limit, a map is in hand
  kNo,      ///< proven not to be within the limit
  kUnknown  ///< the budget ended before the question was decided
};
std::string_view name_of(PairStatus status);

struct Measure {
  double distance = 0;
  double normalized = 0;  ///< in [0,1] for distances; an estimate may exceed 1
  double lower = 0;       ///< proven bounds of the distance the method is about
  double upper = 0;
  PairStatus status = PairStatus::kExact;
};

class Distance {
 public:
  virtual ~Distance() = default;
  /// out[i] for pairs[i]; indices are asserted to be in range. The answer does not depend on the
  /// number of threads (unless the method was given a time limit).
  virtual void measure(std::span<const GraphPair> pairs, std::span<Measure> out,
                       ThreadPool& pool) const = 0;
};

}  // namespace fewedits
