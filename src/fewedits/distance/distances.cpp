// SPDX-License-Identifier: MIT
#include "fewedits/distance/distances.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "fewedits/base/error.hpp"
#include "fewedits/base/rng.hpp"
#include "fewedits/distance/ged_distance.hpp"
#include "fewedits/distance/greed_distance.hpp"
#include "fewedits/distance/kernel_distance.hpp"
#include "fewedits/ged/batch.hpp"
#include "fewedits/ged/solver_pool.hpp"

namespace fewedits {
namespace {

using Graphs = std::vector<Graph>;

DistanceKind certified() {
  const auto make = [](Graphs graphs, std::size_t, const DistanceOptions& o, ThreadPool& pool) {
    GedDistanceOptions options;
    options.method = GedMethod::kWithin;
    options.theta = o.theta;
    options.ged.seed = o.seed;
    options.ged.costs = o.costs;
    options.ged.budget.stop = o.stop;
    options.search_effort = o.effort;
    options.prove_work = o.prove_work;
    return std::make_unique<GedDistance>(std::move(graphs), options, pool);
  };
  return {.about = "edit distance, proven by edits",
          .proves = true,
          .counts_edits = true,
          .make = make};
}

std::shared_ptr<const GinEmbedder> embedder_of(const DistanceOptions& options) {
  if (options.embedder) return options.embedder;
  if (options.model.empty()) {
    throw Error("the greed distance needs a distance model",
                "train one, or take the authors' published one");
  }
  return std::make_shared<const GinEmbedder>(load_embedder(options.model));
}

DistanceKind greed() {
  const auto make = [](Graphs graphs, std::size_t num_labels, const DistanceOptions& o,
                       ThreadPool& pool) {
    auto embedder = embedder_of(o);
    check_labels(*embedder, num_labels, o.model);
    return make_greed_distance(std::move(graphs), std::move(embedder), pool);
  };
  return {.about = "the paper's neural estimate",
          .needs_model = true,
          .counts_edits = true,
          .make = make};
}

DistanceKind weisfeiler_lehman() {
  const auto make = [](Graphs graphs, std::size_t, const DistanceOptions& o, ThreadPool& pool) {
    return make_wl_distance(std::move(graphs), o.wl, pool);
  };
  return {.about = "Weisfeiler-Lehman kernel", .make = make};
}

DistanceKind random_walk() {
  const auto make = [](Graphs graphs, std::size_t, const DistanceOptions& o, ThreadPool& pool) {
    return make_rw_distance(std::move(graphs), o.rw, pool);
  };
  return {.about = "random-walk kernel", .make = make};
}

DistanceKind neighbourhood_pairs() {
  const auto make = [](Graphs graphs, std::size_t, const DistanceOptions& o, ThreadPool& pool) {
    return make_nspd_distance(std::move(graphs), o.nspd, pool);
  };
  return {.about = "neighbourhood kernel", .make = make};
}

std::vector<GraphPair> drawn_pairs(std::uint32_t graphs, std::uint64_t seed) {
  constexpr std::size_t kMost = 20'000;
  std::vector<GraphPair> out;
  if (std::size_t{graphs} * (graphs - 1) / 2 <= kMost) {
    for (std::uint32_t a = 0; a < graphs; ++a) {
      for (std::uint32_t b = a + 1; b < graphs; ++b) out.push_back({a, b});
    }
    return out;
  }
  Rng rng(seed);
  while (out.size() < kMost) {
    const auto a = static_cast<std::uint32_t>(rng.below(graphs));
    const auto b = static_cast<std::uint32_t>(rng.below(graphs));
    if (a != b) out.push_back({a, b});
  }
  return out;
}

/// For each theta, how many of the pairs a small budget shows to be within it.
std::vector<std::size_t> num_near_by_edits(std::span<const Graph> graphs,
                                           std::span<const GraphPair> pairs,
                                           std::span<const double> thetas, ThreadPool& pool) {
  GedOptions options;
  options.budget.work = 50'000;
  options.budget.stop = pool.stop_sign();
  SolverPool solvers(options, pool);
  const std::vector<PreparedGraph> prepared = prepare_graphs(graphs, pool);
  std::vector<std::size_t> out;
  for (const double theta : thetas) {
    std::atomic<std::size_t> near{0};
    pool.for_chunks(pairs.size(), 1, [&](std::size_t p, std::size_t, int worker) {
      const PreparedGraph& a = prepared[pairs[p].a];
      const PreparedGraph& b = prepared[pairs[p].b];
      const std::int64_t limit = distance_limit(theta, a.graph(), b.graph());
      if (solvers[worker].within(a, b, limit).answer == Answer::kYes) ++near;
    });
    out.push_back(near);
  }
  return out;
}

}  // namespace

DistanceRegistry builtin_distances() {
  DistanceRegistry out("distance");
  out.add("certified", certified());
  out.add("greed", greed());
  out.add("wl", weisfeiler_lehman());
  out.add("rw", random_walk());
  out.add("nspd", neighbourhood_pairs());
  return out;
}

std::vector<double> comparable_thetas(Distance& distance, const std::vector<double>& edit_thetas,
                                      std::uint64_t seed, ThreadPool& pool) {
  constexpr double kLeast = 1e-6;
  const auto graphs = distance.graphs();
  if (graphs.size() < 2) return edit_thetas;
  const auto pairs = drawn_pairs(static_cast<std::uint32_t>(graphs.size()), seed);
  std::vector<Measure> found(pairs.size());
  distance.measure(pairs, found, pool);
  std::vector<double> values;
  values.reserve(found.size());
  for (const Measure& m : found) values.push_back(m.normalized);
  std::sort(values.begin(), values.end());
  std::vector<double> out;
  for (const std::size_t near : num_near_by_edits(graphs, pairs, edit_thetas, pool)) {
    out.push_back(std::clamp(values[near == 0 ? 0 : near - 1], kLeast, 1 - kLeast));
  }
  return out;
}

double default_theta(const DistanceKind& kind, Distance& distance, std::uint64_t seed,
                     ThreadPool& pool) {
  return kind.counts_edits ? kEditTheta : comparable_thetas(distance, {kEditTheta}, seed, pool)[0];
}

}  // namespace fewedits
