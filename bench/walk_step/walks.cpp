// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "fewedits/distance/greed_distance.hpp"
#include "fewedits/search/walk/walk.hpp"
#include "fewedits/synthetic/generator.hpp"
#include "sections.hpp"
#include "support/clock.hpp"
#include "support/memory.hpp"
#include "workload.hpp"

namespace fewedits::bench {
namespace {

struct WalkTimes {
  std::vector<double> steps;  ///< seconds of each
  std::uint64_t evaluated = 0;
  std::uint64_t choices = 0;
  std::size_t visited = 0;       ///< different counterfactuals
  std::size_t visited_once = 0;  ///< of these

  [[nodiscard]] double seconds() const { return std::accumulate(steps.begin(), steps.end(), 0.0); }
  /// Of the neighbours the walk chose among.
  [[nodiscard]] double cached_share() const {
    return 1 - static_cast<double>(evaluated) /
                   static_cast<double>(std::max<std::uint64_t>(1, choices));
  }
};

/// The paper's walk, alpha 0.5, seed 1.
WalkTimes timed_walk(Evaluator& evaluator, std::size_t num_labels, std::uint64_t steps,
                     ThreadPool& pool) {
  const Constraints constraints;
  Walk walk(evaluator, constraints, num_labels, {});
  WalkTimes times;
  auto told = Clock::now();
  while (walk.steps() < steps) {
    const auto start = Clock::now();
    walk.step(pool);
    times.steps.push_back(seconds_since(start));
    if (seconds_since(told) < 30) continue;
    told = Clock::now();
    fmt::print(stderr, "step {} of {}\n", walk.steps(), steps);
  }
  times.evaluated = walk.evaluated();
  times.choices = walk.choices();
  const auto visited = walk.visits().graphs();
  times.visited = visited.size();
  times.visited_once = static_cast<std::size_t>(std::count_if(
      visited.begin(), visited.end(), [](const VisitedGraph& v) { return v.count == 1; }));
  return times;
}

double mean_ms(std::span<const double> seconds) {
  return std::accumulate(seconds.begin(), seconds.end(), 0.0) * 1e3 /
         static_cast<double>(seconds.size());
}

Json time_walk(const std::string& dataset, std::uint64_t steps, ThreadPool& pool) {
  reset_peak_memory();
  const Published models(dataset);
  const auto distance = greed_of(models, pool);
  ModelEvaluator evaluator = evaluator_of(models, *distance);
  const WalkTimes times = timed_walk(evaluator, models.data.node_labels.size(), steps, pool);
  const double seconds = times.seconds();
  const std::uint64_t memory = peak_memory();
  fmt::print("| {} | {} | {:.1f} | {:.1f} | {} | {:.0f} | {:.1f} % | {} | {} | {} |\n", dataset,
             evaluator.inputs().size(), seconds, static_cast<double>(steps) / seconds,
             times.evaluated, static_cast<double>(times.evaluated) / seconds,
             100 * times.cached_share(), times.visited, times.visited_once, memory >> 20);
  (void)std::fflush(stdout);
  return {{"dataset", dataset},       {"inputs", evaluator.inputs().size()},
          {"steps", steps},           {"threads", pool.size()},
          {"seconds", seconds},       {"evaluated", times.evaluated},
          {"choices", times.choices}, {"cached_share", times.cached_share()},
          {"visited", times.visited}, {"visited_once", times.visited_once},
          {"peak_bytes", memory}};
}

Json time_size(std::size_t inputs, std::uint64_t steps, const Published& models, ThreadPool& pool) {
  reset_peak_memory();
  std::vector<Graph> graphs =
      generate({.graphs = inputs, .undesired_share = 1, .threads = pool.size()}).graphs;
  for (Graph& g : graphs) g = g.without_edge_labels();
  const auto start = Clock::now();
  const auto distance = make_greed_distance(std::move(graphs), models.greed, pool);
  const double prepared = seconds_since(start);
  ModelEvaluator evaluator = evaluator_of(models, *distance);
  const WalkTimes times = timed_walk(evaluator, models.data.node_labels.size(), steps, pool);
  const std::size_t third = std::max<std::size_t>(1, times.steps.size() / 3);
  const double early = mean_ms(std::span(times.steps).first(third));
  const double late = mean_ms(std::span(times.steps).last(third));
  const double neighbour = times.seconds() * 1e6 / static_cast<double>(times.evaluated);
  const std::uint64_t memory = peak_memory();
  fmt::print("| {} | {:.2f} | {:.2f} | {:.2f} | {} | {:.2f} | {} |\n", inputs, prepared, early,
             late, times.evaluated, neighbour, memory >> 20);
  (void)std::fflush(stdout);
  return {{"inputs", inputs},
          {"steps", steps},
          {"threads", pool.size()},
          {"prepare_seconds", prepared},
          {"early_ms_a_step", early},
          {"late_ms_a_step", late},
          {"evaluated", times.evaluated},
          {"us_a_neighbour", neighbour},
          {"peak_bytes", memory}};
}

}  // namespace

Json time_walks(const std::vector<std::string>& datasets, std::uint64_t steps, int threads) {
  ThreadPool pool(threads);
  fmt::print("\n## Walks of {} steps, alpha 0.5, {} threads\n\n", steps, pool.size());
  fmt::print(
      "| dataset | inputs | seconds | steps/s | neighbours evaluated | per second | taken from the "
      "cache | counterfactuals visited | once | peak MiB "
      "|\n|---|---|---|---|---|---|---|---|---|---|\n");
  Json json = Json::array();
  for (const std::string& dataset : datasets) json.push_back(time_walk(dataset, steps, pool));
  return json;
}

Json time_growth(const std::vector<std::size_t>& inputs, std::uint64_t steps, int threads) {
  // Generated graphs have Mutagenicity's labels, so its published models fit them.
  const Published models("Mutagenicity");
  ThreadPool pool(threads);
  fmt::print(
      "\n## A walk of {} steps over generated graphs, {} threads\n\nMutagenicity's published "
      "models; all generated graphs are inputs, whatever the classifier says.\n\n",
      steps, pool.size());
  fmt::print(
      "| inputs | s to embed them | ms a step, first third | last third | neighbours evaluated | "
      "µs "
      "a neighbour | peak MiB |\n|---|---|---|---|---|---|---|\n");
  Json json = Json::array();
  for (const std::size_t count : inputs) json.push_back(time_size(count, steps, models, pool));
  return json;
}

}  // namespace fewedits::bench
