// SPDX-License-Identifier: MIT
#include "fewedits/search/climb/map_keeper.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "fewedits/ged/lower_bound.hpp"
#include "fewedits/ged/swap_descent.hpp"

namespace fewedits {
namespace {

/// An input just outside theta, and where it is worth nothing any more: at e^−kFolds of that.
constexpr double kOutside = 0.7;
constexpr double kFolds = 2;
/// A neighbour may be so much nearer: a cost changes by 2 at most, and a limit by 1.
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

/// How far from theta a map is worth looking at every step.
std::int32_t near(std::int32_t limit) { return 3 + limit / 3; }

}  // namespace

MapKeeper::MapKeeper(std::span<const PreparedGraph> inputs, std::size_t num_labels)
    : inputs_(inputs),
      num_labels_(num_labels),
      graph_(std::make_shared<PreparedGraph>(Graph())),
      state_(inputs.size()) {}

const MapKeeper::Table& MapKeeper::table(std::size_t sizes) {
  if (tables_.size() <= sizes) tables_.resize(sizes + 1);
  Table& t = tables_[sizes];
  if (!t.worth.empty()) return t;
  t.limit =
      static_cast<std::int32_t>(distance_limit(soft_.theta, static_cast<std::int64_t>(sizes)));
  const double width = soft_.width * soft_.theta * static_cast<double>(sizes);
  t.worth.push_back(1);
  for (double beyond = 1; beyond <= kFolds * width + 1; ++beyond) {
    t.worth.push_back(static_cast<float>(kOutside * std::exp(-beyond / width)));
  }
  return t;
}

std::size_t MapKeeper::num_covered() {
  std::size_t covered = 0;
  for (std::size_t i = 0; i < inputs_.size(); ++i)
    covered += counts_[i] != 0 && covers(i) ? 1U : 0U;
  return covered;
}

void MapKeeper::reset(const Graph& graph, const SoftCover& soft, std::vector<std::uint8_t> counts,
                      Rng& rng, const KnownMaps* known) {
  graph_ = known != nullptr ? known->graph : std::make_shared<PreparedGraph>(graph);
  soft_ = soft;
  counts_ = std::move(counts);
  step_ = 0;
  tables_.clear();
  state_.assign(inputs_.size(), {});
  if (known != nullptr) take_over(*known);
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
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

void MapKeeper::move(const Edit& edit, Graph moved, Rng& rng) {
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
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
  graph_ = std::make_shared<PreparedGraph>(std::move(moved));
  ++step_;
  for (std::size_t i = 0; i < inputs_.size(); ++i) improve(i, rng);
}

/// Follows the last edit, before which the map could not be improved by an exchange.
void MapKeeper::mend(std::size_t i, Rng& rng) {
  Input& input = state_[i];
  if (can_descend_by_swaps(*graph_, inputs_[i])) {
    input.cost -= descend_by_swaps(*graph_, inputs_[i], input.map, touched_, freed_);
    work_ += kMendWork;
  } else if (counts_[i] != 0 && input.cost <= reach(i) && (step_ + i) % kLargePeriod == 0) {
    search(i, false, 0, rng);
  }
}

void MapKeeper::raise_lower(std::size_t i, std::int64_t bound) {
  state_[i].lower = std::max(state_[i].lower, static_cast<std::int32_t>(bound));
}

void MapKeeper::raise_by_branches(std::size_t i) {
  raise_lower(i, branch_bound(*graph_, inputs_[i], {}));
  work_ += 1 + assignment_work(graph().num_nodes(), inputs_[i].graph().num_nodes());
}

/// Gives the input a map, unless it is out of reach.
void MapKeeper::admit(std::size_t i, Rng& rng) {
  raise_lower(i, degree_bound(graph_->profile(), inputs_[i].profile(), {}));
  if (state_[i].lower > reach(i)) return;
  raise_by_branches(i);
  if (state_[i].lower <= reach(i)) search(i, true, kAdmitKicks, rng);
}

/// Drops the map of an input that cannot be within reach.
bool MapKeeper::forget(std::size_t i) {
  raise_lower(i, degree_bound(graph_->profile(), inputs_[i].profile(), {}));
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
  Input& input = state_[i];
  const MatchProblem problem(*graph_, inputs_[i], {});
  Allowance allowance;
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

// ---- Worth of neighbours

std::vector<float> MapKeeper::values(std::span<const Edit> edits) {
  clear_sums();
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    if (counts_[i] != 0 && state_[i].cost <= reach(i) + kMostNearer) add_worth(i);
  }
  const std::size_t n = graph().num_nodes();
  std::vector<float> out;
  out.reserve(edits.size());
  for (const Edit& edit : edits) {
    const std::size_t at = edit.u * num_labels_ + edit.label;
    double value = 0;
    switch (edit.kind) {
      using Kind = Edit::Kind;
      case Kind::kNone: break;
      case Kind::kRelabel:
        value = sums_.relabel + sums_.relabel_node[edit.u] + sums_.relabel_to[at];
        break;
      case Kind::kAddLeaf:
        value = sums_.add_leaf + sums_.leaf_label[edit.label] + sums_.leaf_at[at];
        break;
      case Kind::kRemoveLeaf: value = sums_.remove_leaf[edit.u]; break;
      case Kind::kAddEdge: value = sums_.add_edge + sums_.edge[edit.u * n + edit.v]; break;
      case Kind::kRemoveEdge: value = sums_.remove_edge + sums_.edge[edit.u * n + edit.v]; break;
    }
    out.push_back(static_cast<float>(value));
  }
  return out;
}

void MapKeeper::clear_sums() {
  const std::size_t n = graph().num_nodes();
  sums_.relabel = sums_.add_leaf = sums_.add_edge = sums_.remove_edge = 0;
  sums_.relabel_node.assign(n, 0);
  sums_.relabel_to.assign(n * num_labels_, 0);
  sums_.leaf_label.assign(num_labels_, 0);
  sums_.leaf_at.assign(n * num_labels_, 0);
  sums_.remove_leaf.assign(n, 0);
  sums_.edge.assign(n * n, 0);
  adjacent_.assign(n * n, 0);
  for (const Edge& e : graph().edges()) adjacent_[e.u * n + e.v] = 1;
}

float MapKeeper::worth(std::size_t i, int size_change, int cost_change) {
  const auto changed = static_cast<std::int64_t>(sizes(i)) + size_change;
  const Table& t = table(static_cast<std::size_t>(changed));
  const std::int32_t beyond = std::max(0, state_[i].cost + cost_change - t.limit);
  const auto at = static_cast<std::size_t>(beyond);
  return at < t.worth.size() ? t.worth[at] : 0;
}

/// MapChanges::change for all edits at once.
void MapKeeper::add_worth(std::size_t i) {
  const Graph& input = inputs_[i].graph();
  const NodeMap& map = state_[i].map;
  preimage_.assign(input.num_nodes(), kUnmatched);
  for (Node u = 0; u < map.size(); ++u) {
    if (map[u] != kUnmatched) preimage_[map[u]] = u;
  }
  add_relabellings(i);
  add_edges(i);
  add_leaves_to_remove(i);
  add_leaves_to_add(i);
  work_ += 4 + graph().size() / 8;
}

void MapKeeper::add_relabellings(std::size_t i) {
  const NodeMap& map = state_[i].map;
  const float same = worth(i, 0, 0);
  const float spoilt = worth(i, 0, 1) - same;
  const float mended = worth(i, 0, -1) - same;
  sums_.relabel += same;
  for (Node u = 0; u < map.size(); ++u) {
    if (map[u] == kUnmatched) continue;
    const Label wanted = inputs_[i].graph().label(map[u]);
    if (graph().label(u) == wanted) {
      sums_.relabel_node[u] += spoilt;
    } else if (wanted < num_labels_) {
      sums_.relabel_to[u * num_labels_ + wanted] += mended;
    }
  }
}

void MapKeeper::add_edges(std::size_t i) {
  const std::size_t n = graph().num_nodes();
  const float common_goes = worth(i, -1, 1);
  const float other_goes = worth(i, -1, -1);
  const float common_comes = worth(i, 1, -1);
  const float other_comes = worth(i, 1, 1);
  sums_.add_edge += other_comes;
  sums_.remove_edge += other_goes;
  for (const Edge& e : inputs_[i].edges()) {
    const Node a = preimage_[e.u];
    const Node b = preimage_[e.v];
    if (a == kUnmatched || b == kUnmatched) continue;
    const std::size_t at = std::min(a, b) * n + std::max(a, b);
    sums_.edge[at] += adjacent_[at] != 0 ? common_goes - other_goes : common_comes - other_comes;
  }
}

void MapKeeper::add_leaves_to_remove(std::size_t i) {
  changes_.bind(graph(), inputs_[i].graph(), state_[i].map, false);
  for (Node u = 0; u < graph().num_nodes(); ++u) {
    if (graph().degree(u) != 1) continue;
    sums_.remove_leaf[u] += worth(i, -2, changes_.change({Edit::Kind::kRemoveLeaf, u, 0, 0}));
  }
}

void MapKeeper::add_leaves_to_add(std::size_t i) {
  const Graph& input = inputs_[i].graph();
  // By change of the cost, from −2: next to the anchor's image with its label, or another one;
  // elsewhere with its label, or another one; nowhere.
  std::array<float, 5> leaf{};
  for (int change = -2; change <= 2; ++change) {
    leaf[static_cast<std::size_t>(change + 2)] = worth(i, 2, change);
  }
  const auto& [next_same, next_other, same, other, nowhere] = leaf;
  free_label_.assign(num_labels_, 0);
  bool any_free = false;
  for (Node x = 0; x < input.num_nodes(); ++x) {
    if (preimage_[x] != kUnmatched) continue;
    any_free = true;
    const Label l = input.label(x);
    if (l >= num_labels_ || free_label_[l] != 0) continue;
    free_label_[l] = 1;
    sums_.leaf_label[l] += same - other;
  }
  sums_.add_leaf += any_free ? other : nowhere;
  if (!any_free) return;
  for (Node x = 0; x < input.num_nodes(); ++x) {
    if (preimage_[x] == kUnmatched) continue;
    wanted_.clear();
    for (const Node y : input.neighbours(x)) {
      if (preimage_[y] == kUnmatched) wanted_.push_back(input.label(y));
    }
    if (wanted_.empty()) continue;
    float* at = &sums_.leaf_at[preimage_[x] * num_labels_];
    for (Label l = 0; l < num_labels_; ++l) {
      const bool is_wanted = std::find(wanted_.begin(), wanted_.end(), l) != wanted_.end();
      at[l] += (is_wanted ? next_same : next_other) - (free_label_[l] != 0 ? same : other);
    }
  }
}

}  // namespace fewedits
