// SPDX-License-Identifier: MIT
// How fast the certified search looks at neighbours: climbs like those of search/climb/climber, but
// to a random one of the eight best neighbours and with every input counting; one climb a thread,
// each part timed. Costs are compared with those of their maps.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <ctime>
#include <numeric>

#include "fewedits/chem/graph_view.hpp"
#include "fewedits/edit/moves.hpp"
#include "fewedits/ged/batch.hpp"
#include "fewedits/search/climb/map_keeper.hpp"
#include "fewedits/synthetic/generator.hpp"
#include "support/clock.hpp"
#include "support/memory.hpp"
#include "support/published.hpp"

namespace fewedits::bench {
namespace {

struct Times {
  double start = 0;       ///< first maps of a climb
  double neighbours = 0;  ///< listing edits, and their worth by counting
  double classifier = 0;
  double maps = 0;  ///< moving: carrying maps along and improving them
  std::uint64_t steps = 0;
  std::uint64_t edits = 0;

  void add(const Times& t) {
    start += t.start;
    neighbours += t.neighbours;
    classifier += t.classifier;
    maps += t.maps;
    steps += t.steps;
    edits += t.edits;
  }
};

/// Of the processor, for this thread: other programs do not count.
double seconds_of_thread() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

class Clocked {
 public:
  explicit Clocked(double& sum) : sum_(sum) {}
  ~Clocked() { sum_ += seconds_of_thread() - start_; }
  Clocked(const Clocked&) = delete;
  Clocked& operator=(const Clocked&) = delete;

 private:
  double& sum_;
  double start_ = seconds_of_thread();
};

/// The edit map that is climbed: without labels of edges, with them, or that of molecules.
struct Map {
  MapKeeper::Alphabet alphabet;
  Constraints constraints;

  [[nodiscard]] Moves moves_of(const Graph& graph) const {
    NeighbourOptions options{alphabet.num_labels, {}, false};
    options.num_edge_labels = alphabet.num_edge_labels;
    return moves(graph, options, constraints);
  }
};

/// Throws unless every cost is that of its map.
void check(MapKeeper& keeper, std::span<const PreparedGraph> inputs, const EditCosts& costs) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (keeper.map(i).empty()) continue;
    const NodeMap& map = keeper.map(i);
    if (induced_cost(keeper.graph(), inputs[i].graph(), map, costs) == keeper.cost(i)) continue;
    throw Error("a map does not cost what is claimed");
  }
}

/// A climb to the neighbours that are worth most, asking about eight of them.
Times climb(const Graph& start, std::span<const PreparedGraph> inputs, const Classifier& classifier,
            std::size_t desired, const Map& map, int steps, std::uint64_t seed) {
  constexpr std::size_t kAsked = 8;
  Times times;
  Rng rng(seed);
  ThreadPool alone(1);
  MapKeeper keeper(inputs, map.alphabet);
  {
    const Clocked clock(times.start);
    keeper.reset(start, {}, std::vector<std::uint8_t>(inputs.size(), 1), rng);
  }
  for (int step = 0; step < steps; ++step) {
    Moves moves;
    std::vector<std::uint32_t> order;
    {
      const Clocked clock(times.neighbours);
      moves = map.moves_of(keeper.graph());
      const auto values = keeper.values(moves);
      order.resize(moves.size());
      std::iota(order.begin(), order.end(), 0U);
      const std::size_t most = std::min(order.size(), kAsked);
      std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(most),
                        order.end(),
                        [&](std::uint32_t a, std::uint32_t b) { return values[a] > values[b]; });
      order.resize(most);
    }
    std::vector<Graph> asked;
    for (const std::uint32_t e : order) asked.push_back(apply_step(keeper.graph(), moves[e]));
    {
      const Clocked clock(times.classifier);
      (void)judge(asked, classifier, desired, alone);
    }
    {
      const Clocked clock(times.maps);
      const auto way = moves[order[rng.below(order.size())]];
      keeper.move(way, apply_step(keeper.graph(), way), rng);
    }
    ++times.steps;
    times.edits += moves.size();
  }
  check(keeper, inputs, map.alphabet.costs);
  return times;
}

/// Returns neighbours per second of a processor; `of`: what that was without bonds, 0: this is it.
double measure(const std::string& name, const std::vector<Graph>& graphs,
               const Classifier& classifier, std::size_t desired, const Map& map, int climbs,
               int steps, ThreadPool& pool, double of = 0) {
  reset_peak_memory();
  const auto inputs = prepare_graphs(graphs, pool);
  std::vector<Times> parts(static_cast<std::size_t>(climbs));
  const auto start = Clock::now();
  pool.for_chunks(parts.size(), 1, [&](std::size_t c, std::size_t, int) {
    const std::size_t from = c * graphs.size() / parts.size();
    parts[c] = climb(graphs[from], inputs, classifier, desired, map, steps, c + 1);
  });
  const double seconds = seconds_since(start);
  Times all;
  for (const Times& t : parts) all.add(t);
  const double sum = all.start + all.neighbours + all.classifier + all.maps;
  const auto share = [&](double part) { return fmt::format("{:.0f} %", 100 * part / sum); };
  const auto edits = static_cast<double>(all.edits);
  const double rate = edits / sum;
  fmt::print(
      "| {} | {} | {} | {:.0f} | {:.2f} | {:.0f} | {:.0f} | {:.2f} | {} | {} | {} | {} | {} |\n",
      name, graphs.size(), all.steps, edits / static_cast<double>(all.steps),
      1e3 * (sum - all.start) / static_cast<double>(all.steps), edits / seconds, rate,
      of > 0 ? rate / of : 1.0, share(all.start), share(all.maps), share(all.neighbours),
      share(all.classifier), peak_memory() >> 20);
  (void)std::fflush(stdout);
  return rate;
}

/// Notes how many graphs it is asked about at a time.
class CountingClassifier final : public Classifier {
 public:
  explicit CountingClassifier(const Classifier& behind) : behind_(behind) {}

  [[nodiscard]] std::size_t num_classes() const override { return behind_.num_classes(); }
  [[nodiscard]] std::size_t num_labels() const override { return behind_.num_labels(); }
  void log_probabilities(std::span<const Graph> graphs, std::span<float> out,
                         ThreadPool& pool) const override {
    batches.push_back(graphs.size());
    behind_.log_probabilities(graphs, out, pool);
  }

  mutable std::vector<std::size_t> batches;

 private:
  const Classifier& behind_;
};

/// What the model is asked during a certified explanation, walk left out.
void measure_batches(const std::string& name, std::uint64_t work, std::size_t climbs,
                     ThreadPool& pool) {
  const Published p(name);
  const CountingClassifier counting(*p.classifier);
  const RejectedGraphs graphs = rejected_graphs(p.data, counting, pool);
  ExplainOptions options;
  options.bonds = false;
  options.steps = 1;
  options.refine_work = work;
  options.climbs = climbs;
  counting.batches.clear();
  const auto start = Clock::now();
  const std::clock_t used = std::clock();
  const Explanation why = explain(p.data, counting, graphs, options, pool);
  const double seconds = seconds_since(start);
  const double processor =
      static_cast<double>(std::clock() - used) / static_cast<double>(CLOCKS_PER_SEC);
  std::vector<std::size_t> sizes = counting.batches;
  std::sort(sizes.begin(), sizes.end());
  const std::size_t sum = std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
  const auto quantile = [&](double q) {
    return sizes[static_cast<std::size_t>(q * static_cast<double>(sizes.size() - 1))];
  };
  fmt::print("| {} | {} | {:.1f} | {:.1f} | {} | {} | {:.1f} | {} | {} | {} | {:.2f} % |\n", name,
             climbs, seconds, processor, sizes.size(), sum,
             static_cast<double>(sum) / static_cast<double>(sizes.size()), quantile(0.1),
             quantile(0.5), sizes.back(), 100 * why.metrics.coverage);
  (void)std::fflush(stdout);
}

int run_batches(std::uint64_t work, const std::vector<std::size_t>& climbs, int threads) {
  if (lacks("models")) return kSkipped;
  ThreadPool pool(threads);
  fmt::print(
      "{} threads, certified explanations of {} units of work, seed 1: graphs that the model is "
      "asked about at a time.\n\n"
      "| dataset | climbs | seconds | processor s | batches | graphs | mean | tenth | median | "
      "largest | covered |\n|---|---|---|---|---|---|---|---|---|---|---|\n",
      pool.size(), work);
  for (const std::string& dataset : kPaperDatasets) {
    for (const std::size_t width : climbs) measure_batches(dataset, work, width, pool);
  }
  return 0;
}

std::vector<Graph> inputs_of(const Published& p, ThreadPool& pool) {
  return without_edge_labels(p.data, rejected_graphs(p.data, *p.classifier, pool).rejected);
}

int run(const std::vector<std::string>& datasets, bool growth, bool with_bonds, int climbs,
        int steps, int threads) {
  if (lacks("models")) return kSkipped;
  ThreadPool pool(threads);
  fmt::print(
      "{} threads, climbs of {} steps; every claimed cost is checked. Neighbours: each one against "
      "all inputs near it. All but neighbours/s is the processor's time, whatever else runs.\n\n"
      "| inputs of | number | steps | neighbours a step | ms a step | neighbours/s | per processor "
      "s | of those without bonds | first maps | maps | neighbours | classifier | peak MiB |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
      pool.size(), steps);
  if (growth) {
    const Published models("Mutagenicity");
    for (const std::size_t count : {1'000U, 10'000U, 100'000U}) {
      std::vector<Graph> graphs;
      for (const Graph& g : generate({.graphs = count, .undesired_share = 1}).graphs) {
        graphs.push_back(g.without_edge_labels());
      }
      measure("generator", graphs, *models.classifier, models.desired_class(),
              {{models.classifier->num_labels()}, {}}, climbs, steps, pool);
    }
    return 0;
  }
  for (const std::string& dataset : datasets) {
    const Published p(dataset);
    const std::size_t labels = p.classifier->num_labels();
    const double blind = measure(dataset, inputs_of(p, pool), *p.classifier, p.desired_class(),
                                 {{labels}, {}}, climbs, steps, pool);
    if (!with_bonds || !GraphView::knows_bonds(p.data)) continue;
    const GraphView view(p.data, true);
    Map bonds{{labels, view.edge_label_names().size()}, {}};
    bonds.alphabet.costs.relabel_edge = 1;
    const auto graphs = view.of(p.data, rejected_graphs(p.data, *p.classifier, pool).rejected);
    measure(dataset + ", labelled edges", graphs, *p.classifier, p.desired_class(), bonds, climbs,
            steps, pool, blind);
    bonds.constraints.molecule = view.rules();
    measure(dataset + ", molecules", graphs, *p.classifier, p.desired_class(), bonds, climbs, steps,
            pool, blind);
  }
  return 0;
}

}  // namespace
}  // namespace fewedits::bench

int main(int argc, char** argv) {
  bool growth = false;
  int climbs = 16;
  int steps = 60;
  int threads = 0;
  CLI::App app("The certified search's speed: neighbours per second, and where the time goes");
  std::vector<std::string> datasets{fewedits::bench::kPaperDatasets.begin(),
                                    fewedits::bench::kPaperDatasets.end()};
  app.add_option("--datasets", datasets, "comma-separated")
      ->check(CLI::IsMember(fewedits::bench::kPaperDatasets))
      ->delimiter(',')
      ->capture_default_str();
  app.add_flag("--growth", growth, "instead: 1,000, 10,000, 100,000 generated inputs");
  bool with_bonds = false;
  app.add_flag("--bonds", with_bonds, "also with bonds, and on the edit map of molecules");
  bool batches = false;
  std::uint64_t work = 475'000'000;
  std::vector<std::size_t> widths{8};
  app.add_flag("--batches", batches, "instead: how many graphs the model is asked about at a time");
  app.add_option("--work", work, "of --batches")->capture_default_str();
  app.add_option("--widths", widths, "of --batches: climbs side by side")->capture_default_str();
  app.add_option("--climbs", climbs, "")->capture_default_str();
  app.add_option("--steps", steps, "of each climb")->capture_default_str();
  app.add_option("--threads", threads, "0: one per core")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    return batches ? fewedits::bench::run_batches(work, widths, threads)
                   : fewedits::bench::run(datasets, growth, with_bonds, climbs, steps, threads);
  } catch (const std::exception& error) {
    fmt::print(stderr, "certified_step_bench: {}\n", error.what());
    return 1;
  }
}
