// SPDX-License-Identifier: MIT
// The graph edit distance behind the common interface, in four ways.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "fewedits/distance/distance.hpp"
#include "fewedits/ged/solver.hpp"

namespace fewedits {

/// How the edit distance is to be known.
enum class GedMethod {
  kLower,  ///< the dual bound; distance = lower
  kUpper,  ///< a map by the heuristic; distance = upper
  kExact,  ///< the search; distance = upper, which is the distance if the status is kExact
  kWithin  ///< is it ≤ theta? yes: distance = upper; no: distance = lower; unknown: upper
};

struct GedDistanceOptions {
  GedMethod method = GedMethod::kExact;
  GedOptions ged;
  double theta = 0.1;  ///< kWithin only: the limit on the normalised distance
};

/// What was found for one pair beside the numbers: the map of cost `upper`; empty if the method
/// made none.
struct MappedMeasure {
  Measure measure;
  NodeMap map;
  GedStage stage = GedStage::kNone;  ///< kWithin: what decided it
  bool done = false;                 ///< false if the work was stopped before this pair's turn
};

class GedDistance final : public Distance {
 public:
  GedDistance(std::span<const Graph> graphs, const GedDistanceOptions& options, ThreadPool& pool);

  void measure(std::span<const GraphPair> pairs, std::span<Measure> out,
               ThreadPool& pool) const override;
  /// The same with the maps. `watch` is called from the calling thread with the number of pairs
  /// done so far; once it says false, no further pair is begun.
  using Watch = std::function<bool(std::size_t done)>;
  void measure(std::span<const GraphPair> pairs, std::span<MappedMeasure> out, ThreadPool& pool,
               const Watch& watch = {}) const;

 private:
  [[nodiscard]] MappedMeasure measure(GedSolver& solver, const GraphPair& pair) const;
  void measure_all(std::span<const GraphPair> pairs, ThreadPool& pool, const Watch& watch,
                   const std::function<void(std::size_t, MappedMeasure&&)>& store) const;

  GedDistanceOptions options_;
  std::vector<PreparedGraph> graphs_;
};

}  // namespace fewedits
