// SPDX-License-Identifier: MIT
#include "fewedits/ged/batch.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "fewedits/ged/lower_bound.hpp"
#include "fewedits/ged/solver_pool.hpp"

namespace fewedits {
namespace {

auto size_key(const GraphProfile& p) { return std::tuple(p.nodes, p.edges); }
auto label_key(const GraphProfile& p) { return std::tie(p.labels, p.edge_labels); }

/// The largest distance of the two that is within theta.
std::int64_t limit_of(double theta, const PreparedGraph& a, const PreparedGraph& b,
                      const EditCosts& costs) {
  return distance_limit(theta, a.graph(), b.graph(), costs);
}

}  // namespace

std::vector<PreparedGraph> prepare_graphs(std::span<const Graph> graphs, ThreadPool& pool) {
  std::vector<std::optional<PreparedGraph>> made(graphs.size());
  pool.for_chunks(graphs.size(), 64, [&](std::size_t begin, std::size_t end, int) {
    for (std::size_t i = begin; i < end; ++i) made[i].emplace(graphs[i]);
  });
  std::vector<PreparedGraph> prepared;
  prepared.reserve(graphs.size());
  for (auto& one : made) prepared.push_back(std::move(*one));
  return prepared;
}

std::uint64_t BatchStatistics::pairs() const {
  return std::accumulate(yes.begin(), yes.end(), std::uint64_t{0}) +
         std::accumulate(no.begin(), no.end(), std::uint64_t{0}) + unknown;
}

void BatchStatistics::add(const Within& answer) {
  const auto stage = static_cast<std::size_t>(answer.stage);
  switch (answer.answer) {
    case Answer::kYes: ++yes[stage]; break;
    case Answer::kNo: ++no[stage]; break;
    case Answer::kUnknown: ++unknown; break;
  }
}

void BatchStatistics::add(const BatchStatistics& other) {
  for (std::size_t s = 0; s < kGedStages; ++s) {
    yes[s] += other.yes[s];
    no[s] += other.no[s];
  }
  unknown += other.unknown;
  untouched += other.untouched;
}

GedIndex::GedIndex(std::span<const PreparedGraph> targets, const EditCosts& costs)
    : targets_(targets), costs_(costs), order_(targets.size()) {
  costs_.check();
  std::iota(order_.begin(), order_.end(), 0U);
  const auto profile = [&](std::uint32_t t) -> const GraphProfile& {
    return targets_[t].profile();
  };
  std::stable_sort(order_.begin(), order_.end(), [&](std::uint32_t x, std::uint32_t y) {
    return std::tuple_cat(size_key(profile(x)), label_key(profile(x))) <
           std::tuple_cat(size_key(profile(y)), label_key(profile(y)));
  });
  for (std::uint32_t at = 0; at < order_.size(); ++at) {
    const GraphProfile& now = profile(order_[at]);
    const GraphProfile* last = at == 0 ? nullptr : &profile(order_[at - 1]);
    const bool new_size = last == nullptr || size_key(*last) != size_key(now);
    if (new_size || label_key(*last) != label_key(now)) {
      if (new_size) size_groups_.push_back({static_cast<std::uint32_t>(label_groups_.size()), 0});
      ++size_groups_.back().count;
      label_groups_.push_back({at, 0});
    }
    ++label_groups_.back().count;
  }
}

std::vector<std::uint32_t> GedIndex::candidates(const PreparedGraph& query, double theta) const {
  std::vector<std::uint32_t> found;
  for (const SizeGroup& sizes : size_groups_) {
    const PreparedGraph& sample = targets_[order_[label_groups_[sizes.first].first]];
    const std::int64_t limit = limit_of(theta, query, sample, costs_);
    if (size_bound(query.profile(), sample.profile(), costs_) > limit) continue;
    for (std::uint32_t g = 0; g < sizes.count; ++g) {
      const LabelGroup& group = label_groups_[sizes.first + g];
      const GraphProfile& profile = targets_[order_[group.first]].profile();
      if (label_bound(query.profile(), profile, costs_) > limit) continue;
      const auto first = order_.begin() + group.first;
      found.insert(found.end(), first, first + group.count);
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

BatchStatistics within_theta(std::span<const PreparedGraph> queries, const GedIndex& index,
                             double theta, const GedOptions& options, ThreadPool& pool,
                             const std::function<void(const PairAnswer&)>& keep,
                             const std::function<bool(std::size_t)>& stop) {
  BatchStatistics statistics;
  GedOptions per_pair = options;
  per_pair.costs = index.costs();
  SolverPool solvers(per_pair, pool);
  // A block of queries at a time: enough pairs to keep all threads busy, few enough to keep
  // their answers in memory.
  constexpr std::size_t kBlock = 64;
  for (std::size_t first = 0; first < queries.size(); first += kBlock) {
    const std::size_t last = std::min(queries.size(), first + kBlock);
    std::vector<std::vector<std::uint32_t>> candidates(last - first);
    pool.for_chunks(candidates.size(), 1, [&](std::size_t begin, std::size_t end, int) {
      for (std::size_t q = begin; q < end; ++q) {
        candidates[q] = index.candidates(queries[first + q], theta);
      }
    });
    std::vector<PairAnswer> answers;
    for (std::size_t q = 0; q < candidates.size(); ++q) {
      for (const std::uint32_t t : candidates[q]) {
        answers.push_back({static_cast<std::uint32_t>(first + q), t, {}});
      }
      statistics.untouched += index.targets().size() - candidates[q].size();
    }
    pool.for_chunks(answers.size(), 16, [&](std::size_t begin, std::size_t end, int worker) {
      for (std::size_t p = begin; p < end; ++p) {
        const PreparedGraph& a = queries[answers[p].query];
        const PreparedGraph& b = index.targets()[answers[p].target];
        answers[p].within = solvers[worker].within(a, b, limit_of(theta, a, b, index.costs()));
      }
    });
    for (const PairAnswer& answer : answers) {
      statistics.add(answer.within);
      keep(answer);
    }
    if (stop && stop(last)) break;
  }
  statistics.no[static_cast<std::size_t>(GedStage::kLabels)] += statistics.untouched;
  return statistics;
}

}  // namespace fewedits
