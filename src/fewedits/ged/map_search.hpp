// SPDX-License-Identifier: MIT
// Local search over node maps: the upper bound.
//
// The map is a permutation of max(rows, columns) places (rows are padded with empty ones, and
// columns too where leaving a row out can pay), so that "swap the columns of two rows" also
// covers matching an unmatched node and giving one up. With A(i) the columns of row i's
// neighbours and B(x) the neighbours of column x as bit sets, exchanging the columns x of i and
// y of j changes the number of common edges by
//   |A(i)∩B(y)| + |A(j)∩B(x)| − |A(i)∩B(x)| − |A(j)∩B(y)| + 2·[i~j][x~y],
// a few popcounts; the profit is kept up to date by these differences.
//
// A descent from a start map is followed by kicks: force one pair, regrow the map around it
// breadth-first along both graphs, descend, and keep the result unless it is worse.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fewedits/base/rng.hpp"
#include "fewedits/ged/allowance.hpp"
#include "fewedits/ged/assignment.hpp"
#include "fewedits/ged/match_problem.hpp"

namespace fewedits {

class MapSearch {
 public:
  /// Number of different start maps; start() takes them in turn.
  static constexpr int kStarts = 3;

  /// Takes on a new problem, which must outlive its use here, as must the allowance its work is
  /// charged to; forgets the best map.
  void bind(const MatchProblem& problem, Allowance* allowance = nullptr);

  /// Descends from an assignment of nodes with similar surroundings.
  void start(int variant, Assignment& assignment);
  /// Descends from a given map.
  void start_from(Columns map);
  /// Up to `count` kicks of the current map (there was a start); stops once the best cost is ≤
  /// `goal` or the budget is spent.
  void kick(int count, std::int64_t goal, Rng& rng);

  /// Over all maps since bind(). There is always one: at first nothing is mapped.
  [[nodiscard]] std::int64_t best_cost() const {
    return (problem_->total() - best_profit_) * problem_->grain();
  }
  [[nodiscard]] Columns best() const { return best_; }

 private:
  using Word = std::uint64_t;

  void lay_out(const MatchProblem& problem);
  [[nodiscard]] std::size_t layer_of(std::span<const Label> labels, std::size_t edge) const;
  void compare_surroundings(int variant);
  void reset_images();
  void descend();
  void descend_small();
  void descend_small_labelled();
  void descend_any();
  [[nodiscard]] std::int32_t gain(std::size_t i, std::size_t j) const;
  void swap(std::size_t i, std::size_t j);
  void refresh(std::size_t i);
  [[nodiscard]] std::int32_t shared(std::size_t row, std::size_t column) const;
  void regrow(std::size_t row, std::size_t column, std::size_t most, Rng& rng);
  [[nodiscard]] std::size_t pick_row(Rng& rng) const;
  [[nodiscard]] std::size_t pick_column(std::size_t row, Rng& rng) const;
  void shake(Rng& rng);
  bool charge(std::size_t rows);
  void keep_if_best();

  const MatchProblem* problem_ = nullptr;
  Allowance* allowance_ = nullptr;
  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
  std::size_t places_ = 0;
  std::size_t words_ = 0;   ///< of one bit row
  std::size_t stride_ = 0;  ///< words_ · (1 + number of edge labels that count)
  std::vector<Label> edge_labels_;

  // The current map and what follows from it.
  struct State {
    std::vector<std::uint32_t> column_of;  ///< of each place
    std::vector<std::uint32_t> row_of;
    std::vector<Word> image;           ///< A: rows of `stride_` words
    std::vector<std::int32_t> profit;  ///< node profit + profit of the edges, each place
    std::int64_t total = 0;            ///< every edge once
  };
  State now_;
  State before_;

  std::vector<Word> adjacent_;                ///< B, the same layout
  std::vector<Word> row_adjacent_;            ///< neighbours of a row, words_ each
  std::vector<std::int32_t> node_profit_;     ///< rows_ × places_, then a row of zeros
  std::vector<Assignment::Cost> start_cost_;  ///< rows_ × columns_; empty until compared
  std::vector<std::int32_t> start_map_;
  std::vector<std::uint8_t> row_placed_;
  std::vector<std::uint8_t> column_placed_;
  std::vector<std::uint32_t> queue_;

  std::int64_t best_profit_ = 0;
  std::vector<std::int32_t> best_;
  bool started_ = false;
};

}  // namespace fewedits
