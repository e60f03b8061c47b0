// SPDX-License-Identifier: MIT
#include "fewedits/search/climb/map_keeper.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "fewedits/ged/lower_bound.hpp"
#include "fewedits/ged/swap_descent.hpp"

namespace fewedits {
namespace {

/// A neighbour may be so much nearer: a cost changes by 2 at most, and a limit by 1. Longer steps
/// rarely do more.
constexpr std::int32_t kMostNearer = 3;

/// Steps between looks at a map of graphs that are too large to check exchanges.
constexpr std::uint32_t kLargePeriod = 4;
constexpr std::uint32_t kIdlePeriod = 8;  ///< steps between looks at an input beyond reach
/// Fresh starts: every 4 steps, after failures more and more rarely.
constexpr std::uint32_t kStartPeriod = 4;
constexpr std::uint32_t kMostFailures = 4;
constexpr int kAdmitKicks = 2;
constexpr int kStartKicks = 6;
constexpr std::uint32_t kKickPeriod = 3;
constexpr int kNearKicks = 3;
constexpr int kDeepKicks = 10;
constexpr int kDeepStarts = 2;
constexpr std::int32_t kDeepBeyond = 5;  ///< edits
/// In the units of GedBudget; here and in the search they take some 0.1 µs each.
constexpr std::uint64_t kMendWork = 5;
constexpr std::uint64_t kStepsPerUnit = 12;  ///< steps of several edits, each to one input

/// How far from theta a map is worth looking at every step.
std::int32_t near(std::int32_t limit) { return 3 + limit / 3; }

}  // namespace

MapKeeper::MapKeeper(std::span<const PreparedGraph> inputs, const Alphabet& alphabet,
                     const StopSign* stop)
    : inputs_(inputs),
      costs_(alphabet.costs),
      stop_(stop),
      graph_(std::make_shared<PreparedGraph>(Graph())),
      state_(inputs.size()),
      changes_(costs_),
      step_changes_(costs_),
      neighbours_(alphabet.num_labels, alphabet.num_edge_labels, costs_) {}

std::size_t MapKeeper::num_covered() {
  std::size_t covered = 0;
  for (std::size_t i = 0; i < inputs_.size(); ++i)
    covered += counts_[i] != 0 && covers(i) ? 1U : 0U;
  return covered;
}

void MapKeeper::reset(const Graph& graph, const SoftCover& soft, std::vector<std::uint8_t> counts,
                      Rng& rng, const KnownMaps* known) {
  graph_ = known != nullptr ? known->graph : std::make_shared<PreparedGraph>(graph);
  counts_ = std::move(counts);
  step_ = 0;
  worth_.reset(soft);
  state_.assign(inputs_.size(), {});
  if (known != nullptr) take_over(*known);
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    check_stop_at(i);
    if (state_[i].map.empty() && state_[i].lower <= reach(i)) admit(i, rng);
  }
  work_ += inputs_.size();
}

void MapKeeper::take_over(const KnownMaps& known) {
  const auto n = static_cast<std::ptrdiff_t>(graph().num_nodes());
  for (std::size_t i = 0; i < inputs_.size(); ++i) state_[i].lower = known.lower[i];
  auto image = known.images.begin();
  for (std::size_t m = 0; m < known.mapped.size(); ++m, image += n) {
    Input& input = state_[known.mapped[m]];
    input.cost = known.cost[m];
    input.map.assign(image, image + n);
  }
}

KnownMaps MapKeeper::known() const {
  KnownMaps out;
  out.graph = graph_;
  for (std::uint32_t i = 0; i < state_.size(); ++i) {
    const Input& input = state_[i];
    out.lower.push_back(input.lower);
    if (input.map.empty()) continue;
    out.mapped.push_back(i);
    out.cost.push_back(input.cost);
    out.images.insert(out.images.end(), input.map.begin(), input.map.end());
  }
  return out;
}

void MapKeeper::move(std::span<const Edit> step, Graph moved, Rng& rng) {
  step.size() == 1 ? carry(step.front()) : carry(step);
  graph_ = std::make_shared<PreparedGraph>(std::move(moved));
  ++step_;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    check_stop_at(i);
    improve(i, rng);
  }
}

/// All maps, to the graph after the edit.
void MapKeeper::carry(const Edit& edit) {
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    check_stop_at(i);
    Input& input = state_[i];
    input.lower = std::max(0, input.lower - cost_of(edit.kind));
    if (input.map.empty()) continue;
    ++work_;
    changes_.bind(graph(), inputs_[i].graph(), input.map, edit.kind == Edit::Kind::kAddLeaf);
    input.cost += changes_.change(edit);
    if (cost_of(edit.kind) == 2) input.map = changes_.map_of(edit);
  }
  touched_ = touched_by(graph(), edit);
  freed_ = edit.kind == Edit::Kind::kRemoveLeaf;
}

void MapKeeper::carry(std::span<const Edit> step) {
  effects_.list(graph(), step);
  // How far the two graphs are apart at most: edits of a step may undo each other.
  NodeMap itself(graph().num_nodes());
  std::iota(itself.begin(), itself.end(), Node{0});
  step_changes_.bind(effects_, graph(), itself);
  const int apart = std::min(cost_of(step), step_changes_.change(0));
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    check_stop_at(i);
    Input& input = state_[i];
    input.lower = std::max(0, input.lower - apart);
    if (input.map.empty()) continue;
    ++work_;
    step_changes_.bind(effects_, inputs_[i].graph(), input.map);
    input.cost += step_changes_.change(0);
    input.map = step_changes_.map_of(0);
  }
  touched_ = touched_by(graph(), step);
  freed_ = std::any_of(step.begin(), step.end(),
                       [](const Edit& edit) { return edit.kind == Edit::Kind::kRemoveLeaf; });
}

/// Follows the last step, before which the map could not be improved by an exchange.
void MapKeeper::mend(std::size_t i, Rng& rng) {
  Input& input = state_[i];
  if (can_descend_by_swaps(*graph_, inputs_[i], costs_.relabel_edge)) {
    input.cost -=
        descend_by_swaps(*graph_, inputs_[i], input.map, touched_, freed_, costs_.relabel_edge);
    work_ += kMendWork;
  } else if (counts_[i] != 0 && input.cost <= reach(i) && (step_ + i) % kLargePeriod == 0) {
    search(i, false, 0, rng);
  }
}

void MapKeeper::raise_lower(std::size_t i, std::int64_t bound) {
  state_[i].lower = std::max(state_[i].lower, static_cast<std::int32_t>(bound));
}

void MapKeeper::raise_by_branches(std::size_t i) {
  check_stop();
  Allowance time({.stop = stop_});
  raise_lower(i, branch_bound(*graph_, inputs_[i], costs_, &time));
  work_ += 1 + assignment_work(graph().num_nodes(), inputs_[i].graph().num_nodes());
}

/// Gives the input a map, unless it is out of reach.
void MapKeeper::admit(std::size_t i, Rng& rng) {
  raise_lower(i, degree_bound(graph_->profile(), inputs_[i].profile(), costs_));
  if (state_[i].lower > reach(i)) return;
  raise_by_branches(i);
  if (state_[i].lower <= reach(i)) search(i, true, kAdmitKicks, rng);
}

/// Drops the map of an input that cannot be within reach.
bool MapKeeper::forget(std::size_t i) {
  raise_lower(i, degree_bound(graph_->profile(), inputs_[i].profile(), costs_));
  if (state_[i].lower <= reach(i)) return false;
  state_[i].map.clear();
  state_[i].cost = kNoMap;
  return true;
}

void MapKeeper::improve(std::size_t i, Rng& rng) {
  Input& input = state_[i];
  const auto turn = static_cast<std::uint32_t>(step_ + i);
  const std::int32_t limit = this->limit(i);
  if (input.map.empty()) {
    const bool could_be_covered = input.lower <= limit;
    if (could_be_covered || (turn % kIdlePeriod == 0 && input.lower <= reach(i))) admit(i, rng);
    return;
  }
  if (turn % kIdlePeriod == 0 && input.cost > reach(i) && forget(i)) return;
  const bool counts = counts_[i] != 0;
  const bool outside = input.cost > limit && input.cost <= limit + near(limit);
  if (counts && outside && step_ >= input.next_start && input.lower <= limit) {
    start_anew(i, rng);
    return;
  }
  const bool kicked = counts && outside && turn % kKickPeriod == 0;
  if (kicked) {
    search(i, false, kNearKicks, rng);
  } else {
    mend(i, rng);
  }
}

void MapKeeper::start_anew(std::size_t i, Rng& rng) {
  Input& input = state_[i];
  const std::int32_t before = input.cost;
  raise_by_branches(i);
  if (input.lower <= limit(i)) search(i, true, kStartKicks, rng);
  input.failures = input.cost < before ? 0 : std::min(input.failures + 1, kMostFailures);
  input.next_start = step_ + (kStartPeriod << input.failures);
}

void MapKeeper::deepen(Rng& rng) {
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const Input& input = state_[i];
    if (input.map.empty() || input.lower > limit(i)) continue;
    for (int start = 0; start < kDeepStarts; ++start) {
      if (covers(i) || input.cost > limit(i) + kDeepBeyond) break;
      search(i, true, kDeepKicks, rng);
    }
  }
}

/// Descends from the map in hand and, if `fresh`, from a new one; keeps what is no worse.
void MapKeeper::search(std::size_t i, bool fresh, int kicks, Rng& rng) {
  check_stop();
  Input& input = state_[i];
  const MatchProblem problem(*graph_, inputs_[i], costs_);
  Allowance allowance({.stop = stop_});
  search_.bind(problem, &allowance);
  if (!input.map.empty()) {
    problem.columns_of(input.map, columns_);
    search_.start_from(columns_);
  }
  if (fresh) {
    search_.start(static_cast<int>(rng.below(MapSearch::kStarts)), assignment_);
    allowance.charge(assignment_work(problem.num_rows(), problem.num_columns()));
  }
  search_.kick(kicks, input.lower, rng);
  const auto found = static_cast<std::int32_t>(search_.best_cost());
  if (found <= input.cost) {
    input.cost = found;
    input.map = problem.node_map(search_.best());
  }
  // What the descents do not count; for small graphs that is most of it.
  constexpr std::uint64_t kSetUp = 20;
  constexpr std::uint64_t kStart = 15;
  constexpr std::uint64_t kKick = 5;
  work_ += kSetUp + (fresh ? kStart : 0) + kKick * static_cast<std::uint64_t>(kicks);
  work_ += allowance.used();
}

std::vector<float> MapKeeper::values(const Moves& moves) {
  neighbours_.start(graph(), moves, worth_);
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    check_stop_at(i);
    if (counts_[i] == 0 || state_[i].cost > reach(i) + kMostNearer) continue;
    neighbours_.add(inputs_[i], state_[i].map, state_[i].cost);
    work_ += 4 + graph().size() / 8;
    if (!moves.are_single()) work_ += moves.size() / kStepsPerUnit;
  }
  return neighbours_.worth_of();
}

}  // namespace fewedits
