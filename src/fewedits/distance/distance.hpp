// SPDX-License-Identifier: MIT
// One interface for every way to measure how far graphs are apart.
//
// A distance is built on a stored set of graphs (the inputs of an explanation), of which it
// prepares what it needs once (embedding, kernel features, label counts), and answers in batches:
// pairs of stored graphs, rows of distances to other graphs, which stored graphs are near them, and
// the same for a graph and all its neighbours in the edit map at once. Search, evaluation,
// recourse, command line and benchmarks see distances only through this.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "fewedits/base/bit_rows.hpp"
#include "fewedits/base/parallel.hpp"
#include "fewedits/edit/edit.hpp"
#include "fewedits/ged/options.hpp"
#include "fewedits/graph/graph.hpp"
#include "fewedits/proof/bounds.hpp"
#include "fewedits/proof/packed_maps.hpp"

namespace fewedits {

class PreparedGraph;

/// Two stored graphs.
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
  NodeMap map = {};                  ///< of cost `upper`; empty if the method made none
  GedStage stage = GedStage::kNone;  ///< what decided a question, where one was asked
  bool done = true;                  ///< false if the work was stopped before this pair's turn
};

/// Which stored graphs some graphs are near to. Few are near to any, so a row is a handful of
/// words.
struct NearRows {
  std::vector<std::uint32_t> active;  ///< stored graphs, ascending; all that some row has
  BitRows rows;                       ///< bit j of a graph's row: active[j] is near to it
};

/// Called from the calling thread with what is done; false: stop.
using DistanceWatch = std::function<bool(std::size_t done, std::size_t total)>;

/// What only distances with proofs can do.
class Prover {
 public:
  virtual ~Prover() = default;
  /// The stored graphs as ged/ wants them.
  [[nodiscard]] virtual std::span<const PreparedGraph> prepared() const = 0;
  /// 1 each, but for labels of edges.
  [[nodiscard]] virtual const EditCosts& costs() const {
    static constexpr EditCosts kUnit;
    return kUnit;
  }
  /// Stored graphs within theta of each query, with the maps that prove it.
  virtual std::vector<PackedMaps> maps_within(std::span<const Graph> queries, double theta,
                                              ThreadPool& pool) = 0;
  /// What is proven of the distances between graphs and all stored ones, with the maps. `known`:
  /// maps by graph, of stored graphs by their index; what in it is no map is passed over.
  virtual CertifiedDistances prove(std::span<const Graph> graphs, const ProvenPairs& known,
                                   ThreadPool& pool, const DistanceWatch& watch) = 0;
};

/// Answers depend on the graphs alone: not on what was asked before, nor on the number of threads
/// (unless the method was given a time limit). Asked by one thread at a time.
class Distance {
 public:
  virtual ~Distance() = default;

  /// The stored graphs.
  [[nodiscard]] virtual std::span<const Graph> graphs() const = 0;

  /// out[i] for pairs[i] of stored graphs; indices are asserted to be in range.
  virtual void measure(std::span<const GraphPair> pairs, std::span<Measure> out, ThreadPool& pool,
                       const DistanceWatch& watch = {}) = 0;
  /// Normalised distances of each query to each stored graph; never NaN.
  virtual std::vector<std::vector<double>> rows(std::span<const Graph> queries,
                                                ThreadPool& pool) = 0;
  /// Stored graphs within theta of each query, ascending.
  virtual std::vector<std::vector<std::uint32_t>> within(std::span<const Graph> queries,
                                                         double theta, ThreadPool& pool);
  /// within() takes little more than a classification.
  [[nodiscard]] virtual bool within_is_quick() const { return false; }
  /// The same for apply(graph, edits[i]), all of them.
  virtual NearRows neighbourhood(const Graph& graph, std::span<const Edit> edits, double theta,
                                 ThreadPool& pool);

  /// Null: what is near is claimed, not proven.
  [[nodiscard]] virtual Prover* prover() { return nullptr; }
};

/// From lists, one per row.
NearRows near_rows(std::span<const std::vector<std::uint32_t>> lists, std::size_t stored);

}  // namespace fewedits
