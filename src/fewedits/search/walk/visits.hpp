// SPDX-License-Identifier: MIT
// Which counterfactuals the walk visited, how often, and what the most visited cover together.
//
// Counts are kept with Space-Saving (Metwally, Agrawal & El Abbadi 2005): when all places are
// taken, a new graph takes the place of the least visited one and inherits its count, so counts are
// never too small, and `error` says by how much they may be too large.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include "fewedits/cover/cover_counts.hpp"
#include "fewedits/graph/identity.hpp"

namespace fewedits {

struct VisitedGraph {
  Graph graph;  ///< in canonical order
  Hash128 hash;
  std::uint64_t shape = 0;
  float probability = 0;
  std::vector<std::uint32_t> covers;  ///< inputs within the walk's theta
  std::uint32_t origin = 0;           ///< the input from which the walk had set out
  std::uint64_t count = 0;
  std::uint64_t error = 0;
  std::uint64_t reached = 0;  ///< when it got its count: earlier ones come first among equals
};

class Visits {
 public:
  /// `top` is the paper's n: how many of the most visited graphs are candidates. Capacity ≥ top
  /// ≥ 1.
  Visits(std::size_t capacity, std::size_t top, std::size_t num_inputs);

  /// Counts a visit. Of `graph` everything but the last three fields is set.
  void visit(VisitedGraph graph);
  /// Puts a graph back with its counts, as saved earlier; in any order. Throws Error for one that
  /// is there already or finds no room: no walk saves such.
  void restore(VisitedGraph graph);

  /// 0 if it is not known.
  [[nodiscard]] std::uint64_t count(const Hash128& hash) const;
  /// False: no graph with that shape_hash is known.
  [[nodiscard]] bool knows_shape(std::uint64_t shape) const { return shapes_.contains(shape); }
  [[nodiscard]] std::size_t size() const { return graphs_.size(); }
  [[nodiscard]] std::span<const VisitedGraph> graphs() const { return graphs_; }

  /// Indices into graphs() of the candidates, most visited first.
  [[nodiscard]] std::vector<std::uint32_t> candidates() const;
  [[nodiscard]] std::size_t num_candidates() const { return top_.size(); }
  /// Those that were visited as often as the last candidate and are none, earliest first.
  [[nodiscard]] std::vector<std::uint32_t> runners_up() const;
  /// For each input: how many candidates cover it (the paper's g).
  [[nodiscard]] std::span<const std::uint32_t> cover_counts() const { return covers_.counts(); }
  [[nodiscard]] std::uint32_t smallest_cover_count() const { return covers_.smallest(); }
  /// Inputs that some candidate covers.
  [[nodiscard]] std::size_t covered() const { return covers_.covered(); }

 private:
  struct Rank {
    std::uint64_t count;
    std::uint64_t reached;
    std::uint32_t index;
    /// The better one first.
    friend bool operator<(const Rank& a, const Rank& b) {
      return a.count != b.count ? a.count > b.count : a.reached < b.reached;
    }
  };
  [[nodiscard]] Rank rank_of(std::uint32_t index) const;
  std::uint32_t place_for_new();
  void add(std::uint32_t index);
  void forget(std::uint32_t index);
  void insert(const Rank& rank);

  std::size_t capacity_;
  std::size_t most_candidates_;
  std::vector<VisitedGraph> graphs_;
  std::unordered_map<Hash128, std::uint32_t> by_hash_;
  std::unordered_map<std::uint64_t, std::uint32_t> shapes_;  ///< how many graphs share a shape
  std::set<Rank> top_;                                       ///< the candidates
  std::set<Rank> rest_;
  CoverCounts covers_;  ///< by the candidates
  std::uint64_t clock_ = 0;
};

}  // namespace fewedits
