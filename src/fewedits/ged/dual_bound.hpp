// SPDX-License-Identifier: MIT
// The strong lower bound: a Lagrangian dual of the matching problem, improved by ascent.
//
// An edge {i,j} on an edge {u,v} saves its profit once; here the profit is split between the
// pairs (i,u) and (j,v). Given any split, every pair (i,u) is worth at most
//   node profit + the best matching of i's edges with u's edges by their shares,
// and an assignment of rows to columns by these values bounds the profit of all maps. Equal
// shares give the branch bound. improve() moves shares to where they are missed: what a pair's
// own matching does not need, and what the pair is worth less than the assignment's potentials
// allow, goes to the other end of the edge. Then no pair's worth passes its potentials, so the
// bound never falls (Hahn & Grant 1998 do this for dense quadratic assignment; sharing only along
// edges keeps a sweep at O(|Ea|·|Eb|) shares: 3,600 for two 30-atom molecules).
//
// All in whole numbers, scaled so that shares can be divided: the bound is exact arithmetic.
//
// For a tree search, pairs can be closed one by one (a domain for every row); the bound then
// holds for maps that use open pairs only.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fewedits/ged/allowance.hpp"
#include "fewedits/ged/assignment.hpp"
#include "fewedits/ged/match_problem.hpp"

namespace fewedits {

class DualBound {
 public:
  using Value = Assignment::Cost;

  /// Shares this many bytes at most; bind() refuses larger problems.
  static constexpr std::size_t kMostBytes = std::size_t{256} << 20;

  /// Takes on a new problem (which must outlive its use here, as must the allowance its work is
  /// charged to) with equal shares and all pairs open. False if it is too large.
  bool bind(const MatchProblem& problem, Allowance* allowance = nullptr);

  enum class Outcome { kBounded, kInfeasible, kOutOfBudget };
  /// Values all open pairs and solves the assignment. kInfeasible: no map uses open pairs only.
  /// kOutOfBudget: bound() is the one before; nothing else may be asked until it is kBounded.
  Outcome evaluate();
  /// One sweep of ascent (or part of it, when the budget ends); call evaluate() after it. Needs
  /// kBounded before.
  void improve();
  /// Closes open pairs that no map of cost ≤ `limit` can use, by the last evaluate().
  void close_hopeless(std::int64_t limit);

  /// Of the last evaluate(): no map over open pairs costs less.
  [[nodiscard]] std::int64_t bound() const {
    return (scaled_bound_ + scale_ - 1) / scale_ * problem_->grain();
  }
  /// The same before rounding up, and what the smallest difference of two costs is in its scale.
  [[nodiscard]] std::int64_t scaled_bound() const { return scaled_bound_; }
  [[nodiscard]] std::int64_t scaled_grain() const { return scale_; }
  /// The assignment behind it, a map by itself.
  [[nodiscard]] Columns assignment() const { return assignment_.columns(); }
  /// How much the bound would rise at least if the pair were forced.
  [[nodiscard]] Value reduced(std::size_t row, std::size_t column) const {
    return value_[row * columns_ + column] - assignment_.row_potentials()[row] -
           assignment_.column_potentials()[column];
  }

  [[nodiscard]] bool is_open(std::size_t row, std::size_t column) const {
    return open_[row * columns_ + column] != 0;
  }
  void close(std::size_t row, std::size_t column);
  [[nodiscard]] bool skip_is_open(std::size_t row) const {
    return !skip_.empty() && skip_[row] != Assignment::kForbidden;
  }
  void close_skip(std::size_t row) {
    if (!skip_.empty()) skip_[row] = Assignment::kForbidden;
  }
  /// Leaves the row only this column (or kSkipped), and the column only this row.
  void force(std::size_t row, std::int32_t column);

  /// What a tree search must put back: the domain and, with it, shares and values. Shares are
  /// large; a state saved without them keeps those of the moment (any are valid).
  struct State {
    std::vector<std::uint8_t> open;
    std::vector<Value> skip;
    std::vector<Value> shares;
    std::vector<Value> values;
    std::vector<std::uint8_t> stale;
  };
  void save(State& to, bool with_shares) const;
  void restore(const State& from);
  [[nodiscard]] std::size_t bytes_of_shares() const { return share_.size() * sizeof(Value); }

 private:
  /// The edges of a pair (i,u): rows and columns of a block of the share matrix.
  struct Block {
    Value* shares;  ///< top left; the stride is column_edges_
    const Node* row_ends;
    const Node* column_ends;
    std::size_t rows;
    std::size_t columns;
  };
  [[nodiscard]] Block block(std::size_t row, std::size_t column);
  bool charge_row(std::size_t row, const std::vector<std::uint8_t>& counted);
  Value match(const Block& block);
  Value match_row(const Block& block);
  Value match_column(const Block& block);
  Value match_loaded(std::size_t rows, std::size_t columns, Value* row_price, Value* column_price);
  Value settle_two(std::size_t columns, Value* row_price, Value* column_price);
  void augment_loaded(std::size_t rows, std::size_t columns, std::size_t row, Value* row_price,
                      Value* column_price);
  void give_away(const Block& block, std::size_t row, std::size_t column, Value spare);

  const MatchProblem* problem_ = nullptr;
  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
  std::size_t column_edges_ = 0;
  Value scale_ = 1;
  std::int64_t scaled_bound_ = 0;
  Allowance* allowance_ = nullptr;

  /// Edges of the rows × edges of the columns, both directions of each: minus the share.
  std::vector<Value> share_;
  std::vector<Value> node_cost_;  ///< minus the node profit
  std::vector<Value> value_;      ///< minus the worth of each pair
  std::vector<std::uint8_t> open_;
  std::vector<std::uint8_t> stale_;  ///< open, and its value does not follow from shares and domain
  std::vector<Value> skip_;          ///< empty if rows may not be skipped
  Assignment assignment_;
  Assignment::Start start_ = Assignment::Start::kCold;  ///< nothing of the last problem stays

  // One block's matching: its costs and the prices (potentials) that prove it.
  std::vector<Value> loaded_;
  std::vector<Value> row_price_;
  std::vector<Value> column_price_;
  std::vector<std::int32_t> row_at_;
  std::vector<std::int32_t> column_of_;
  std::vector<Value> distance_;
  std::vector<std::int32_t> reached_from_;
  std::vector<std::uint8_t> final_;
};

}  // namespace fewedits
