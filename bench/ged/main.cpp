// SPDX-License-Identifier: MIT
// The distances measured: microseconds a pair for every method, how many golden pairs are solved
// in a second, and the question of coverage for all (accepted × rejected) pairs of a dataset, with
// the certified GROUND-TRUTH coverage beside GREED's. Answers are checked before they count.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "fewedits/base/file.hpp"
#include "fewedits/base/text.hpp"
#include "fewedits/cover/greedy.hpp"
#include "fewedits/distance/ged_distance.hpp"
#include "fewedits/distance/greed_distance.hpp"
#include "fewedits/distance/kernel_distance.hpp"
#include "fewedits/distance/pair_file.hpp"
#include "fewedits/fewedits.hpp"
#include "fewedits/formats/csv_reader.hpp"
#include "fewedits/ged/batch.hpp"
#include "fewedits/ged/lower_bound.hpp"
#include "support/clock.hpp"
#include "support/shared.hpp"

namespace fewedits::bench {
namespace {

using Json = nlohmann::ordered_json;

struct Arguments {
  std::vector<std::string> datasets = {"AIDS", "Mutagenicity", "NCI1", "PROTEINS"};
  std::string json;
  double exact_ms = 1000;
  double within_ms = 50;
  double theta = 0.1;
  int threads = 0;
  bool golden_only = false;
};

struct GoldenPair {
  GraphPair pair;
  std::int64_t distance = 0;
};

struct Setup {
  std::string name;
  Dataset data;
  std::vector<PreparedGraph> graphs;
  std::vector<GoldenPair> golden;
};

std::string percent(std::uint64_t part, std::uint64_t whole) {
  return fmt::format("{:.2f} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

std::vector<GoldenPair> read_golden(const std::string& file, std::size_t graphs) {
  const std::string text = read_file(file);
  CsvReader rows(text, file);
  CsvRow row;
  rows.next(row);  // the heading
  std::vector<GoldenPair> golden;
  for (const GraphPair& pair : parse_pairs(text, file, graphs)) {
    rows.next(row);
    golden.push_back({pair, std::stoll(row.fields.back())});
  }
  return golden;
}

Setup load(const std::string& name, ThreadPool& pool) {
  Setup s;
  s.name = name;
  s.data = open_dataset(dataset_path(name));
  s.graphs = prepare_graphs(s.data.graphs, pool);
  s.golden =
      read_golden(shared_root() + "/golden/" + ascii_lower(name) + "/exact_ged.csv", s.data.size());
  return s;
}

[[noreturn]] void wrong(const Setup& s, const GoldenPair& g, const std::string& what) {
  throw Error(fmt::format("{} pair {},{}: {} contradicts the golden distance {}", s.name, g.pair.a,
                          g.pair.b, what, g.distance));
}

/// Median over rounds of the mean microseconds a golden pair takes; `ask` answers one.
double microseconds(const Setup& s, const std::function<void(const GoldenPair&)>& ask) {
  std::vector<double> rounds;
  for (int round = 0; round < 5; ++round) {
    const auto start = Clock::now();
    for (const GoldenPair& g : s.golden) ask(g);
    rounds.push_back(seconds_since(start) / static_cast<double>(s.golden.size()) * 1e6);
  }
  return lower_median(rounds);
}

/// One thread, the golden pairs: lower bounds with their mean share of the distance.
void time_lower_bounds(const Setup& s, Json& json) {
  GedSolver solver;
  const std::vector<std::pair<std::string, LowerStrength>> strengths = {
      {"labels", LowerStrength::kLabels},
      {"degrees", LowerStrength::kDegrees},
      {"branches", LowerStrength::kBranches},
      {"dual", LowerStrength::kDual}};
  for (const auto& [name, strength] : strengths) {
    std::int64_t sum = 0;
    std::int64_t of = 0;
    const auto ask = [&, strength = strength](const GoldenPair& g) {
      const std::int64_t lower = solver.lower(s.graphs[g.pair.a], s.graphs[g.pair.b], strength);
      if (lower > g.distance) wrong(s, g, fmt::format("lower bound {}", lower));
      sum += lower;
      of += g.distance;
    };
    const double us = microseconds(s, ask);
    const double tight = static_cast<double>(sum) / static_cast<double>(of);
    fmt::print("  lower, {:<10} {:>10.2f} µs a pair   {:5.1f} % of the distance\n", name, us,
               100 * tight);
    json["lower"][name] = {{"microseconds", us}, {"share_of_distance", tight}};
  }
}

/// One thread: the heuristic at several efforts on near pairs (distance ≤ 12).
void time_upper_bounds(const Setup& s, Json& json) {
  for (const MapEffort effort :
       {MapEffort{1, 0}, MapEffort{3, 10}, MapEffort{}, MapEffort{6, 200}}) {
    GedOptions options;
    options.effort = effort;
    GedSolver solver(options);
    std::size_t near = 0;
    std::size_t equal = 0;
    std::vector<double> rounds;
    for (int round = 0; round < 5; ++round) {
      near = equal = 0;
      const auto start = Clock::now();
      for (const GoldenPair& g : s.golden) {
        if (g.distance > 12) continue;
        const auto found = solver.upper(s.graphs[g.pair.a], s.graphs[g.pair.b]);
        if (found.upper < g.distance) wrong(s, g, fmt::format("upper bound {}", found.upper));
        ++near;
        if (found.upper == g.distance) ++equal;
      }
      rounds.push_back(seconds_since(start) / static_cast<double>(near) * 1e6);
    }
    const double us = lower_median(rounds);
    fmt::print("  upper, {} × {:<6} {:>10.2f} µs a pair   exact on {} of {} near pairs ({})\n",
               effort.starts, effort.kicks, us, equal, near, percent(equal, near));
    json["upper"].push_back({{"starts", effort.starts},
                             {"kicks", effort.kicks},
                             {"microseconds", us},
                             {"near_pairs", near},
                             {"equal_to_exact", equal}});
  }
}

/// One thread: every golden pair, a second each.
void time_exact(const Setup& s, const Arguments& arguments, Json& json) {
  GedOptions options;
  options.budget.milliseconds = arguments.exact_ms;
  GedSolver solver(options);
  std::size_t solved = 0;
  std::vector<double> us;
  for (const GoldenPair& g : s.golden) {
    const auto start = Clock::now();
    const GedBounds found = solver.exact(s.graphs[g.pair.a], s.graphs[g.pair.b]);
    us.push_back(seconds_since(start) * 1e6);
    if (found.lower > g.distance || found.upper < g.distance) {
      wrong(s, g, fmt::format("[{}, {}]", found.lower, found.upper));
    }
    if (found.exact()) ++solved;
  }
  double total = 0;
  for (const double t : us) total += t;
  fmt::print(
      "  exact             {:>10.0f} µs a pair   solved in {:.0f} ms: {} of {} ({}), median "
      "{:.0f} µs\n",
      total / static_cast<double>(us.size()), arguments.exact_ms, solved, us.size(),
      percent(solved, us.size()), lower_median(us));
  json["exact"] = {{"budget_ms", arguments.exact_ms},
                   {"pairs", us.size()},
                   {"solved", solved},
                   {"mean_microseconds", total / static_cast<double>(us.size())},
                   {"median_microseconds", lower_median(us)}};
}

void time_within(const Setup& s, const Arguments& arguments, Json& json) {
  GedOptions options;
  options.budget.milliseconds = arguments.within_ms;
  GedSolver solver(options);
  std::size_t unknown = 0;
  const auto start = Clock::now();
  for (const GoldenPair& g : s.golden) {
    const PreparedGraph& a = s.graphs[g.pair.a];
    const PreparedGraph& b = s.graphs[g.pair.b];
    const std::int64_t limit = distance_limit(arguments.theta, a.graph(), b.graph());
    const Within found = solver.within(a, b, limit);
    const bool contradicts = found.answer == Answer::kYes  ? g.distance > limit
                             : found.answer == Answer::kNo ? g.distance <= limit
                                                           : false;
    if (contradicts) wrong(s, g, "the answer to within");
    if (found.answer == Answer::kUnknown) ++unknown;
  }
  const double us = seconds_since(start) / static_cast<double>(s.golden.size()) * 1e6;
  fmt::print("  within, theta {:<4}{:>10.0f} µs a pair   unknown: {} of {}\n", arguments.theta, us,
             unknown, s.golden.size());
  json["within"] = {{"microseconds", us}, {"unknown", unknown}, {"pairs", s.golden.size()}};
}

std::shared_ptr<const GinEmbedder> embedder_of(const Setup& s) {
  return std::make_shared<const GinEmbedder>(load_embedder(greed_path(s.name)));
}

/// One thread: distances that are computed, not proven. Preparation is per graph.
void time_estimates(const Setup& s, Json& json) {
  ThreadPool one(1);
  const auto embedder = embedder_of(s);
  std::vector<GraphPair> pairs;
  for (const GoldenPair& g : s.golden) pairs.push_back(g.pair);
  using Graphs = std::vector<Graph>;
  const std::map<std::string, std::function<std::unique_ptr<Distance>(Graphs)>> makers = {
      {"greed", [&](Graphs g) { return make_greed_distance(std::move(g), embedder, one); }},
      {"wl", [&](Graphs g) { return make_wl_distance(std::move(g), {}, one); }},
      {"rw", [&](Graphs g) { return make_rw_distance(std::move(g), {}, one); }},
      {"nspd", [&](Graphs g) { return make_nspd_distance(std::move(g), {}, one); }}};
  for (const auto& [name, make] : makers) {
    Graphs graphs = s.data.graphs;  // the copy is not timed
    const auto start = Clock::now();
    const auto distance = make(std::move(graphs));
    const double prepare = seconds_since(start) / static_cast<double>(s.data.size()) * 1e6;
    std::vector<Measure> out(pairs.size());
    std::vector<double> rounds;
    for (int round = 0; round < 5; ++round) {
      const auto begin = Clock::now();
      for (int pass = 0; pass < 20; ++pass) distance->measure(pairs, out, one);
      rounds.push_back(seconds_since(begin) / 20 / static_cast<double>(pairs.size()) * 1e6);
    }
    fmt::print("  {:<17} {:>10.2f} µs a pair   and {:.1f} µs a graph to prepare\n", name,
               lower_median(rounds), prepare);
    json["estimates"][name] = {{"microseconds", lower_median(rounds)}, {"prepare", prepare}};
  }
}

/// Candidates (predicted desired) and inputs (predicted undesired), indices into the dataset.
struct Sides {
  std::vector<std::uint32_t> candidates;
  std::vector<std::uint32_t> inputs;
};

Sides sides_of(const Setup& s, ThreadPool& pool) {
  const auto classifier = open_classifier(classifier_path(s.name), s.data);
  const Predictions predictions = predict(s.data, *classifier, pool);
  Sides sides;
  for (std::uint32_t i = 0; i < s.data.size(); ++i) {
    (predictions.predicted[i] == 1 ? sides.candidates : sides.inputs).push_back(i);
  }
  return sides;
}

std::vector<PreparedGraph> chosen(const Setup& s, const std::vector<std::uint32_t>& indices) {
  std::vector<PreparedGraph> graphs;
  for (const std::uint32_t i : indices) graphs.push_back(s.graphs[i]);
  return graphs;
}

struct Coverage {
  std::size_t covered = 0;
  double median_cost = 0;
};

/// Greedy, k = 10; `cost(candidate, input)` for the median over all inputs.
Coverage summarise(const std::vector<std::vector<std::uint32_t>>& covers, std::size_t inputs,
                   const std::function<double(std::size_t, std::size_t)>& cost) {
  Coverage result;
  std::vector<double> nearest(inputs, std::numeric_limits<double>::infinity());
  for (const Pick& pick : greedy_summary(covers, inputs, 10)) {
    result.covered += pick.gain;
    for (std::size_t i = 0; i < inputs; ++i) {
      nearest[i] = std::min(nearest[i], cost(pick.candidate, i));
    }
  }
  result.median_cost = lower_median(nearest);
  return result;
}

Coverage greed_ground_truth(const Setup& s, const Sides& sides, double theta, ThreadPool& pool) {
  const auto distance = make_greed_distance(s.data.graphs, embedder_of(s), pool);
  std::vector<std::vector<float>> table(sides.candidates.size());
  std::vector<std::vector<std::uint32_t>> covers(sides.candidates.size());
  for (std::size_t c = 0; c < covers.size(); ++c) {
    std::vector<GraphPair> pairs;
    for (const std::uint32_t input : sides.inputs) pairs.push_back({sides.candidates[c], input});
    std::vector<Measure> out(pairs.size());
    distance->measure(pairs, out, pool);
    for (std::uint32_t i = 0; i < out.size(); ++i) {
      table[c].push_back(static_cast<float>(out[i].normalized));
      if (out[i].normalized <= theta) covers[c].push_back(i);
    }
  }
  return summarise(covers, sides.inputs.size(),
                   [&](std::size_t c, std::size_t i) { return double{table[c][i]}; });
}

void print_stages(const BatchStatistics& stats) {
  const std::uint64_t pairs = stats.pairs();
  fmt::print("    never touched (size and label groups) {:>10}\n", percent(stats.untouched, pairs));
  for (std::size_t stage = 0; stage + 1 < kGedStages; ++stage) {
    std::uint64_t no = stats.no[stage];
    if (stage == 0) no -= stats.untouched;
    if (no + stats.yes[stage] == 0) continue;
    fmt::print("    {:<12} no {:>10}   yes {:>10}\n", name_of(static_cast<GedStage>(stage)),
               percent(no, pairs), percent(stats.yes[stage], pairs));
  }
  fmt::print("    unknown         {:>10}   ({} pairs)\n", percent(stats.unknown, pairs),
             stats.unknown);
}

Json stages_json(const BatchStatistics& stats) {
  Json json{{"pairs", stats.pairs()}, {"untouched", stats.untouched}, {"unknown", stats.unknown}};
  for (std::size_t stage = 0; stage + 1 < kGedStages; ++stage) {
    json["no"][name_of(static_cast<GedStage>(stage))] = stats.no[stage];
    json["yes"][name_of(static_cast<GedStage>(stage))] = stats.yes[stage];
  }
  return json;
}

/// Carries the edits of a yes out; throws Error unless they lead to b within theta.
void check_claim(const Graph& a, const Graph& b, const NodeMap& map, double theta) {
  const Verdict verdict =
      check_certificate(a, b, edit_script(a, b, map), {}, distance_limit(theta, a, b));
  if (!verdict.holds) throw Error("a claimed distance does not replay: " + verdict.reason);
}

/// Every (accepted, rejected) pair of the dataset: within theta or not?
void all_pairs(const Setup& s, const Arguments& arguments, ThreadPool& pool, Json& json) {
  const Sides sides = sides_of(s, pool);
  const auto candidates = chosen(s, sides.candidates);
  const auto inputs = chosen(s, sides.inputs);
  GedOptions options;
  options.budget.milliseconds = arguments.within_ms;
  const GedIndex index(inputs);
  std::vector<std::vector<std::uint32_t>> proven(candidates.size());
  std::vector<std::vector<std::uint32_t>> possible(candidates.size());
  const auto start = Clock::now();
  const BatchStatistics stats =
      within_theta(candidates, index, arguments.theta, options, pool, [&](const PairAnswer& p) {
        if (p.within.answer == Answer::kNo) return;
        possible[p.query].push_back(p.target);
        if (p.within.answer == Answer::kUnknown) return;
        check_claim(candidates[p.query].graph(), inputs[p.target].graph(), p.within.map,
                    arguments.theta);
        proven[p.query].push_back(p.target);
      });
  const double seconds = seconds_since(start);
  const std::uint64_t pairs = stats.pairs();
  fmt::print("  all {} × {} = {} pairs: {:.1f} s on {} threads, {:.1f} µs a pair\n",
             candidates.size(), inputs.size(), pairs, seconds, pool.size(),
             seconds / static_cast<double>(pairs) * 1e6);
  print_stages(stats);

  GedSolver heuristic;
  const Coverage certified = summarise(proven, inputs.size(), [&](std::size_t c, std::size_t i) {
    const GedBounds found = heuristic.upper(candidates[c], inputs[i]);
    return normalized_distance(found.upper, candidates[c].graph(), inputs[i].graph());
  });
  const auto ten = greedy_summary(possible, inputs.size(), 10);
  std::size_t at_most = 0;
  for (const Pick& pick : ten) at_most += pick.gain;
  const Coverage greed = greed_ground_truth(s, sides, arguments.theta, pool);
  const auto share = [&](std::size_t covered) { return percent(covered, inputs.size()); };
  fmt::print(
      "  GROUND-TRUTH, k = 10: certified {} / at most {:.4f} (greedy {} if every unknown pair were "
      "within), GREED {} / {:.4f}\n",
      share(certified.covered), certified.median_cost, share(at_most), share(greed.covered),
      greed.median_cost);
  json["all_pairs"] = stages_json(stats);
  json["all_pairs"]["seconds"] = seconds;
  json["all_pairs"]["threads"] = pool.size();
  json["all_pairs"]["budget_ms"] = arguments.within_ms;
  const auto of = [&](std::size_t covered) {
    return static_cast<double>(covered) / static_cast<double>(inputs.size());
  };
  json["ground_truth"] = {{"certified_coverage", of(certified.covered)},
                          {"certified_median_cost", certified.median_cost},
                          {"coverage_if_unknown_were_within", of(at_most)},
                          {"greed_coverage", of(greed.covered)},
                          {"greed_median_cost", greed.median_cost}};
}

int run(const Arguments& arguments) {
  if (lacks("golden")) return kSkipped;
  ThreadPool pool(arguments.threads);
  Json json;
  for (const std::string& name : arguments.datasets) {
    const Setup s = load(name, pool);
    fmt::print("{}: {} golden pairs, one thread\n", name, s.golden.size());
    Json& part = json[name];
    time_lower_bounds(s, part);
    time_upper_bounds(s, part);
    time_exact(s, arguments, part);
    time_within(s, arguments, part);
    time_estimates(s, part);
    if (!arguments.golden_only) all_pairs(s, arguments, pool, part);
    (void)std::fflush(stdout);
  }
  if (!arguments.json.empty()) write_file_atomically(arguments.json, json.dump(1) + "\n");
  return 0;
}

}  // namespace
}  // namespace fewedits::bench

int main(int argc, char** argv) {
  fewedits::bench::Arguments arguments;
  CLI::App app{"Distances: accuracy and time of every method, certified ground-truth coverage"};
  app.add_option("--datasets", arguments.datasets, "which of the four")->capture_default_str();
  app.add_option("--exact-ms", arguments.exact_ms, "budget of exact")->capture_default_str();
  app.add_option("--within-ms", arguments.within_ms, "budget of within")->capture_default_str();
  app.add_option("--theta", arguments.theta, "limit of within")->capture_default_str();
  app.add_option("--threads", arguments.threads, "for all pairs; 0: one per core")
      ->capture_default_str();
  app.add_option("--json", arguments.json, "write the figures here too");
  app.add_flag("--golden-only", arguments.golden_only, "leave out all pairs");
  CLI11_PARSE(app, argc, argv);
  try {
    return fewedits::bench::run(arguments);
  } catch (const std::exception& error) {
    fmt::print(stderr, "ged_bench: {}\n", error.what());
    return 1;
  }
}
