// SPDX-License-Identifier: MIT
#include "fewedits/distance/many_inputs.hpp"

#include <algorithm>
#include <cassert>
#include <limits>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

#include "fewedits/distance/watched_loop.hpp"
#include "fewedits/ged/lower_bound.hpp"

namespace fewedits {
namespace {

/// Inputs of a block: whole words of a bit row, so that no two threads write to one.
constexpr std::size_t kBlock = 512;
static_assert(kBlock % 64 == 0);

/// A pair whose first map is so many edits beyond theta is not looked at again.
constexpr std::int64_t kHopeless = 8;
/// What a decision about one that is still open in the end may take.
constexpr std::uint64_t kDecisionWork = 60'000;
/// Decisions between two looks at the work that is left.
constexpr std::size_t kRound = 256;

std::size_t num_blocks(std::size_t inputs) { return (inputs + kBlock - 1) / kBlock; }

GedOptions with_budget(GedOptions options, std::uint64_t work) {
  options.budget.work = work;
  return options;
}

GedOptions quick(GedOptions options) {
  options.effort = {1, 0};
  return options;
}

double infinite() { return std::numeric_limits<double>::infinity(); }

}  // namespace

/// A block of inputs, prepared as they are asked for.
class ManyInputs::Block {
 public:
  Block(const ManyInputs& all, std::size_t number)
      : all_(all),
        begin_(number * kBlock),
        end_(std::min(all.size(), begin_ + kBlock)),
        prepared_(end_ - begin_) {}

  [[nodiscard]] std::size_t begin() const { return begin_; }
  [[nodiscard]] std::size_t end() const { return end_; }
  const PreparedGraph& operator[](std::size_t position) {
    auto& one = prepared_[position - begin_];
    if (!one) one.emplace(all_.graph(position));
    return *one;
  }

 private:
  const ManyInputs& all_;
  std::size_t begin_;
  std::size_t end_;
  std::vector<std::optional<PreparedGraph>> prepared_;
};

ManyInputs::ManyInputs(std::span<const Graph> inputs, const ManyInputsOptions& options,
                       ThreadPool& pool)
    : inputs_(inputs),
      options_(options),
      order_(inputs.size()),
      positions_(inputs.size()),
      profiles_(inputs.size()) {
  std::iota(order_.begin(), order_.end(), 0U);
  std::sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(inputs_[a].size(), a) < std::pair(inputs_[b].size(), b);
  });
  const StopScope to_the_end(pool, nullptr);  // a moment, without which there is nothing to show
  pool.for_chunks(size(), kBlock, [&](std::size_t begin, std::size_t end, int) {
    for (std::size_t p = begin; p < end; ++p) {
      positions_[order_[p]] = static_cast<std::uint32_t>(p);
      profiles_[p] = profile_of(graph(p));
    }
  });
}

std::int64_t ManyInputs::limit(const Graph& query, std::size_t position) const {
  return distance_limit(options_.theta, graph(position), query, options_.ged.costs);
}

/// Graphs whose sizes differ by more than the limit are further apart than that.
ManyInputs::Window ManyInputs::window(const Graph& query) const {
  const auto own = static_cast<std::int64_t>(query.size());
  const auto in_reach = [&](std::uint32_t place) {
    const auto other = static_cast<std::int64_t>(inputs_[place].size());
    return std::abs(own - other) <= distance_limit(options_.theta, own + other);
  };
  const auto middle = std::lower_bound(
      order_.begin(), order_.end(), own, [&](std::uint32_t place, std::int64_t sizes) {
        return static_cast<std::int64_t>(inputs_[place].size()) < sizes;
      });
  const auto first =
      std::partition_point(order_.begin(), middle, [&](std::uint32_t p) { return !in_reach(p); });
  const auto last = std::partition_point(middle, order_.end(), in_reach);
  return {static_cast<std::size_t>(first - order_.begin()),
          static_cast<std::size_t>(last - order_.begin())};
}

void ManyInputs::take_known(std::span<const Query> queries, bool keep, Looked& out) const {
  for (std::uint32_t q = 0; q < queries.size(); ++q) {
    const Graph& to = *queries[q].graph;
    for (const ProvenPair& known : queries[q].known) {
      if (known.input >= size()) continue;
      const std::size_t p = positions_[known.input];
      if (!is_node_map(graph(p), to, known.map)) continue;
      const std::int64_t cost = induced_cost(graph(p), to, known.map, options_.ged.costs);
      if (cost > limit(to, p)) continue;
      out.covers.set(q, p);
      if (!keep) continue;
      out.near[p / kBlock].push_back(
          {q, static_cast<std::uint32_t>(p), 0, static_cast<std::int32_t>(cost), known.map, true});
    }
  }
}

ManyInputs::Looked ManyInputs::look(std::span<const Query> queries, bool keep, ThreadPool& pool,
                                    const DistanceWatch& watch) {
  const std::size_t blocks = num_blocks(size());
  Looked out{BitRows(size(), queries.size()), {}, true};
  if (keep) out.near.resize(blocks);
  take_known(queries, keep, out);
  std::vector<PreparedGraph> prepared;
  std::vector<Window> windows;
  for (const Query& query : queries) {
    prepared.emplace_back(*query.graph);
    windows.push_back(window(*query.graph));
  }
  SolverPool solvers(options_.ged, pool);
  const auto look_at = [&](std::size_t b, int worker) {
    Block block(*this, b);
    for (std::uint32_t q = 0; q < queries.size(); ++q) {
      const std::size_t end = std::min(block.end(), windows[q].end);
      for (std::size_t p = std::max(block.begin(), windows[q].begin); p < end; ++p) {
        const std::uint64_t bit = std::uint64_t{1} << (p % 64);
        if ((out.covers[q][p / 64] & bit) != 0) continue;
        const std::int64_t within = limit(*queries[q].graph, p);
        const std::int64_t bound =
            degree_bound(profiles_[p], prepared[q].profile(), options_.ged.costs);
        if (bound > within) continue;
        pool.check_stop();
        GedBounds found = solvers[worker].look_for(block[p], prepared[q], within, kHopeless);
        // Cut short in the middle, it says less than it would.
        if (found.upper > within) pool.check_stop();
        if (found.upper <= within) out.covers.set(q, p);
        if (!keep) continue;
        const bool excluded = found.lower > within;
        if (excluded) found.map.clear();
        out.near[b].push_back({q, static_cast<std::uint32_t>(p),
                               static_cast<std::int32_t>(found.lower),
                               static_cast<std::int32_t>(found.upper), std::move(found.map),
                               excluded || found.upper <= within});
      }
    }
  };
  WatchedLoop loop(pool, watch);
  try {
    loop.run(blocks, look_at);
  } catch (const Stopped&) {
    out.complete = false;
  }
  out.complete = out.complete && !loop.stopped();
  return out;
}

void ManyInputs::decide(std::span<const Query> queries, std::uint64_t work, Looked& looked,
                        ThreadPool& pool) {
  std::vector<std::uint8_t> covered(size(), 0);
  for (std::size_t q = 0; q < looked.covers.size(); ++q) {
    for_each_bit(looked.covers[q], [&](std::size_t p) { covered[p] = 1; });
  }
  struct Task {
    std::int32_t beyond;
    NearPair* pair;
  };
  std::vector<Task> tasks;
  for (auto& block : looked.near) {
    for (NearPair& pair : block) {
      if (pair.decided || covered[pair.position] != 0) continue;
      const auto within = limit(*queries[pair.query].graph, pair.position);
      tasks.push_back({pair.upper - static_cast<std::int32_t>(within), &pair});
    }
  }
  std::sort(tasks.begin(), tasks.end(), [](const Task& a, const Task& b) {
    return std::tuple(a.beyond, a.pair->position, a.pair->query) <
           std::tuple(b.beyond, b.pair->position, b.pair->query);
  });
  std::vector<PreparedGraph> prepared;
  for (const Query& query : queries) prepared.emplace_back(*query.graph);
  SolverPool solvers(with_budget(options_.ged, kDecisionWork), pool);
  try {
    for (std::size_t at = 0; at < tasks.size() && solvers.work() < work; at += kRound) {
      const std::size_t count = std::min(kRound, tasks.size() - at);
      pool.for_chunks(count, 1, [&](std::size_t t, std::size_t, int worker) {
        NearPair& pair = *tasks[at + t].pair;
        const std::int64_t within = limit(*queries[pair.query].graph, pair.position);
        const PreparedGraph input(graph(pair.position));
        Within found = solvers[worker].within(input, prepared[pair.query], within);
        pair.decided = found.answer != Answer::kUnknown;
        pair.lower = std::max(pair.lower, static_cast<std::int32_t>(found.lower));
        if (found.upper >= pair.upper) return;
        pair.upper = static_cast<std::int32_t>(found.upper);
        pair.map = std::move(found.map);
      });
    }
  } catch (const Stopped&) {  // what was found by then is true
  }
  for (const Task& task : tasks) {
    const NearPair& pair = *task.pair;
    if (pair.upper <= limit(*queries[pair.query].graph, pair.position)) {
      looked.covers.set(pair.query, pair.position);
    }
  }
}

ManyInputs::Proven ManyInputs::prove(std::span<const Query> queries,
                                     std::span<const std::size_t> order, const Looked& looked,
                                     const StopSign* stop, ThreadPool& pool) {
  const std::size_t k = order.size();
  Proven out{std::vector(k, std::vector<double>(size(), infinite())), ProvenPairs(k),
             std::vector<std::int64_t>(size(), 0), std::vector<std::uint8_t>(size(), 0)};
  std::vector<PreparedGraph> prepared;
  for (const std::size_t q : order) prepared.emplace_back(*queries[q].graph);
  std::vector<std::size_t> rank(queries.size(), k);
  for (std::size_t c = 0; c < k; ++c) rank[order[c]] = c;
  SolverPool solvers(quick(options_.ged), pool);
  std::vector<ProvenPairs> parts(num_blocks(size()), ProvenPairs(k));

  const auto prove_block = [&](std::size_t b, int worker) {
    Block block(*this, b);
    // By position and rank.
    std::vector<const NearPair*> near((block.end() - block.begin()) * k, nullptr);
    for (const NearPair& pair : looked.near[b]) {
      if (rank[pair.query] == k) continue;
      near[(pair.position - block.begin()) * k + rank[pair.query]] = &pair;
    }
    for (std::size_t p = block.begin(); p < block.end(); ++p) {
      const std::uint32_t place = order_[p];
      double nearest = infinite();
      bool covered = false;
      bool open = false;
      for (std::size_t c = 0; c < k; ++c) {
        const NearPair* known = near[(p - block.begin()) * k + c];
        const Graph& to = prepared[c].graph();
        const std::int64_t largest = largest_distance(graph(p), to, options_.ged.costs);
        const std::int64_t within = distance_limit(options_.theta, largest);
        GedBounds pair{known != nullptr
                           ? known->lower
                           : degree_bound(profiles_[p], prepared[c].profile(), options_.ged.costs),
                       largest,
                       {}};
        if (known != nullptr && !known->map.empty()) {
          pair.upper = known->upper;
          pair.map = known->map;
        } else if (normalized_distance(static_cast<double>(pair.lower), largest) < nearest &&
                   !(stop != nullptr && stop->is_set())) {
          GedBounds found = solvers[worker].upper(block[p], prepared[c]);
          pair.lower = std::max(pair.lower, found.lower);
          pair.upper = found.upper;
          pair.map = std::move(found.map);
        }
        open = open || (pair.lower <= within && pair.upper > within);
        const double distance = normalized_distance(static_cast<double>(pair.upper), largest);
        const bool covers = pair.upper <= within;
        covered = covered || covers;
        if (!covers && distance >= nearest) continue;
        if (distance < nearest) out.lower[place] = pair.lower;
        nearest = std::min(nearest, distance);
        out.distances[c][place] = distance;
        if (pair.map.empty()) pair.map.assign(graph(p).num_nodes(), kUnmatched);
        parts[b][c].push_back({place, pair.upper, std::move(pair.map)});
      }
      out.open[place] = !covered && open ? 1 : 0;
    }
  };
  const StopScope to_the_end(pool, nullptr);
  pool.for_chunks(parts.size(), 1, [&](std::size_t b, std::size_t, int w) { prove_block(b, w); });
  pool.for_chunks(k, 1, [&](std::size_t c, std::size_t, int) {
    for (ProvenPairs& part : parts) {
      out.proofs[c].insert(out.proofs[c].end(), std::make_move_iterator(part[c].begin()),
                           std::make_move_iterator(part[c].end()));
      part[c] = {};
    }
    std::sort(out.proofs[c].begin(), out.proofs[c].end(),
              [](const ProvenPair& a, const ProvenPair& b) { return a.input < b.input; });
  });
  return out;
}

}  // namespace fewedits
