// SPDX-License-Identifier: MIT
// The graph edit distance behind the common interface, proven: "certified".
//
// A stored graph is near only if a node map of small enough cost is in hand (SPEC §5). For a graph
// of the edit map every stored graph within reach gets a map by the heuristic; its neighbours are
// then evaluated by counting (distance/map_changes): an edit changes the cost of a map by an amount
// that follows from what it touches. So a thousand neighbours cost no more maps than one graph, and
// no neighbour is ever said to be nearer than it is.
#pragma once

#include <cstdint>
#include <vector>

#include "fewedits/distance/certified_distances.hpp"
#include "fewedits/distance/distance.hpp"
#include "fewedits/distance/distance_options.hpp"
#include "fewedits/ged/solver_pool.hpp"

namespace fewedits {

/// How measure() is to know the edit distance of a pair.
enum class GedMethod {
  kLower,  ///< the dual bound; distance = lower
  kUpper,  ///< a map by the heuristic; distance = upper
  kExact,  ///< the search; distance = upper, which is the distance if the status is kExact
  kWithin  ///< is it ≤ theta? yes: distance = upper; no: distance = lower; unknown: upper
};

struct GedDistanceOptions {
  GedMethod method = GedMethod::kExact;
  GedOptions ged;
  double theta = 0.1;             ///< kWithin and proofs: the limit on the normalised distance
  MapEffort search_effort{2, 8};  ///< within(), neighbourhood(): for each graph within reach
  /// Of each of the two questions that prove() asks about a pair.
  std::uint64_t prove_work = kProveWork;
};

class GedDistance final : public Distance, public Prover {
 public:
  GedDistance(std::vector<Graph> graphs, const GedDistanceOptions& options, ThreadPool& pool);

  [[nodiscard]] std::span<const Graph> graphs() const override { return graphs_; }
  [[nodiscard]] std::span<const PreparedGraph> prepared() const override { return prepared_; }

  void measure(std::span<const GraphPair> pairs, std::span<Measure> out, ThreadPool& pool,
               const DistanceWatch& watch = {}) override;
  /// The upper ends of prove().
  std::vector<std::vector<double>> rows(std::span<const Graph> queries, ThreadPool& pool) override;
  std::vector<std::vector<std::uint32_t>> within(std::span<const Graph> queries, double theta,
                                                 ThreadPool& pool) override;
  NearRows neighbourhood(const Graph& graph, std::span<const Edit> edits, double theta,
                         ThreadPool& pool) override;
  [[nodiscard]] Prover* prover() override { return this; }
  [[nodiscard]] const EditCosts& costs() const override { return options_.ged.costs; }
  std::vector<PackedMaps> maps_within(std::span<const Graph> queries, double theta,
                                      ThreadPool& pool) override;
  CertifiedDistances prove(std::span<const Graph> graphs, const ProvenPairs& known,
                           ThreadPool& pool, const DistanceWatch& watch) override;

 private:
  [[nodiscard]] Measure measure(GedSolver& solver, const GraphPair& pair) const;
  /// Stored graphs within reach of a graph's neighbours, with the graph's map to each.
  std::vector<ProvenPair> in_reach(const Graph& of, double theta, ThreadPool& pool);

  GedDistanceOptions options_;
  std::vector<Graph> graphs_;
  std::vector<PreparedGraph> prepared_;
  SolverPool search_solvers_;
};

}  // namespace fewedits
