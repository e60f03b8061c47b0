// SPDX-License-Identifier: MIT
// Which of very many inputs a few graphs cover, and what is proven of their distances.
//
// A search over some thousands of inputs keeps everything about each of them in memory. Here there
// may be a million. They lie sorted by size, so that of each graph only a window is looked at;
// labels and degrees exclude most of the window (lower_bound.hpp), and only for what is left maps
// are searched. Inputs are prepared a block at a time, by the thread that works on the block, and
// forgotten after it. Memory: the graphs, their profiles (some 250 bytes each) and the maps that
// are kept. Time for a graph: linear in the inputs of its window at worst.
//
// Answers depend on the graphs alone, not on the number of threads, unless the work is stopped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fewedits/base/bit_rows.hpp"
#include "fewedits/base/parallel.hpp"
#include "fewedits/distance/distance.hpp"
#include "fewedits/ged/prepared_graph.hpp"
#include "fewedits/ged/solver_pool.hpp"
#include "fewedits/proof/bounds.hpp"

namespace fewedits {

struct ManyInputsOptions {
  double theta = 0.1;
  /// Costs, and how hard maps are searched. Edits of nodes and edges cost 1.
  GedOptions ged;
};

/// What is known of a graph and an input that sizes, labels and degrees do not put out of reach.
struct NearPair {
  std::uint32_t query = 0;     ///< place of the graph among those that were asked about
  std::uint32_t position = 0;  ///< of the input in the order by size
  std::int32_t lower = 0;      ///< of the distance
  std::int32_t upper = 0;      ///< cost of the map; of none: the largest distance
  NodeMap map = {};            ///< from the input to the graph; empty: none
  bool decided = false;        ///< nothing more is to be found out
};

class ManyInputs {
 public:
  /// Keeps the span.
  ManyInputs(std::span<const Graph> inputs, const ManyInputsOptions& options, ThreadPool& pool);

  /// A graph, and what somebody knows of it.
  struct Query {
    const Graph* graph = nullptr;
    /// Maps from inputs, by their places, ascending; what is no map within theta is passed over.
    std::vector<ProvenPair> known = {};
  };
  struct Looked {
    BitRows covers;  ///< of each graph, by position
    /// Of all graphs, by block of positions; empty unless they were to be kept.
    std::vector<std::vector<NearPair>> near;
    bool complete = true;  ///< false: it was stopped, and some pairs were not looked at
  };
  /// Looks for maps within theta. `watch` hears of blocks.
  [[nodiscard]] Looked look(std::span<const Query> queries, bool keep, ThreadPool& pool,
                            const DistanceWatch& watch);

  /// Tries to decide pairs that are still open, of inputs that none of the graphs covers: those
  /// nearest to theta first, each with a budget, and no further ones once `work` units are spent.
  void decide(std::span<const Query> queries, std::uint64_t work, Looked& looked, ThreadPool& pool);

  /// What is proven of the distances of some graphs to all inputs, by place.
  struct Proven {
    std::vector<std::vector<double>> distances;  ///< of each graph; infinite: not needed
    ProvenPairs proofs;                          ///< of each, by place, ascending
    std::vector<std::int64_t> lower;             ///< of the distance to the nearest graph
    std::vector<std::uint8_t> open;              ///< uncovered, and not excluded
  };
  /// `order` says which of the queries, and in which order. Every covered pair has a map; of other
  /// inputs those that bring them nearer than the graphs before, made with little effort, or of no
  /// node once `stop` is set. Never stops halfway.
  [[nodiscard]] Proven prove(std::span<const Query> queries, std::span<const std::size_t> order,
                             const Looked& looked, const StopSign* stop, ThreadPool& pool);

  [[nodiscard]] std::size_t size() const { return order_.size(); }
  /// The place of the input there.
  [[nodiscard]] std::uint32_t place(std::size_t position) const { return order_[position]; }
  [[nodiscard]] std::size_t position(std::uint32_t place) const { return positions_[place]; }

 private:
  struct Window {
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  class Block;

  [[nodiscard]] const Graph& graph(std::size_t position) const { return inputs_[order_[position]]; }
  [[nodiscard]] std::int64_t limit(const Graph& query, std::size_t position) const;
  [[nodiscard]] Window window(const Graph& query) const;
  void take_known(std::span<const Query> queries, bool keep, Looked& out) const;

  std::span<const Graph> inputs_;
  ManyInputsOptions options_;
  std::vector<std::uint32_t> order_;      ///< places by size
  std::vector<std::uint32_t> positions_;  ///< by place
  std::vector<GraphProfile> profiles_;    ///< by position
};

}  // namespace fewedits
