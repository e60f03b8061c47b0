// SPDX-License-Identifier: MIT
#include "fewedits/distance/ged_distance.hpp"

#include <atomic>
#include <cassert>

#include "fewedits/ged/batch.hpp"

namespace fewedits {
namespace {

Measure as_measure(std::int64_t distance, const GedBounds& bounds, PairStatus status,
                   std::int64_t largest) {
  const auto value = static_cast<double>(distance);
  return {value, largest == 0 ? 0.0 : value / static_cast<double>(largest),
          static_cast<double>(bounds.lower), static_cast<double>(bounds.upper), status};
}

PairStatus status_of(const GedBounds& bounds) {
  return bounds.exact() ? PairStatus::kExact : PairStatus::kBounds;
}

}  // namespace

GedDistance::GedDistance(std::span<const Graph> graphs, const GedDistanceOptions& options,
                         ThreadPool& pool)
    : options_(options), graphs_(prepare_graphs(graphs, pool)) {
  options_.ged.costs.check();
  (void)distance_limit(options_.theta, Graph(), Graph());  // refuses a theta that is none
}

MappedMeasure GedDistance::measure(GedSolver& solver, const GraphPair& pair) const {
  assert(pair.a < graphs_.size() && pair.b < graphs_.size());
  const PreparedGraph& a = graphs_[pair.a];
  const PreparedGraph& b = graphs_[pair.b];
  const EditCosts& costs = options_.ged.costs;
  const std::int64_t largest = largest_distance(a.graph(), b.graph(), costs);
  switch (options_.method) {
    case GedMethod::kLower: {
      const GedBounds bounds{solver.lower(a, b, LowerStrength::kDual), largest, {}};
      return {
          as_measure(bounds.lower, bounds, status_of(bounds), largest), {}, GedStage::kNone, false};
    }
    case GedMethod::kUpper: {
      GedBounds bounds = solver.upper(a, b);
      return {as_measure(bounds.upper, bounds, status_of(bounds), largest), std::move(bounds.map),
              GedStage::kNone, false};
    }
    case GedMethod::kExact: {
      GedBounds bounds = solver.exact(a, b);
      return {as_measure(bounds.upper, bounds, status_of(bounds), largest), std::move(bounds.map),
              GedStage::kNone, false};
    }
    case GedMethod::kWithin: break;
  }
  const std::int64_t limit = distance_limit(options_.theta, a.graph(), b.graph(), costs);
  Within answer = solver.within(a, b, limit);
  const GedBounds bounds{answer.lower, answer.upper, {}};
  const PairStatus status = answer.answer == Answer::kYes  ? PairStatus::kYes
                            : answer.answer == Answer::kNo ? PairStatus::kNo
                                                           : PairStatus::kUnknown;
  const std::int64_t distance = answer.answer == Answer::kNo ? bounds.lower : bounds.upper;
  return {as_measure(distance, bounds, status, largest), std::move(answer.map), answer.stage,
          false};
}

void GedDistance::measure_all(
    std::span<const GraphPair> pairs, ThreadPool& pool, const Watch& watch,
    const std::function<void(std::size_t, MappedMeasure&&)>& store) const {
  std::vector<GedSolver> solvers;
  solvers.reserve(static_cast<std::size_t>(pool.size()));
  for (int t = 0; t < pool.size(); ++t) solvers.emplace_back(options_.ged);
  std::atomic<std::size_t> done{0};
  std::atomic<bool> stopped{false};
  // Pairs differ by orders of magnitude in effort: hand them out one by one.
  pool.for_chunks(pairs.size(), 1, [&](std::size_t begin, std::size_t, int worker) {
    if (stopped) return;
    store(begin, measure(solvers[static_cast<std::size_t>(worker)], pairs[begin]));
    const std::size_t now = ++done;
    // Worker 0 is the calling thread.
    if (worker == 0 && watch && !watch(now)) stopped = true;
  });
}

void GedDistance::measure(std::span<const GraphPair> pairs, std::span<Measure> out,
                          ThreadPool& pool) const {
  assert(out.size() == pairs.size());
  measure_all(pairs, pool, {},
              [&](std::size_t p, MappedMeasure&& found) { out[p] = found.measure; });
}

void GedDistance::measure(std::span<const GraphPair> pairs, std::span<MappedMeasure> out,
                          ThreadPool& pool, const Watch& watch) const {
  assert(out.size() == pairs.size());
  measure_all(pairs, pool, watch, [&](std::size_t p, MappedMeasure&& found) {
    out[p] = std::move(found);
    out[p].done = true;
  });
}

}  // namespace fewedits
