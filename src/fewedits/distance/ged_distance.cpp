// SPDX-License-Identifier: MIT
#include "fewedits/distance/ged_distance.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <utility>

#include "fewedits/distance/map_changes.hpp"
#include "fewedits/distance/watched_loop.hpp"
#include "fewedits/ged/allowance.hpp"
#include "fewedits/ged/batch.hpp"
#include "fewedits/ged/lower_bound.hpp"

namespace fewedits {
namespace {

/// An edit changes a cost by 2 at most, and the sizes together as well.
constexpr int kReach = 2;

/// Of a change of size among all that can be.
std::size_t place_of(std::ptrdiff_t change) { return static_cast<std::size_t>(change + kReach); }

/// The labels that edits may bring in, and those of the graph.
std::size_t num_labels_of(const Graph& graph, std::span<const Edit> edits) {
  Label largest = 0;
  for (const Label label : graph.labels()) largest = std::max(largest, label);
  for (const Edit& edit : edits) largest = std::max(largest, edit.label);
  return std::size_t{largest} + 1;
}

/// Those that edits bring in with a leaf.
std::size_t num_edge_labels_of(std::span<const Edit> edits) {
  Label largest = 0;
  for (const Edit& edit : edits) largest = std::max(largest, edit.edge_label);
  return std::size_t{largest} + 1;
}

GedOptions search_options(const GedDistanceOptions& options) {
  GedOptions out;
  out.costs = options.ged.costs;
  out.effort = options.search_effort;
  out.budget.stop = options.ged.budget.stop;
  out.seed = options.ged.seed;
  return out;
}

Measure as_measure(std::int64_t distance, GedBounds bounds, PairStatus status,
                   std::int64_t largest) {
  const auto value = static_cast<double>(distance);
  return {value,
          normalized_distance(value, largest),
          static_cast<double>(bounds.lower),
          static_cast<double>(bounds.upper),
          status,
          std::move(bounds.map)};
}

Measure as_measure(GedBounds bounds, bool by_upper, std::int64_t largest) {
  const std::int64_t distance = by_upper ? bounds.upper : bounds.lower;
  const PairStatus status = bounds.exact() ? PairStatus::kExact : PairStatus::kBounds;
  return as_measure(distance, std::move(bounds), status, largest);
}

}  // namespace

GedDistance::GedDistance(std::vector<Graph> graphs, const GedDistanceOptions& options,
                         ThreadPool& pool)
    : options_(options),
      graphs_(std::move(graphs)),
      prepared_(prepare_graphs(graphs_, pool)),
      search_solvers_(search_options(options), pool) {
  options_.ged.costs.check();
  (void)distance_limit(options_.theta, Graph(), Graph());  // refuses a theta that is none
}

Measure GedDistance::measure(GedSolver& solver, const GraphPair& pair) const {
  assert(pair.a < prepared_.size() && pair.b < prepared_.size());
  const PreparedGraph& a = prepared_[pair.a];
  const PreparedGraph& b = prepared_[pair.b];
  const EditCosts& costs = options_.ged.costs;
  const std::int64_t largest = largest_distance(a.graph(), b.graph(), costs);
  switch (options_.method) {
    case GedMethod::kLower:
      return as_measure({solver.lower(a, b, LowerStrength::kDual), largest}, false, largest);
    case GedMethod::kUpper: return as_measure(solver.upper(a, b), true, largest);
    case GedMethod::kExact: return as_measure(solver.exact(a, b), true, largest);
    case GedMethod::kWithin: break;
  }
  Within answer = solver.within(a, b, distance_limit(options_.theta, a.graph(), b.graph(), costs));
  const PairStatus status = answer.answer == Answer::kYes  ? PairStatus::kYes
                            : answer.answer == Answer::kNo ? PairStatus::kNo
                                                           : PairStatus::kUnknown;
  const std::int64_t distance = answer.answer == Answer::kNo ? answer.lower : answer.upper;
  const GedStage stage = answer.stage;
  Measure out = as_measure(distance, std::move(answer), status, largest);
  out.stage = stage;
  return out;
}

void GedDistance::measure(std::span<const GraphPair> pairs, std::span<Measure> out,
                          ThreadPool& pool, const DistanceWatch& watch) {
  assert(out.size() == pairs.size());
  for (Measure& m : out) m.done = false;
  SolverPool solvers(options_.ged, pool);
  WatchedLoop(pool, watch).run(pairs.size(), [&](std::size_t p, int worker) {
    out[p] = measure(solvers[worker], pairs[p]);
  });
}

std::vector<ProvenPair> GedDistance::in_reach(const Graph& of, double theta, ThreadPool& pool) {
  const PreparedGraph graph(of);
  search_solvers_.fit(pool);
  std::vector<ProvenPair> found(prepared_.size());
  pool.for_chunks(prepared_.size(), 16, [&](std::size_t begin, std::size_t end, int worker) {
    for (std::size_t i = begin; i < end; ++i) {
      const PreparedGraph& input = prepared_[i];
      const auto sizes = static_cast<std::int64_t>(of.size() + input.graph().size());
      const std::int64_t reach = distance_limit(theta, sizes + kReach) + kReach;
      if (degree_bound(graph.profile(), input.profile(), options_.ged.costs) > reach) continue;
      pool.check_stop();  // large graphs take their time
      Allowance time({.stop = options_.ged.budget.stop});
      if (branch_bound(graph, input, options_.ged.costs, &time) > reach) continue;
      GedBounds bounds = search_solvers_[worker].upper(graph, input);
      if (bounds.upper > reach) continue;
      found[i] = {static_cast<std::uint32_t>(i), bounds.upper, std::move(bounds.map)};
    }
  });
  std::erase_if(found, [](const ProvenPair& a) { return a.map.empty(); });
  return found;
}

NearRows GedDistance::neighbourhood(const Graph& graph, std::span<const Edit> edits, double theta,
                                    ThreadPool& pool) {
  const std::vector<ProvenPair> found = in_reach(graph, theta, pool);
  const std::size_t num_labels = num_labels_of(graph, edits);
  const std::size_t num_edge_labels = num_edge_labels_of(edits);
  NearRows out;
  for (const ProvenPair& a : found) out.active.push_back(a.input);
  out.rows = BitRows(found.size(), edits.size());
  // 64 inputs at a time: their bits are one word of every row, and nobody else writes it.
  pool.for_chunks(found.size(), 64, [&](std::size_t begin, std::size_t end, int) {
    MapChanges changes(options_.ged.costs);
    for (std::size_t j = begin; j < end; ++j) {
      pool.check_stop();  // so do many edits
      const Graph& input = graphs_[found[j].input];
      changes.prepare(graph, input, found[j].map, num_labels, num_edge_labels);
      std::array<std::int64_t, 2 * kReach + 1> limit{};
      for (int d = -kReach; d <= kReach; ++d) {
        const auto sizes = static_cast<std::int64_t>(graph.size() + input.size()) + d;
        limit[place_of(d)] = sizes > 0 ? distance_limit(theta, sizes) : -1;
      }
      for (std::size_t e = 0; e < edits.size(); ++e) {
        const std::size_t d = place_of(size_change(edits[e].kind));
        if (found[j].edits + changes.change(edits[e]) <= limit[d]) out.rows.set(e, j);
      }
    }
  });
  return out;
}

std::vector<std::vector<std::uint32_t>> GedDistance::within(std::span<const Graph> queries,
                                                            double theta, ThreadPool& pool) {
  std::vector<std::vector<std::uint32_t>> out;
  out.reserve(queries.size());
  for (const PackedMaps& maps : maps_within(queries, theta, pool)) {
    out.emplace_back(maps.graphs().begin(), maps.graphs().end());
  }
  return out;
}

std::vector<PackedMaps> GedDistance::maps_within(std::span<const Graph> queries, double theta,
                                                 ThreadPool& pool) {
  std::vector<PackedMaps> out;
  out.reserve(queries.size());
  for (const Graph& graph : queries) {
    PackedMaps& maps = out.emplace_back(graph.num_nodes());
    for (const ProvenPair& found : in_reach(graph, theta, pool)) {
      const auto sizes = static_cast<std::int64_t>(graph.size() + graphs_[found.input].size());
      if (sizes > 0 && found.edits <= distance_limit(theta, sizes)) {
        maps.set(found.input, found.map);
      }
    }
  }
  return out;
}

std::vector<std::vector<double>> GedDistance::rows(std::span<const Graph> queries,
                                                   ThreadPool& pool) {
  return prove(queries, {}, pool, {}).normalized_upper();
}

CertifiedDistances GedDistance::prove(std::span<const Graph> graphs, const ProvenPairs& known,
                                      ThreadPool& pool, const DistanceWatch& watch) {
  CertifiedOptions options;
  options.theta = options_.theta;
  options.ged.costs = options_.ged.costs;
  options.ged.seed = options_.ged.seed;
  options.ged.budget.work = options_.prove_work;
  options.ged.budget.stop = options_.ged.budget.stop;
  return certified_distances(graphs, prepared_, options, pool, watch, known);
}

}  // namespace fewedits
