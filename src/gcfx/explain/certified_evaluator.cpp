// SPDX-License-Identifier: MIT
#include "gcfx/explain/certified_evaluator.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "gcfx/explain/certified_distances.hpp"
#include "gcfx/explain/map_changes.hpp"
#include "gcfx/ged/batch.hpp"
#include "gcfx/ged/lower_bound.hpp"

namespace gcfx {
namespace {

/// An edit changes a cost by 2 at most, and the sizes together as well.
constexpr int kReach = 2;

int size_change(Edit::Kind kind) {
  using Kind = Edit::Kind;
  switch (kind) {
    case Kind::kAddLeaf: return 2;
    case Kind::kAddEdge: return 1;
    case Kind::kNone:
    case Kind::kRelabel: return 0;
    case Kind::kRemoveEdge: return -1;
    case Kind::kRemoveLeaf: return -2;
  }
  return 0;
}

/// The largest cost that is within theta of those sizes, by the very comparison that metrics make.
std::int64_t largest_cost(double theta, std::size_t sizes) {
  const auto within = [&](std::int64_t cost) {
    return static_cast<double>(cost) / static_cast<double>(sizes) <= theta;
  };
  auto cost = static_cast<std::int64_t>(theta * static_cast<double>(sizes));
  while (within(cost + 1)) ++cost;
  while (cost >= 0 && !within(cost)) --cost;
  return cost;
}

/// An input within reach, with its map.
struct Active {
  std::uint32_t input = 0;
  std::int64_t cost = 0;
  NodeMap map;
};

}  // namespace

CertifiedEvaluator::CertifiedEvaluator(std::vector<Graph> inputs, const Classifier& classifier,
                                       std::size_t desired_class, double theta,
                                       const GedOptions& options, ThreadPool& pool)
    : ClassifyingEvaluator(std::move(inputs), classifier, desired_class),
      theta_(theta),
      options_(options),
      prepared_(prepare_graphs(this->inputs(), pool)) {
  options_.costs = {};
}

void CertifiedEvaluator::find_covers(double theta, Neighbourhood& out, ThreadPool& pool) {
  const PreparedGraph graph(out.graph);
  std::vector<Active> found(prepared_.size());
  std::vector<GedSolver> solvers;
  solvers.reserve(static_cast<std::size_t>(pool.size()));
  for (int t = 0; t < pool.size(); ++t) solvers.emplace_back(options_);
  pool.for_chunks(prepared_.size(), 16, [&](std::size_t begin, std::size_t end, int worker) {
    for (std::size_t i = begin; i < end; ++i) {
      const PreparedGraph& input = prepared_[i];
      const std::size_t sizes = out.graph.size() + input.graph().size();
      const std::int64_t reach = largest_cost(theta, sizes + kReach) + kReach;
      if (degree_bound(graph.profile(), input.profile(), {}) > reach) continue;
      if (branch_bound(graph, input, {}) > reach) continue;
      GedBounds bounds = solvers[static_cast<std::size_t>(worker)].upper(graph, input);
      if (bounds.upper > reach) continue;
      found[i] = {static_cast<std::uint32_t>(i), bounds.upper, std::move(bounds.map)};
    }
  });
  std::erase_if(found, [](const Active& a) { return a.map.empty(); });
  for (const Active& a : found) out.active.push_back(a.input);
  out.words = (found.size() + 63) / 64;
  out.bits.assign(out.size() * out.words, 0);
  Label most = 0;
  for (const Edit& edit : out.edits) most = std::max(most, edit.label);
  // 64 inputs at a time: their bits are one word of every row, and nobody else writes it.
  pool.for_chunks(found.size(), 64, [&](std::size_t begin, std::size_t end, int) {
    MapChanges changes;
    for (std::size_t j = begin; j < end; ++j) {
      const Graph& input = prepared_[found[j].input].graph();
      changes.prepare(out.graph, input, found[j].map, most + 1ULL);
      std::array<std::int64_t, 2 * kReach + 1> limit{};
      for (int d = -kReach; d <= kReach; ++d) {
        const auto sizes = static_cast<std::int64_t>(out.graph.size() + input.size()) + d;
        limit[static_cast<std::size_t>(d + kReach)] =
            sizes > 0 ? largest_cost(theta, static_cast<std::size_t>(sizes)) : -1;
      }
      const std::uint64_t bit = std::uint64_t{1} << (j % 64);
      for (std::size_t e = 0; e < out.size(); ++e) {
        const Edit& edit = out.edits[e];
        const auto d = static_cast<std::size_t>(size_change(edit.kind) + kReach);
        if (found[j].cost + changes.change(edit) > limit[d]) continue;
        out.bits[e * out.words + j / 64] |= bit;
      }
    }
  });
}

std::vector<std::vector<std::uint32_t>> CertifiedEvaluator::covers(std::span<const Graph> graphs,
                                                                   double theta, ThreadPool& pool) {
  std::vector<std::vector<std::uint32_t>> out;
  out.reserve(graphs.size());
  for (const Graph& graph : graphs) {
    Neighbourhood alone;
    alone.graph = graph;
    alone.edits.emplace_back();
    find_covers(theta, alone, pool);
    out.push_back(alone.covers(0));
  }
  return out;
}

std::vector<std::vector<double>> CertifiedEvaluator::distances(std::span<const Graph> graphs,
                                                               ThreadPool& pool) {
  CertifiedOptions options;
  options.theta = theta_;
  options.ged.effort = options_.effort;
  options.ged.seed = options_.seed;
  return certified_distances(graphs, inputs(), options, pool).normalized_upper();
}

}  // namespace gcfx
