// SPDX-License-Identifier: MIT
// Graphs per second of the published Mutagenicity classifier: ours against libtorch, the same
// batches of 1,000 graphs, in one run, rounds interleaved so that a noisy machine hits both.
// Answers are compared before anything is timed.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <nlohmann/json.hpp>
#include <thread>

#include "gcfx/base/file.hpp"
#include "gcfx/gcfx.hpp"
#include "gcfx/nn/model_file.hpp"
#include "libtorch.hpp"
#include "peak.hpp"

namespace gcfx::bench {
namespace {

constexpr std::size_t kBatch = 1000;

struct Setup {
  Dataset data;
  LoadedModel model;
  std::vector<std::span<const Graph>> batches;
  double flops = 0;  ///< useful operations for the whole dataset
};

struct Contender {
  std::string name;
  int threads;
  std::function<std::vector<float>()> run;  ///< the whole dataset
  std::vector<double> seconds;

  [[nodiscard]] double median() const {
    auto sorted = seconds;
    std::sort(sorted.begin(), sorted.end());
    return sorted[sorted.size() / 2];
  }
};

Setup load(const std::string& dataset, const std::string& model) {
  Setup s{open_dataset(dataset), load_model(model), {}, 0};
  for (std::size_t at = 0; at < s.data.size(); at += kBatch) {
    const std::size_t count = std::min(kBatch, s.data.size() - at);
    s.batches.emplace_back(&s.data.graphs[at], count);
  }
  const NativeClassifier native(s.model.spec, s.model.weights, model);
  for (const Graph& g : s.data.graphs) s.flops += native.flops(g);
  return s;
}

Contender native(const Setup& s, const Kernels& kernels, int threads) {
  auto classifier =
      std::make_shared<NativeClassifier>(s.model.spec, s.model.weights, "model", kernels);
  auto pool = std::make_shared<ThreadPool>(threads);
  return {fmt::format("gcfx {}", kernels.name),
          threads,
          [&s, classifier, pool] {
            std::vector<float> out(s.data.size() * classifier->num_classes());
            std::span<float> rest(out);
            for (const auto& batch : s.batches) {
              const std::size_t floats = batch.size() * classifier->num_classes();
              classifier->log_probabilities(batch, rest.first(floats), *pool);
              rest = rest.subspan(floats);
            }
            return out;
          },
          {}};
}

Contender libtorch(const Setup& s, std::shared_ptr<LibtorchGcn> model, Aggregator aggregator,
                   int threads) {
  const char* name = aggregator == Aggregator::kScatter ? "libtorch scatter" : "libtorch sparse";
  return {name,
          threads,
          [&s, model = std::move(model), aggregator, threads] {
            LibtorchGcn::set_threads(threads);
            std::vector<float> out;
            for (std::size_t b = 0; b < s.batches.size(); ++b) {
              const auto part = model->run(b, aggregator);
              out.insert(out.end(), part.begin(), part.end());
            }
            return out;
          },
          {}};
}

/// Largest difference of log-probabilities to the first contender.
void check_answers(const std::vector<Contender>& contenders) {
  const auto expected = contenders.front().run();
  for (const Contender& c : contenders) {
    const auto actual = c.run();
    if (actual.size() != expected.size()) throw Error(c.name + " gives another number of outputs");
    for (std::size_t i = 0; i < actual.size(); ++i) {
      if (!(std::abs(actual[i] - expected[i]) < 1e-4)) {
        throw Error(
            fmt::format("{} disagrees at output {}: {} and {}", c.name, i, actual[i], expected[i]));
      }
    }
  }
}

void time_rounds(std::vector<Contender>& contenders, int rounds) {
  // One pass takes milliseconds, too short for the system to spread threads over cores.
  constexpr int kPasses = 8;
  for (int round = 0; round < rounds; ++round) {
    for (Contender& c : contenders) {
      // Idle workers of OpenMP and OpenBLAS spin for milliseconds after their last job and
      // would take a core from whoever runs next: let them fall asleep, then warm up.
      std::this_thread::sleep_for(std::chrono::milliseconds(60));
      benchmark::DoNotOptimize(c.run());
      const auto start = std::chrono::steady_clock::now();
      for (int pass = 0; pass < kPasses; ++pass) benchmark::DoNotOptimize(c.run());
      const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
      c.seconds.push_back(elapsed.count() / kPasses);
    }
  }
}

/// The fastest libtorch variant, with that many threads or (0) with any.
double baseline(const std::vector<Contender>& contenders, int threads) {
  double best = INFINITY;
  for (const Contender& c : contenders) {
    const bool counts = threads == 0 || c.threads == threads;
    if (counts && c.name.starts_with("libtorch")) best = std::min(best, c.median());
  }
  return best;
}

nlohmann::ordered_json report(const Setup& s, const std::vector<Contender>& contenders,
                              double peak) {
  const double graphs = static_cast<double>(s.data.size());
  fmt::print("{} graphs of {} in batches of {}; {:.1f} kflop a graph; {}\n", s.data.size(),
             s.data.name, kBatch, s.flops / graphs / 1e3, LibtorchGcn::description());
  fmt::print("measured peak of one core: {:.1f} Gflop/s\n\n", peak / 1e9);
  fmt::print(
      "| engine | threads | graphs/s | µs a graph | Gflop/s | share of peak | × libtorch, same "
      "threads | × fastest libtorch |\n|---|---|---|---|---|---|---|---|\n");
  nlohmann::ordered_json json{{"graphs", s.data.size()}, {"peak_flops", peak}, {"flops", s.flops}};
  for (const Contender& c : contenders) {
    const double rate = graphs / c.median();
    const double flops = s.flops / c.median();
    const double same = baseline(contenders, c.threads) / c.median();
    const double fastest = baseline(contenders, 0) / c.median();
    fmt::print("| {} | {} | {:.0f} | {:.2f} | {:.2f} | {:.0f} % | {:.1f} | {:.1f} |\n", c.name,
               c.threads, rate, 1e6 / rate, flops / 1e9, 100 * flops / (peak * c.threads), same,
               fastest);
    json["results"].push_back({{"engine", c.name},
                               {"threads", c.threads},
                               {"graphs_per_second", rate},
                               {"flops_per_second", flops},
                               {"ratio_to_libtorch_same_threads", same},
                               {"ratio_to_fastest_libtorch", fastest}});
  }
  return json;
}

int run(int argc, char** argv) {
  const char* configured = std::getenv("GCFX_SHARED");
  const std::string shared = configured != nullptr ? configured : "../shared";
  std::string dataset = shared + "/datasets/Mutagenicity";
  std::string model = shared + "/models/mutagenicity/gcn.pth";
  std::string json;
  int rounds = 9;
  CLI::App app{"Inference throughput against libtorch, in one run"};
  app.add_option("--dataset", dataset)->capture_default_str();
  app.add_option("--model", model, "checkpoint in the paper's layout")->capture_default_str();
  app.add_option("--rounds", rounds)->capture_default_str();
  app.add_option("--json", json, "also write the figures here");
  CLI11_PARSE(app, argc, argv);

  const Setup setup = load(dataset, model);
  const auto torch_model = std::make_shared<LibtorchGcn>(setup.model.weights);
  for (const auto& batch : setup.batches) torch_model->add_batch(batch);
  std::vector<Contender> contenders;
  for (const int threads : {1, 2}) {
    for (const Kernels* kernels : available_kernels()) {
      contenders.push_back(native(setup, *kernels, threads));
    }
    contenders.push_back(libtorch(setup, torch_model, Aggregator::kScatter, threads));
    contenders.push_back(libtorch(setup, torch_model, Aggregator::kSparseMatrix, threads));
  }
  check_answers(contenders);
  time_rounds(contenders, rounds);
  const auto figures = report(setup, contenders, measured_peak_flops());
  if (!json.empty()) write_file_atomically(json, figures.dump(2) + "\n");
  return 0;
}

}  // namespace
}  // namespace gcfx::bench

int main(int argc, char** argv) {
  try {
    return gcfx::bench::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "inference_bench: {}\n", error.what());
    return 1;
  }
}
