// SPDX-License-Identifier: MIT
#include "fewedits/ged/dual_bound.hpp"

#include <algorithm>
#include <cassert>
#include <limits>

namespace fewedits {
namespace {

using Value = DualBound::Value;

/// Shares are divided by small degrees; 720 = 6! divides evenly by most of them.
constexpr Value kScale = 720;

/// The largest scale at which every value fits an assignment with room to move; 0: there is none.
Value scale_for(const MatchProblem& problem) {
  const Profits& p = problem.profits();
  const std::int64_t node = std::max({std::abs(p.equal_node), std::abs(p.other_node), 1});
  std::int64_t degree = 0;
  for (Node i = 0; i < problem.num_rows(); ++i) {
    degree = std::max<std::int64_t>(degree, problem.rows().degree(i));
  }
  const std::int64_t largest = node + degree * std::max(1, p.equal_edge);
  const std::int64_t scale = Assignment::largest_entry(problem.num_rows()) / 4 / largest;
  return static_cast<Value>(std::min<std::int64_t>(scale & ~std::int64_t{1}, kScale));
}

}  // namespace

bool DualBound::bind(const MatchProblem& problem, Allowance* allowance) {
  const std::size_t row_edges = 2 * problem.rows().num_edges();
  const std::size_t column_edges = 2 * problem.columns().num_edges();
  const std::size_t pairs = problem.num_rows() * problem.num_columns();
  if (std::max(pairs, row_edges * column_edges) > kMostBytes / sizeof(Value)) return false;
  scale_ = scale_for(problem);
  if (scale_ == 0) return false;
  problem_ = &problem;
  allowance_ = allowance;
  rows_ = problem.num_rows();
  columns_ = problem.num_columns();
  column_edges_ = column_edges;
  scaled_bound_ = 0;
  start_ = Assignment::Start::kCold;

  const Graph& a = problem.rows();
  const Graph& b = problem.columns();
  share_.assign(row_edges * column_edges, -problem.profits().equal_edge * (scale_ / 2));
  if (problem.edge_labels_count()) {
    std::size_t at = 0;
    for (Node i = 0; i < rows_; ++i) {
      for (std::size_t e = 0; e < a.degree(i); ++e) {
        const Label label = a.has_edge_labels() ? a.edge_labels(i)[e] : 0;
        for (Node u = 0; u < columns_; ++u) {
          for (std::size_t f = 0; f < b.degree(u); ++f) {
            const Label other = b.has_edge_labels() ? b.edge_labels(u)[f] : 0;
            share_[at++] = -problem.edge_profit(label, other) * (scale_ / 2);
          }
        }
      }
    }
  }
  node_cost_.resize(rows_ * columns_);
  for (Node i = 0; i < rows_; ++i) {
    for (Node u = 0; u < columns_; ++u) {
      node_cost_[i * columns_ + u] = -problem.node_profit(i, u) * scale_;
    }
  }
  value_.resize(rows_ * columns_);
  open_.assign(rows_ * columns_, 1);
  stale_ = open_;
  skip_.assign(problem.may_skip() ? rows_ : 0, 0);

  std::size_t degree = 1;
  for (Node i = 0; i < rows_; ++i) degree = std::max<std::size_t>(degree, a.degree(i));
  for (Node u = 0; u < columns_; ++u) degree = std::max<std::size_t>(degree, b.degree(u));
  loaded_.resize(degree * degree);
  for (auto* prices : {&row_price_, &column_price_, &distance_}) prices->resize(degree);
  for (auto* indices : {&row_at_, &column_of_, &reached_from_}) indices->resize(degree);
  final_.resize(degree);
  return true;
}

DualBound::Block DualBound::block(std::size_t row, std::size_t column) {
  const Graph& a = problem_->rows();
  const Graph& b = problem_->columns();
  const std::uint32_t e = a.offsets()[row];
  const std::uint32_t f = b.offsets()[column];
  return {share_.data() + e * column_edges_ + f, a.targets().data() + e, b.targets().data() + f,
          a.offsets()[row + 1] - e, b.offsets()[column + 1] - f};
}

/// The best matching of the block's open entries and prices that prove it: no price is
/// positive, and row price + column price ≤ entry. Entries above zero are never worth taking.
Value DualBound::match(const Block& b) {
  if (b.rows == 0 || b.columns == 0) return 0;
  if (b.rows == 1) return match_row(b);
  if (b.columns == 1) return match_column(b);
  const bool wide = b.rows <= b.columns;
  const std::size_t rows = wide ? b.rows : b.columns;
  const std::size_t columns = wide ? b.columns : b.rows;
  const std::size_t row_step = wide ? columns : 1;
  const std::size_t column_step = wide ? 1 : columns;
  for (std::size_t j = 0; j < b.rows; ++j) {
    const std::uint8_t* open = &open_[b.row_ends[j] * columns_];
    for (std::size_t v = 0; v < b.columns; ++v) {
      const Value share = b.shares[j * column_edges_ + v];
      loaded_[j * row_step + v * column_step] =
          open[b.column_ends[v]] != 0 ? std::min(share, 0) : 0;
    }
  }
  return wide ? match_loaded(rows, columns, row_price_.data(), column_price_.data())
              : match_loaded(rows, columns, column_price_.data(), row_price_.data());
}

Value DualBound::match_row(const Block& b) {
  Value least = 0;
  const std::uint8_t* open = &open_[b.row_ends[0] * columns_];
  for (std::size_t v = 0; v < b.columns; ++v) {
    if (open[b.column_ends[v]] != 0) least = std::min(least, b.shares[v]);
    column_price_[v] = 0;
  }
  row_price_[0] = least;
  return least;
}

Value DualBound::match_column(const Block& b) {
  Value least = 0;
  for (std::size_t j = 0; j < b.rows; ++j) {
    if (open_[b.row_ends[j] * columns_ + b.column_ends[0]] != 0) {
      least = std::min(least, b.shares[j * column_edges_]);
    }
    row_price_[j] = 0;
  }
  column_price_[0] = least;
  return least;
}

/// Assignment of the loaded rows ≤ columns matrix, all entries ≤ 0.
///
/// PERF NOTE: this is the whole search's innermost loop; a block is 2 × 2 to 4 × 4 for
/// molecules, where Assignment's set-up would cost more than the solution. In most blocks the
/// rows' best columns differ and nothing is left to do.
Value DualBound::match_loaded(std::size_t rows, std::size_t columns, Value* row_price,
                              Value* column_price) {
  std::fill_n(column_price, columns, 0);
  std::fill_n(row_at_.data(), columns, -1);
  bool clash = false;
  Value total = 0;
  for (std::size_t j = 0; j < rows; ++j) {
    const Value* entry = &loaded_[j * columns];
    std::size_t best = 0;
    for (std::size_t v = 1; v < columns; ++v) best = entry[v] < entry[best] ? v : best;
    row_price[j] = entry[best];
    total += entry[best];
    if (row_at_[best] < 0) {
      row_at_[best] = static_cast<std::int32_t>(j);
      column_of_[j] = static_cast<std::int32_t>(best);
    } else {
      column_of_[j] = -1;
      clash = true;
    }
  }
  if (!clash) return total;
  if (rows == 2) return total + settle_two(columns, row_price, column_price);
  for (std::size_t j = 0; j < rows; ++j) {
    if (column_of_[j] < 0) augment_loaded(rows, columns, j, row_price, column_price);
  }
  total = 0;
  for (std::size_t j = 0; j < rows; ++j) total += row_price[j];
  for (std::size_t v = 0; v < columns; ++v) total += column_price[v];
  return total;
}

/// Two rows want the same column: the one that loses less by its second best yields.
Value DualBound::settle_two(std::size_t columns, Value* row_price, Value* column_price) {
  const auto wanted = static_cast<std::size_t>(column_of_[0]);
  Value least = std::numeric_limits<Value>::max();
  for (std::size_t j = 0; j < 2; ++j) {
    for (std::size_t v = 0; v < columns; ++v) {
      if (v != wanted) least = std::min(least, loaded_[j * columns + v] - row_price[j]);
    }
  }
  row_price[0] += least;
  row_price[1] += least;
  column_price[wanted] = -least;
  return least;
}

/// Shortest augmenting path, as in Assignment but for a handful of columns.
void DualBound::augment_loaded(std::size_t rows, std::size_t columns, std::size_t row,
                               Value* row_price, Value* column_price) {
  std::fill_n(distance_.data(), columns, std::numeric_limits<Value>::max());
  std::fill_n(final_.data(), columns, std::uint8_t{0});
  std::size_t now = row;
  Value length = 0;
  std::size_t end = 0;
  for (;;) {
    const Value* entry = &loaded_[now * columns];
    Value least = std::numeric_limits<Value>::max();
    for (std::size_t v = 0; v < columns; ++v) {
      if (final_[v] != 0) continue;
      const Value way = length + entry[v] - row_price[now] - column_price[v];
      if (way < distance_[v]) {
        distance_[v] = way;
        reached_from_[v] = static_cast<std::int32_t>(now);
      }
      if (distance_[v] < least) {
        least = distance_[v];
        end = v;
      }
    }
    length = least;
    if (row_at_[end] < 0) break;
    final_[end] = 1;
    now = static_cast<std::size_t>(row_at_[end]);
  }
  row_price[row] += length;
  for (std::size_t v = 0; v < columns; ++v) {
    if (final_[v] == 0) continue;
    column_price[v] -= length - distance_[v];
    row_price[row_at_[v]] += length - distance_[v];
  }
  for (std::size_t step = 0; step <= rows; ++step) {
    const auto from = static_cast<std::size_t>(reached_from_[end]);
    row_at_[end] = static_cast<std::int32_t>(from);
    const std::int32_t before = column_of_[from];
    column_of_[from] = static_cast<std::int32_t>(end);
    if (from == row) return;
    end = static_cast<std::size_t>(before);
  }
}

/// Pays for valuing the counted pairs of a row: a unit each, more where blocks are large (their
/// matching is cubic). True once the budget is spent.
bool DualBound::charge_row(std::size_t row, const std::vector<std::uint8_t>& counted) {
  if (allowance_ == nullptr) return false;
  const std::size_t degree = problem_->rows().degree(static_cast<Node>(row));
  std::uint64_t units = 0;
  for (Node u = 0; u < columns_; ++u) {
    if (counted[row * columns_ + u] == 0) continue;
    const std::size_t other = problem_->columns().degree(u);
    units += 1 + degree * other * std::min(degree, other) / 64;
  }
  return allowance_->charge(units);
}

/// PERF NOTE: giving a row its column changes the values around it only, and a node of a search
/// tree that is cut off right after that needs no others.
DualBound::Outcome DualBound::evaluate() {
  for (std::size_t i = 0; i < rows_; ++i) {
    if (charge_row(i, stale_)) return Outcome::kOutOfBudget;
    for (std::size_t u = 0; u < columns_; ++u) {
      const std::size_t at = i * columns_ + u;
      if (stale_[at] == 0) continue;
      value_[at] = node_cost_[at] + match(block(i, u));
      stale_[at] = 0;
    }
  }
  if (allowance_ != nullptr) allowance_->charge(assignment_work(rows_, columns_));
  const bool solved =
      assignment_.solve({rows_, columns_, value_.data(), skip_}, start_, allowance_);
  start_ = Assignment::Start::kWarm;
  if (!solved && allowance_ != nullptr && allowance_->out_of_time()) return Outcome::kOutOfBudget;
  if (!solved) return Outcome::kInfeasible;
  scaled_bound_ = problem_->total() * scale_ + assignment_.total();
  return Outcome::kBounded;
}

void DualBound::improve() {
  const auto row_potential = assignment_.row_potentials();
  const auto column_potential = assignment_.column_potentials();
  const auto most = 16 * scale_;
  stale_ = open_;
  for (std::size_t i = 0; i < rows_; ++i) {
    if (charge_row(i, open_)) return;
    for (std::size_t u = 0; u < columns_; ++u) {
      const std::size_t at = i * columns_ + u;
      if (open_[at] == 0) continue;
      const Block b = block(i, u);
      if (b.rows == 0 || b.columns == 0) continue;
      const Value worth = node_cost_[at] + match(b);
      const Value spare = worth - row_potential[i] - column_potential[u];
      assert(spare >= 0);
      // Not all of it: pairs visited first would strip themselves of all slack, and the ascent
      // would end far below what shares can reach (golden Mutagenicity pairs: 82.2 % of the
      // distance instead of 91.7 %).
      give_away(b, i, u, std::min(spare, most) / 5 * 4);
    }
  }
}

/// Leaves the pair what its prices need, less `spare`, and adds the rest at the other ends. At
/// most min(rows, columns) entries are ever matched, so each may lose that fraction of `spare`.
void DualBound::give_away(const Block& b, std::size_t row, std::size_t column, Value spare) {
  const auto each = spare / static_cast<Value>(std::min(b.rows, b.columns));
  const std::uint32_t* row_reverse =
      problem_->prepared_rows().reverse_edge().data() + problem_->rows().offsets()[row];
  const std::uint32_t* column_reverse =
      problem_->prepared_columns().reverse_edge().data() + problem_->columns().offsets()[column];
  for (std::size_t j = 0; j < b.rows; ++j) {
    const std::uint8_t* open = &open_[b.row_ends[j] * columns_];
    Value* other = share_.data() + row_reverse[j] * column_edges_;
    for (std::size_t v = 0; v < b.columns; ++v) {
      if (open[b.column_ends[v]] == 0) continue;
      Value& share = b.shares[j * column_edges_ + v];
      const Value rest = share - (row_price_[j] + column_price_[v] - each);
      share -= rest;
      other[column_reverse[v]] += rest;
    }
  }
}

void DualBound::close(std::size_t row, std::size_t column) {
  const std::size_t at = row * columns_ + column;
  if (open_[at] == 0) return;
  open_[at] = 0;
  stale_[at] = 0;
  value_[at] = Assignment::kForbidden;
  // The pairs whose edges lead here can no longer count on it.
  for (const Node i : problem_->rows().neighbours(static_cast<Node>(row))) {
    for (const Node u : problem_->columns().neighbours(static_cast<Node>(column))) {
      stale_[i * columns_ + u] = open_[i * columns_ + u];
    }
  }
}

void DualBound::save(State& to, bool with_shares) const {
  to.open = open_;
  to.skip = skip_;
  to.shares.clear();
  if (!with_shares) return;
  to.shares = share_;
  to.values = value_;
  to.stale = stale_;
}

void DualBound::restore(const State& from) {
  open_ = from.open;
  skip_ = from.skip;
  if (!from.shares.empty()) {
    share_ = from.shares;
    value_ = from.values;
    stale_ = from.stale;
    return;
  }
  stale_ = open_;
  for (std::size_t at = 0; at < value_.size(); ++at) {
    if (open_[at] == 0) value_[at] = Assignment::kForbidden;
  }
}

void DualBound::close_hopeless(std::int64_t limit) {
  // A map of cost ≤ limit leaves this much above the bound.
  const std::int64_t room = limit / problem_->grain() * scale_ - scaled_bound_;
  for (std::size_t i = 0; i < rows_; ++i) {
    for (std::size_t u = 0; u < columns_; ++u) {
      if (open_[i * columns_ + u] != 0 && reduced(i, u) > room) close(i, u);
    }
    if (skip_is_open(i) && skip_[i] - assignment_.row_potentials()[i] > room) close_skip(i);
  }
}

void DualBound::force(std::size_t row, std::int32_t column) {
  for (std::size_t u = 0; u < columns_; ++u) {
    if (static_cast<std::int32_t>(u) != column) close(row, u);
  }
  if (column == kSkipped) return;
  close_skip(row);
  for (std::size_t i = 0; i < rows_; ++i) {
    if (i != row) close(i, static_cast<std::size_t>(column));
  }
}

}  // namespace fewedits
