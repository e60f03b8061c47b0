// SPDX-License-Identifier: MIT
// The heart of the walk, measured: neighbours evaluated per second (φ, GREED, coverage of all
// inputs), ours against the dense evaluation with libtorch, in one run, rounds interleaved, answers
// compared first. --walks: whole walks of the paper's length. --growth: the same walk over more
// and more inputs.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "fewedits/base/file.hpp"
#include "fewedits/search/walk/walk.hpp"
#include "sections.hpp"
#include "support/memory.hpp"
#include "support/published.hpp"

namespace fewedits::bench {
namespace {

struct Arguments {
  std::vector<std::string> datasets;
  EvaluationOptions evaluation;
  bool walks = false;
  bool growth = false;
  std::uint64_t steps = kPaperSteps;
  std::uint64_t growth_steps = 300;
  std::vector<std::size_t> inputs = {1'000, 10'000, 100'000};
  int threads = 0;
  std::string json;
};

std::vector<std::string> or_else(std::vector<std::string> chosen,
                                 std::span<const std::string> standard) {
  return chosen.empty() ? std::vector(standard.begin(), standard.end()) : chosen;
}

int run(const Arguments& a) {
  if (lacks("datasets") || lacks("models")) return kSkipped;
  Json json{{"program_bytes", peak_memory()}};
  fmt::print("memory of the program with libtorch, before it begins: {} MiB\n",
             peak_memory() >> 20);
  if (!a.walks && !a.growth) {
    const std::vector<std::string> two{"Mutagenicity", "NCI1"};
    for (const std::string& dataset : or_else(a.datasets, two)) {
      json["evaluation"][dataset] = compare_evaluation(dataset, a.evaluation);
    }
  }
  if (a.walks) json["walks"] = time_walks(or_else(a.datasets, kPaperDatasets), a.steps, a.threads);
  if (a.growth) json["growth"] = time_growth(a.inputs, a.growth_steps, a.threads);
  if (!a.json.empty()) write_file_atomically(a.json, json.dump(2) + "\n");
  return 0;
}

}  // namespace
}  // namespace fewedits::bench

int main(int argc, char** argv) {
  fewedits::bench::Arguments a;
  CLI::App app{"The walk's speed: neighbours per second against libtorch, whole walks, growth"};
  app.add_option("--dataset", a.datasets, "Mutagenicity and NCI1 unless given; --walks: all four")
      ->check(CLI::IsMember(fewedits::bench::kPaperDatasets))
      ->delimiter(',');
  app.add_option("--expansions", a.evaluation.expansions, "graphs to take from a walk")
      ->capture_default_str();
  app.add_option("--graphs", a.evaluation.graphs,
                 "neighbours to evaluate at most: some of the expansions, drawn by lot; 0: all")
      ->capture_default_str();
  app.add_option("--rounds", a.evaluation.rounds)->capture_default_str();
  app.add_flag("--walks", a.walks, "instead: whole walks");
  app.add_option("--steps", a.steps, "of each of --walks")->capture_default_str();
  app.add_flag("--growth", a.growth, "instead: a walk over 1,000, 10,000, 100,000 inputs");
  app.add_option("--growth-steps", a.growth_steps)->capture_default_str();
  app.add_option("--inputs", a.inputs, "of --growth")->delimiter(',')->capture_default_str();
  app.add_option("--threads", a.threads, "of --walks and --growth; 0: one per core")
      ->capture_default_str();
  app.add_option("--json", a.json, "also write the figures here");
  CLI11_PARSE(app, argc, argv);
  try {
    return fewedits::bench::run(a);
  } catch (const std::exception& error) {
    fmt::print(stderr, "walk_step_bench: {}\n", error.what());
    return 1;
  }
}
