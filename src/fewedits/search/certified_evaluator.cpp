// SPDX-License-Identifier: MIT
#include "fewedits/search/certified_evaluator.hpp"

#include <array>
#include <utility>

#include "fewedits/distance/certified_distances.hpp"
#include "fewedits/distance/map_changes.hpp"
#include "fewedits/ged/batch.hpp"
#include "fewedits/ged/lower_bound.hpp"

namespace fewedits {
namespace {

/// An edit changes a cost by 2 at most, and the sizes together as well.
constexpr int kReach = 2;

/// Of a change of size among all that can be.
std::size_t place_of(int change) {
  const int place = change + kReach;
  return static_cast<std::size_t>(place);
}

}  // namespace

CertifiedEvaluator::CertifiedEvaluator(std::vector<Graph> inputs, const Classifier& classifier,
                                       std::size_t desired_class, double theta,
                                       const GedOptions& options, ThreadPool& pool,
                                       std::uint64_t prove_work)
    : ClassifyingEvaluator(std::move(inputs), classifier, desired_class),
      theta_(theta),
      options_(options),
      prove_work_(prove_work),
      prepared_(prepare_graphs(this->inputs(), pool)) {
  options_.costs = {};
}

std::vector<CertifiedEvaluator::Active> CertifiedEvaluator::inputs_in_reach(const Graph& of,
                                                                            double theta,
                                                                            ThreadPool& pool) {
  const PreparedGraph graph(of);
  while (solvers_.size() < static_cast<std::size_t>(pool.size())) solvers_.emplace_back(options_);
  std::vector<Active> found(prepared_.size());
  pool.for_chunks(prepared_.size(), 16, [&](std::size_t begin, std::size_t end, int worker) {
    for (std::size_t i = begin; i < end; ++i) {
      const PreparedGraph& input = prepared_[i];
      const auto sizes = static_cast<std::int64_t>(of.size() + input.graph().size());
      const std::int64_t reach = distance_limit(theta, sizes + kReach) + kReach;
      if (degree_bound(graph.profile(), input.profile(), {}) > reach) continue;
      if (branch_bound(graph, input, {}) > reach) continue;
      GedBounds bounds = solvers_[static_cast<std::size_t>(worker)].upper(graph, input);
      if (bounds.upper > reach) continue;
      found[i] = {static_cast<std::uint32_t>(i), bounds.upper, std::move(bounds.map)};
    }
  });
  std::erase_if(found, [](const Active& a) { return a.map.empty(); });
  return found;
}

void CertifiedEvaluator::find_covers(double theta, Neighbourhood& out, ThreadPool& pool) {
  const std::vector<Active> found = inputs_in_reach(out.graph, theta, pool);
  for (const Active& a : found) out.active.push_back(a.input);
  out.words = (found.size() + 63) / 64;
  out.bits.assign(out.size() * out.words, 0);
  // 64 inputs at a time: their bits are one word of every row, and nobody else writes it.
  pool.for_chunks(found.size(), 64, [&](std::size_t begin, std::size_t end, int) {
    MapChanges changes;
    for (std::size_t j = begin; j < end; ++j) {
      const Graph& input = prepared_[found[j].input].graph();
      changes.prepare(out.graph, input, found[j].map, num_labels());
      std::array<std::int64_t, 2 * kReach + 1> limit{};
      for (int d = -kReach; d <= kReach; ++d) {
        const auto sizes = static_cast<std::int64_t>(out.graph.size() + input.size()) + d;
        limit[place_of(d)] = sizes > 0 ? distance_limit(theta, sizes) : -1;
      }
      for (std::size_t e = 0; e < out.size(); ++e) {
        const Edit& edit = out.edits[e];
        const std::size_t d = place_of(size_change(edit.kind));
        if (found[j].cost + changes.change(edit) > limit[d]) continue;
        out.bits[e * out.words + j / 64] |= std::uint64_t{1} << (j % 64);
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
  return prove(graphs, pool, {})->normalized_upper();
}

std::optional<CertifiedDistances> CertifiedEvaluator::prove(std::span<const Graph> graphs,
                                                            ThreadPool& pool,
                                                            const CertifiedWatch& watch) {
  CertifiedOptions options;
  options.theta = theta_;
  options.ged.seed = options_.seed;
  options.ged.budget.work = prove_work_;
  return certified_distances(graphs, inputs(), options, pool, watch);
}

}  // namespace fewedits
