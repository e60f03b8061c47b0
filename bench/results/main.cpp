// SPDX-License-Identifier: MIT
// What the explanations are worth, as Markdown: the paper's claims, its baseline, its algorithm and
// our certified search, all measured alike. Hours with the paper's settings; every explanation is
// kept in --folder, and one that is there is not searched again.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ctime>
#include <thread>

#include "fewedits/base/file.hpp"
#include "table.hpp"

namespace fewedits::bench {
namespace {

struct Arguments {
  std::vector<std::string> datasets{kPaperDatasets.begin(), kPaperDatasets.end()};
  Plan plan;
  int threads = 0;
  std::string output;
};

std::vector<std::string> mode_names() {
  std::vector<std::string> out;
  for (const Mode& mode : kModes) out.push_back(mode.name);
  return out;
}

/// The command searches what is not in the folder, whatever was searched when this was written.
std::string footer(const std::string& dataset, const ThreadPool& pool) {
  return fmt::format(
      "Measured with {} threads on a machine of {}, {:%Y-%m-%d}. All of it, from an empty folder: "
      "`build/release/bench/results_bench --datasets {}`",
      pool.size(), std::thread::hardware_concurrency(), fmt::gmtime(std::time(nullptr)), dataset);
}

Row measured(const Mode& mode, std::uint64_t seed, const Found& found, Yardstick& yardstick) {
  const Explanation& e = found.explanation;
  const Figures f = yardstick.measure(e);
  fmt::print(stderr,
             "{}, seed {}: GREED claims {:.2f} %; certified {:.2f} to {:.2f} %, median {:.4f}\n",
             mode.title, seed, f.claimed, f.proven, f.possible, f.cost);
  return {&mode, seed, e.steps, e.seconds, f, found.note};
}

std::vector<Row> rows(const std::string& dataset, const Plan& plan, ThreadPool& pool) {
  const Published models(dataset);
  const Searches searches(dataset, models, plan.folder, pool);
  Yardstick yardstick(models, pool);
  std::vector<Row> out;
  for (const Mode& mode : kModes) {
    for (const std::uint64_t seed : plan.seeds_of(mode)) {
      const auto options = plan.options_of(mode, seed, dataset, models);
      if (!options) continue;
      const auto found = plan.has(mode) ? searches.find(*options) : searches.known(*options);
      if (found) out.push_back(measured(mode, seed, *found, yardstick));
    }
  }
  return out;
}

int run(const Arguments& arguments) {
  if (lacks("datasets") || lacks("models")) return kSkipped;
  ThreadPool pool(arguments.threads);
  std::string text = preface(arguments.plan);
  for (const PaperDataset& paper : kPaper) {
    if (std::count(arguments.datasets.begin(), arguments.datasets.end(), paper.name) == 0) continue;
    text += table(paper, rows(paper.name, arguments.plan, pool), footer(paper.name, pool));
    // After each dataset, so that what is done can be read while the rest runs.
    if (!arguments.output.empty()) write_file_atomically(arguments.output, text);
  }
  if (arguments.output.empty()) {
    fmt::print("{}", text);
  } else {
    fmt::print(stderr, "wrote {}\n", arguments.output);
  }
  return 0;
}

}  // namespace
}  // namespace fewedits::bench

int main(int argc, char** argv) {
  fewedits::bench::Arguments a;
  CLI::App app{"The paper's claims, its algorithm and ours under one measure"};
  app.add_option("--datasets", a.datasets, "comma-separated")
      ->check(CLI::IsMember(fewedits::bench::kPaperDatasets))
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--modes", a.plan.modes,
                 "what to search, comma-separated; explanations of other modes are shown if they "
                 "are in the folder")
      ->check(CLI::IsMember(fewedits::bench::mode_names()))
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--seeds", a.plan.seeds, "of the mode certified, comma-separated; others: 1")
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--steps", a.plan.steps,
                 "of the walks of the modes plain, paper, refined and certified-walk")
      ->capture_default_str();
  app.add_option("--threads", a.threads, "0: one per core")->capture_default_str();
  app.add_option("--folder", a.plan.folder,
                 "where the explanations are; delete one to have it searched again")
      ->capture_default_str();
  app.add_option("--output", a.output, "Markdown file; standard output unless given");
  CLI11_PARSE(app, argc, argv);
  try {
    return fewedits::bench::run(a);
  } catch (const std::exception& error) {
    fmt::print(stderr, "results_bench: {}\n", error.what());
    return 2;
  }
}
