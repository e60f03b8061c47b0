// SPDX-License-Identifier: MIT
#include "fewedits/ged/map_search.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdlib>

#include "fewedits/base/bit_rows.hpp"
#include "fewedits/base/target_clones.hpp"

namespace fewedits {
namespace {

using Word = std::uint64_t;

constexpr std::size_t kWordBits = 64;

std::int32_t bits_in_common(const Word* a, const Word* b, std::size_t words) {
  return static_cast<std::int32_t>(count_common({a, words}, {b, words}));
}

bool bit(const Word* words, std::size_t at) {
  return ((words[at / kWordBits] >> (at % kWordBits)) & 1) != 0;
}
void flip(Word* words, std::size_t at) { words[at / kWordBits] ^= Word{1} << (at % kWordBits); }

using Shells = PreparedGraph::Shells;

/// How much each distance weighs in a start map, and a different label.
struct StartWeights {
  std::array<std::int32_t, PreparedGraph::kShells> shell;
  std::int32_t label;
};
constexpr std::array<StartWeights, MapSearch::kStarts> kStartWeights = {
    {{{8, 4, 2, 1}, 8}, {{4, 4, 4, 4}, 12}, {{6, 2, 0, 0}, 6}}};

/// Weighted difference of the surroundings of one row to those of all columns.
///
/// PERF NOTE: left to itself GCC 12 unrolls the inner loop into scalar code; kept whole it becomes
/// one psadbw, which halves the time of a start map.
FEWEDITS_TARGET_CLONES void compare_shells(const Shells& row, const Shells* columns,
                                           std::size_t count, const StartWeights& weights,
                                           std::int32_t* out) {
  for (std::size_t u = 0; u < count; ++u) {
    std::int32_t sum = 0;
    for (std::size_t s = 0; s < PreparedGraph::kShells; ++s) {
      std::int32_t part = 0;
#pragma GCC unroll 1
      for (std::size_t f = 0; f < PreparedGraph::kFolds; ++f) {
        const std::size_t at = s * PreparedGraph::kFolds + f;
        part += std::abs(std::int32_t{row[at]} - std::int32_t{columns[u][at]});
      }
      sum += part * weights.shell[s];
    }
    out[u] = sum;
  }
}

/// A descent by one word per row; see descend_small.
struct SmallProblem {
  std::size_t rows;
  std::size_t places;
  std::int32_t edge_profit;
  std::uint32_t* column_of;
  Word* image;
  std::int32_t* profit;
  const Word* adjacent;
  const Word* row_adjacent;
  const std::int32_t* node_profit;
};

/// The first improving swap from (i, j) on in cyclic order by rows; false if there is none
/// within one round. On success (i, j) is that swap and `gain` what it brings.
///
/// PERF NOTE: the inner loop of a descent: 435 swaps for 30 rows and places, each two popcounts
/// and two table lookups.
FEWEDITS_TARGET_CLONES bool find_swap(const SmallProblem& p, std::size_t& from_row,
                                      std::size_t& from_place, std::int32_t& gain) {
  std::size_t start = from_place;
  std::size_t i = from_row;
  for (std::size_t visited = 0; visited <= p.rows; ++visited) {
    const std::uint32_t x = p.column_of[i];
    const Word image = p.image[i];
    const Word around_x = p.adjacent[x];
    const Word near = p.row_adjacent[i];
    const std::int32_t* node_profit = p.node_profit + i * p.places;
    const std::int32_t own = p.profit[i];
    for (std::size_t j = start; j < p.rows; ++j) {
      const std::uint32_t y = p.column_of[j];
      const std::int32_t edges = std::popcount(image & p.adjacent[y]) +
                                 std::popcount(p.image[j] & around_x) +
                                 2 * static_cast<std::int32_t>((near >> j) & (around_x >> y) & 1);
      gain = edges * p.edge_profit + node_profit[y] + p.node_profit[j * p.places + x] - own -
             p.profit[j];
      if (gain > 0) {
        from_row = i;
        from_place = j;
        return true;
      }
    }
    for (std::size_t j = std::max(start, p.rows); j < p.places; ++j) {
      const std::uint32_t y = p.column_of[j];
      gain = std::popcount(image & p.adjacent[y]) * p.edge_profit + node_profit[y] - own;
      if (gain > 0) {
        from_row = i;
        from_place = j;
        return true;
      }
    }
    i = i + 1 == p.rows ? 0 : i + 1;
    start = i + 1;
  }
  return false;
}

/// The same where labels of edges count: after the word of all edges a row has one for each label.
/// An edge saves most if its label agrees: `all.edge_profit`.
struct LabelledProblem {
  SmallProblem all;
  std::size_t stride;
  std::int32_t other_edge;  ///< an edge of another label saves that,
  std::int32_t same_label;  ///< and one of the same label so much more
  const MatchProblem* problem;
};

inline std::int32_t saved_by_edges(const LabelledProblem& p, const Word* image,
                                   const Word* around) {
  std::int32_t same = 0;
  for (std::size_t l = 1; l < p.stride; ++l) same += std::popcount(image[l] & around[l]);
  return p.other_edge * std::popcount(image[0] & around[0]) + p.same_label * same;
}

/// PERF NOTE: nearly all swaps would not do even if all labels agreed; the words of the labels are
/// looked at for the others only.
FEWEDITS_TARGET_CLONES bool find_labelled_swap(const LabelledProblem& p, std::size_t& from_row,
                                               std::size_t& from_place, std::int32_t& gain) {
  const SmallProblem& all = p.all;
  std::size_t start = from_place;
  std::size_t i = from_row;
  for (std::size_t visited = 0; visited <= all.rows; ++visited) {
    const std::uint32_t x = all.column_of[i];
    const Word* image = all.image + i * p.stride;
    const Word* around_x = all.adjacent + x * p.stride;
    const Word near = all.row_adjacent[i];
    const std::int32_t* node_profit = all.node_profit + i * all.places;
    const std::int32_t own = all.profit[i];
    for (std::size_t j = start; j < all.places; ++j) {
      const std::uint32_t y = all.column_of[j];
      const Word* around_y = all.adjacent + y * p.stride;
      const bool has_row = j < all.rows;
      const Word* image_j = all.image + (has_row ? j : 0) * p.stride;
      const bool stays = has_row && ((near >> j) & (around_x[0] >> y) & 1) != 0;
      const std::int32_t others =
          node_profit[y] - own +
          (has_row ? all.node_profit[j * all.places + x] - all.profit[j] : 0);
      const std::int32_t edges = std::popcount(image[0] & around_y[0]) +
                                 (has_row ? std::popcount(image_j[0] & around_x[0]) : 0) +
                                 (stays ? 2 : 0);
      gain = others + edges * all.edge_profit;
      if (gain <= 0) continue;  // not even if all labels agreed
      gain = others + saved_by_edges(p, image, around_y);
      if (has_row) gain += saved_by_edges(p, image_j, around_x);
      if (stays) {
        gain += 2 * p.problem->edge_profit(
                        p.problem->rows().edge_label(static_cast<Node>(i), static_cast<Node>(j)),
                        p.problem->columns().edge_label(x, y));
      }
      if (gain > 0) {
        from_row = i;
        from_place = j;
        return true;
      }
    }
    i = i + 1 == all.rows ? 0 : i + 1;
    start = i + 1;
  }
  return false;
}

}  // namespace

void MapSearch::bind(const MatchProblem& problem, Allowance* allowance) {
  problem_ = &problem;
  allowance_ = allowance;
  started_ = false;
  lay_out(problem);
  best_profit_ = 0;
  best_.assign(rows_, kSkipped);
  start_cost_.clear();
  if (!problem.may_skip()) {
    // Any full map is at least as good as none; the first descent replaces it.
    for (std::size_t i = 0; i < rows_; ++i) best_[i] = static_cast<std::int32_t>(i);
    best_profit_ = problem.total() - problem.cost(best_) / problem.grain();
  }
}

void MapSearch::lay_out(const MatchProblem& problem) {
  rows_ = problem.num_rows();
  columns_ = problem.num_columns();
  places_ = problem.may_skip() ? rows_ + columns_ : columns_;
  words_ = (places_ + kWordBits - 1) / kWordBits;
  edge_labels_.clear();
  if (problem.edge_labels_count()) {
    for (const auto& [label, count] : problem.prepared_rows().profile().edge_labels) {
      edge_labels_.push_back(label);
    }
  }
  stride_ = words_ * (1 + edge_labels_.size());

  const Graph& columns = problem.columns();
  adjacent_.assign(places_ * stride_, 0);
  for (Node u = 0; u < columns_; ++u) {
    const auto labels = columns.edge_labels(u);
    const auto near = columns.neighbours(u);
    for (std::size_t e = 0; e < near.size(); ++e) {
      Word* row = &adjacent_[u * stride_];
      const std::size_t layer = layer_of(labels, e);
      flip(row, near[e]);
      if (layer != 0) flip(row + layer, near[e]);
    }
  }
  row_adjacent_.assign(rows_ * words_, 0);
  node_profit_.assign((rows_ + 1) * places_, 0);
  for (Node i = 0; i < rows_; ++i) {
    for (const Node j : problem.rows().neighbours(i)) flip(&row_adjacent_[i * words_], j);
    for (Node u = 0; u < columns_; ++u) node_profit_[i * places_ + u] = problem.node_profit(i, u);
  }
  now_.column_of.resize(places_);
  now_.row_of.resize(places_);
  now_.profit.resize(places_);
}

/// Where in a row's words the edges of that label begin; 0, where all edges do, if there are no
/// words of its own.
std::size_t MapSearch::layer_of(std::span<const Label> labels, std::size_t edge) const {
  const Label label = labels.empty() ? 0 : labels[edge];
  const auto at = std::lower_bound(edge_labels_.begin(), edge_labels_.end(), label);
  if (at == edge_labels_.end() || *at != label) return 0;
  return words_ * static_cast<std::size_t>(1 + (at - edge_labels_.begin()));
}

/// How different the surroundings of each row and column are.
void MapSearch::compare_surroundings(int variant) {
  const StartWeights& weights = kStartWeights[static_cast<std::size_t>(variant % kStarts)];
  const auto row_shells = problem_->prepared_rows().shells();
  const auto column_shells = problem_->prepared_columns().shells();
  start_cost_.resize(rows_ * columns_);
  for (std::size_t i = 0; i < rows_; ++i) {
    std::int32_t* cost = &start_cost_[i * columns_];
    compare_shells(row_shells[i], column_shells.data(), columns_, weights, cost);
    const Label label = problem_->rows().label(static_cast<Node>(i));
    const auto labels = problem_->columns().labels();
    for (std::size_t u = 0; u < columns_; ++u) cost[u] += labels[u] == label ? 0 : weights.label;
  }
}

void MapSearch::start(int variant, Assignment& assignment) {
  compare_surroundings(variant);
  // A part of it is as good a start as any, if that is all there is time for.
  assignment.solve({rows_, columns_, start_cost_.data(), {}}, Assignment::Start::kCold, allowance_);
  start_from(assignment.columns());
}

void MapSearch::start_from(Columns map) {
  constexpr std::uint32_t kFree = ~0U;
  std::fill(now_.row_of.begin(), now_.row_of.end(), kFree);
  for (std::size_t i = 0; i < rows_; ++i) {
    // A skipped row takes an empty column of its own, where there are any.
    std::uint32_t column = kFree;
    if (map[i] != kSkipped) column = static_cast<std::uint32_t>(map[i]);
    if (map[i] == kSkipped && places_ > columns_) column = static_cast<std::uint32_t>(columns_ + i);
    now_.column_of[i] = column;
    if (column != kFree) now_.row_of[column] = static_cast<std::uint32_t>(i);
  }
  std::size_t next = 0;
  for (std::size_t place = 0; place < places_; ++place) {
    if (place < rows_ && now_.column_of[place] != kFree) continue;
    while (now_.row_of[next] != kFree) ++next;
    now_.column_of[place] = static_cast<std::uint32_t>(next);
    now_.row_of[next] = static_cast<std::uint32_t>(place);
  }
  reset_images();
  started_ = true;
  descend();
  keep_if_best();
}

void MapSearch::reset_images() {
  now_.image.assign(places_ * stride_, 0);
  const Graph& rows = problem_->rows();
  for (Node i = 0; i < rows_; ++i) {
    const auto near = rows.neighbours(i);
    const auto labels = rows.edge_labels(i);
    for (std::size_t e = 0; e < near.size(); ++e) {
      Word* row = &now_.image[i * stride_];
      const std::size_t layer = layer_of(labels, e);
      flip(row, now_.column_of[near[e]]);
      if (layer != 0) flip(row + layer, now_.column_of[near[e]]);
    }
  }
  std::int64_t twice_edges = 0;
  std::int64_t nodes = 0;
  for (std::size_t place = 0; place < places_; ++place) {
    refresh(place);
    if (place >= rows_) continue;
    const std::int32_t node = node_profit_[place * places_ + now_.column_of[place]];
    nodes += node;
    twice_edges += now_.profit[place] - node;
  }
  now_.total = nodes + twice_edges / 2;
}

/// Profit of the edges at `row` if its column were `column`.
std::int32_t MapSearch::shared(std::size_t row, std::size_t column) const {
  const Word* image = &now_.image[row * stride_];
  const Word* around = &adjacent_[column * stride_];
  const Profits& p = problem_->profits();
  const std::int32_t edges = bits_in_common(image, around, words_);
  if (edge_labels_.empty()) return edges * p.equal_edge;
  const std::int32_t equal = bits_in_common(image + words_, around + words_, stride_ - words_);
  return equal * p.equal_edge + (edges - equal) * p.other_edge;
}

void MapSearch::refresh(std::size_t place) {
  if (place >= rows_) {
    now_.profit[place] = 0;
    return;
  }
  const std::size_t column = now_.column_of[place];
  now_.profit[place] = node_profit_[place * places_ + column] + shared(place, column);
}

std::int32_t MapSearch::gain(std::size_t i, std::size_t j) const {
  const std::size_t x = now_.column_of[i];
  const std::size_t y = now_.column_of[j];
  const std::size_t profit_row = std::min(j, rows_);  // padding has the row of zeros
  std::int32_t gain = shared(i, y) + shared(j, x) + node_profit_[i * places_ + y] +
                      node_profit_[profit_row * places_ + x] - now_.profit[i] - now_.profit[j];
  if (j < rows_ && bit(&row_adjacent_[i * words_], j) && bit(&adjacent_[x * stride_], y)) {
    const auto row = static_cast<Node>(i);
    const auto column = static_cast<Node>(x);
    gain += 2 * problem_->edge_profit(problem_->rows().edge_label(row, static_cast<Node>(j)),
                                      problem_->columns().edge_label(column, static_cast<Node>(y)));
  }
  return gain;
}

/// Exchanges two columns and brings the images and profits of the neighbours up to date; the
/// total is the caller's.
void MapSearch::swap(std::size_t i, std::size_t j) {
  const std::uint32_t x = now_.column_of[i];
  const std::uint32_t y = now_.column_of[j];
  const Graph& rows = problem_->rows();
  for (const std::size_t moved : {i, j}) {
    if (moved >= rows_) continue;
    const auto near = rows.neighbours(static_cast<Node>(moved));
    const auto labels = rows.edge_labels(static_cast<Node>(moved));
    for (std::size_t e = 0; e < near.size(); ++e) {
      Word* image = &now_.image[near[e] * stride_];
      flip(image, x);
      flip(image, y);
      const std::size_t layer = layer_of(labels, e);
      if (layer == 0) continue;
      flip(image + layer, x);
      flip(image + layer, y);
    }
  }
  now_.column_of[i] = y;
  now_.column_of[j] = x;
  now_.row_of[y] = static_cast<std::uint32_t>(i);
  now_.row_of[x] = static_cast<std::uint32_t>(j);
  for (const std::size_t moved : {i, j}) {
    refresh(moved);
    if (moved >= rows_) continue;
    for (const Node near : rows.neighbours(static_cast<Node>(moved))) refresh(near);
  }
}

/// Pays for a descent over some rows; a unit is about 16 swaps of one word each.
bool MapSearch::charge(std::size_t rows) {
  return allowance_ != nullptr && allowance_->charge(1 + rows * places_ * stride_ / 16);
}

void MapSearch::descend() {
  if (rows_ == 0) return;
  if (stride_ == 1) {
    descend_small();
  } else if (words_ == 1) {
    descend_small_labelled();
  } else {
    descend_any();
  }
}

void MapSearch::descend_small() {
  const SmallProblem small{rows_,
                           places_,
                           problem_->profits().equal_edge,
                           now_.column_of.data(),
                           now_.image.data(),
                           now_.profit.data(),
                           adjacent_.data(),
                           row_adjacent_.data(),
                           node_profit_.data()};
  charge(rows_);
  std::size_t i = 0;
  std::size_t j = 1;
  std::int32_t gained = 0;
  while (find_swap(small, i, j, gained)) {
    swap(i, j);
    now_.total += gained;
    ++j;
  }
}

void MapSearch::descend_small_labelled() {
  const Profits& profits = problem_->profits();
  const LabelledProblem small{
      {rows_, places_, profits.equal_edge, now_.column_of.data(), now_.image.data(),
       now_.profit.data(), adjacent_.data(), row_adjacent_.data(), node_profit_.data()},
      stride_,
      profits.other_edge,
      profits.equal_edge - profits.other_edge,
      problem_};
  charge(rows_);
  std::size_t i = 0;
  std::size_t j = 1;
  std::int32_t gained = 0;
  while (find_labelled_swap(small, i, j, gained)) {
    swap(i, j);
    now_.total += gained;
    ++j;
  }
}

void MapSearch::descend_any() {
  bool improved = true;
  while (improved) {
    improved = false;
    for (std::size_t i = 0; i < rows_; ++i) {
      if (charge(1)) return;  // the map is valid at any time
      for (std::size_t j = i + 1; j < places_; ++j) {
        const std::int32_t gained = gain(i, j);
        if (gained <= 0) continue;
        swap(i, j);
        now_.total += gained;
        improved = true;
      }
    }
  }
}

/// Puts `row` on `column` and draws neighbours along, breadth-first, up to `most` rows.
void MapSearch::regrow(std::size_t row, std::size_t column, std::size_t most, Rng& rng) {
  row_placed_.assign(rows_, 0);
  column_placed_.assign(places_, 0);
  queue_.clear();
  const auto place = [&](std::size_t r, std::size_t c) {
    const std::size_t other = now_.row_of[c];
    if (other != r) {
      now_.total += gain(std::min(r, other), std::max(r, other));
      swap(r, other);
    }
    row_placed_[r] = 1;
    column_placed_[c] = 1;
    queue_.push_back(static_cast<std::uint32_t>(r));
  };
  place(row, column);
  for (std::size_t head = 0; head < queue_.size() && queue_.size() < most; ++head) {
    const Node r = queue_[head];
    if (now_.column_of[r] >= columns_) continue;
    const Node c = now_.column_of[r];
    for (const Node next : problem_->rows().neighbours(r)) {
      if (row_placed_[next] != 0) continue;
      std::int32_t best = -1000000;
      Node to = c;
      for (const Node candidate : problem_->columns().neighbours(c)) {
        if (column_placed_[candidate] != 0) continue;
        // Ties, and near ties, are broken at random: the next kick may do otherwise.
        const std::int32_t score =
            static_cast<std::int32_t>(rng.next() >> 60) - start_cost_[next * columns_ + candidate];
        if (score > best) {
          best = score;
          to = candidate;
        }
      }
      if (to != c) place(next, to);
    }
  }
}

/// A row that could still gain, if a few tries find one.
std::size_t MapSearch::pick_row(Rng& rng) const {
  const Profits& p = problem_->profits();
  std::size_t row = 0;
  for (int t = 0; t < 4; ++t) {
    row = rng.below(rows_);
    const auto degree = static_cast<std::int32_t>(problem_->rows().degree(static_cast<Node>(row)));
    if (now_.profit[row] < p.equal_node + degree * p.equal_edge) break;
  }
  return row;
}

/// The most similar of a few random columns.
std::size_t MapSearch::pick_column(std::size_t row, Rng& rng) const {
  std::size_t best = rng.below(columns_);
  for (int t = 0; t < 4; ++t) {
    const std::size_t column = rng.below(columns_);
    if (start_cost_[row * columns_ + column] < start_cost_[row * columns_ + best]) best = column;
  }
  return best;
}

/// Three random swaps.
void MapSearch::shake(Rng& rng) {
  for (int s = 0; s < 3; ++s) {
    const std::size_t i = rng.below(rows_);
    const std::size_t j = rng.below(places_);
    if (i == j) continue;
    now_.total += gain(std::min(i, j), std::max(i, j));
    swap(i, j);
  }
}

void MapSearch::kick(int count, std::int64_t goal, Rng& rng) {
  if (rows_ == 0 || places_ < 2) return;
  assert(started_);
  if (start_cost_.empty()) compare_surroundings(0);
  for (int k = 0; k < count && best_cost() > goal; ++k) {
    if (allowance_ != nullptr && allowance_->spent()) return;
    before_ = now_;
    if (k % 16 == 15) {
      shake(rng);
    } else {
      const std::size_t row = pick_row(rng);
      const std::size_t column = pick_column(row, rng);
      regrow(row, column, k % 2 == 0 ? rows_ : 3 + rng.below(rows_), rng);
    }
    descend();
    keep_if_best();
    if (now_.total < before_.total) std::swap(now_, before_);
  }
}

void MapSearch::keep_if_best() {
  if (now_.total <= best_profit_) return;
  best_profit_ = now_.total;
  for (std::size_t i = 0; i < rows_; ++i) {
    best_[i] =
        now_.column_of[i] < columns_ ? static_cast<std::int32_t>(now_.column_of[i]) : kSkipped;
  }
}

}  // namespace fewedits
