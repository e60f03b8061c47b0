// SPDX-License-Identifier: MIT
// Exhaustive search over node maps: depth-first branch and bound on the dual bound.
//
// At every node of the tree the dual bound is improved a little, pairs that cannot be part of a
// good enough map are closed, and the row that would miss its column most is given it first and
// denied it afterwards. Twins (prepared_graph.hpp) are denied together: exchanging two twins that
// are not fixed on the way down turns any map of this node into another one of equal cost. That
// holds because everything that shapes a node is symmetric in unfixed twins: pairs are denied for
// all of them, and pairs closed as hopeless belong to no map that is still wanted, nor do their
// images under the exchange. (Being skipped is denied to a row alone, but a map that skips its
// twin instead equals one that was explored when the row was skipped.)
#pragma once

#include <cstdint>
#include <vector>

#include "fewedits/ged/allowance.hpp"
#include "fewedits/ged/dual_bound.hpp"
#include "fewedits/ged/map_search.hpp"

namespace fewedits {

class TreeSearch {
 public:
  /// Bound, maps and allowance belong to the caller; bound and maps charge the allowance. The
  /// search starts from the bound's domain and shares, after an evaluate().
  TreeSearch(const MatchProblem& problem, DualBound& bound, MapSearch& maps,
             const Allowance& allowance);

  /// Looks for a map of cost ≤ limit and, having found one, for better ones down to `goal`. Maps
  /// found are in the MapSearch. Returns a lower bound of the distance.
  std::int64_t run(std::int64_t limit, std::int64_t goal);
  /// The budget ended before the tree did.
  [[nodiscard]] bool gave_up() const { return gave_up_; }

 private:
  struct Candidate {
    std::size_t row;
    std::int32_t column;
  };
  enum class Visit { kCut, kOpen, kOutOfBudget };
  void explore(std::size_t depth, std::int64_t bound);
  Visit visit();
  void leave_open(std::int64_t bound);
  void look_for_maps();
  [[nodiscard]] bool settled() const { return maps_.best_cost() <= goal_; }
  void fix(const Candidate& choice, std::uint8_t fixed);
  [[nodiscard]] bool choose(Candidate& choice) const;
  void deny(const Candidate& choice);

  const MatchProblem& problem_;
  DualBound& bound_;
  MapSearch& maps_;
  const Allowance& allowance_;
  std::int64_t limit_ = 0;
  std::int64_t goal_ = 0;
  std::int64_t open_bound_ = 0;  ///< of what was left unexplored
  bool gave_up_ = false;
  std::size_t saved_depths_ = 0;
  std::size_t most_depths_ = 0;
  std::vector<DualBound::State> saved_;  ///< by depth
  std::vector<std::uint8_t> row_fixed_;
  std::vector<std::uint8_t> column_fixed_;
};

}  // namespace fewedits
