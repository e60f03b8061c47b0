// SPDX-License-Identifier: MIT
#include "support/contest.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <thread>

#include "fewedits/base/error.hpp"
#include "fewedits/explanation/explanation.hpp"
#include "support/libtorch_info.hpp"

namespace fewedits::bench {
namespace {

/// The fastest libtorch variant, with that many threads or (0) with any.
double baseline(const std::vector<Contender>& contenders, int threads) {
  double best = INFINITY;
  for (const Contender& c : contenders) {
    const bool counts = threads == 0 || c.threads == threads;
    if (counts && c.name.starts_with("libtorch")) best = std::min(best, c.median());
  }
  return best;
}

}  // namespace

double Contender::median() const { return fewedits::lower_median(seconds); }

Batches in_batches(std::span<const Graph> graphs) {
  Batches batches;
  for (; !graphs.empty(); graphs = graphs.subspan(batches.back().size())) {
    batches.push_back(graphs.first(std::min(kBatch, graphs.size())));
  }
  return batches;
}

Contender native_contender(const Kernels& kernels, int threads, const Batches& batches,
                           std::size_t width, NativeAnswer answer) {
  std::size_t graphs = 0;
  for (const auto& batch : batches) graphs += batch.size();
  const auto run = [=, &batches, answer = std::move(answer),
                    pool = std::make_shared<ThreadPool>(threads)] {
    std::vector<float> out(graphs * width);
    std::span<float> rest(out);
    for (const auto& batch : batches) {
      answer(batch, rest.first(batch.size() * width), *pool);
      rest = rest.subspan(batch.size() * width);
    }
    return out;
  };
  return {fmt::format("fewedits {}", kernels.name), threads, run, {}};
}

Contender libtorch_contender(const std::string& name, int threads, std::size_t batches,
                             LibtorchAnswer answer) {
  const auto run = [=, answer = std::move(answer)] {
    set_libtorch_threads(threads);
    std::vector<float> out;
    for (std::size_t b = 0; b < batches; ++b) {
      const auto part = answer(b);
      out.insert(out.end(), part.begin(), part.end());
    }
    return out;
  };
  return {name, threads, run, {}};
}

std::vector<Contender> line_up(
    std::size_t batches, const std::function<Contender(const Kernels&, int threads)>& native,
    const std::function<std::vector<float>(std::size_t batch, Aggregator)>& libtorch) {
  std::vector<Contender> out;
  for (const int threads : {1, 2}) {
    for (const Kernels* kernels : available_kernels()) out.push_back(native(*kernels, threads));
    for (const Aggregator how : kAggregators) {
      out.push_back(libtorch_contender(fmt::format("libtorch {}", name_of(how)), threads, batches,
                                       [=](std::size_t batch) { return libtorch(batch, how); }));
    }
  }
  return out;
}

void check_answers(const std::vector<Contender>& contenders, double absolute, double relative) {
  const auto expected = contenders.front().run();
  for (const Contender& c : contenders) {
    const auto actual = c.run();
    if (actual.size() != expected.size()) throw Error(c.name + " gives another number of outputs");
    for (std::size_t i = 0; i < actual.size(); ++i) {
      const double limit = std::max(absolute, relative * std::abs(expected[i]));
      if (!(std::abs(actual[i] - expected[i]) < limit)) {
        throw Error(
            fmt::format("{} disagrees at output {}: {} and {}", c.name, i, actual[i], expected[i]));
      }
    }
  }
}

void time_rounds(std::vector<Contender>& contenders, int rounds, int passes) {
  for (int round = 0; round < rounds; ++round) {
    for (Contender& c : contenders) {
      // Idle workers of OpenMP and OpenBLAS spin for milliseconds after their last job and
      // would take a core from whoever runs next: let them fall asleep, then warm up.
      std::this_thread::sleep_for(std::chrono::milliseconds(60));
      benchmark::DoNotOptimize(c.run());
      const auto start = std::chrono::steady_clock::now();
      for (int pass = 0; pass < passes; ++pass) benchmark::DoNotOptimize(c.run());
      const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
      c.seconds.push_back(elapsed.count() / passes);
    }
  }
}

nlohmann::ordered_json report(const Workload& work, const std::vector<Contender>& contenders,
                              double peak) {
  const double graphs = static_cast<double>(work.graphs);
  fmt::print("{}; {:.1f} kflop a graph\n", work.description, work.flops / graphs / 1e3);
  fmt::print("measured peak of one core: {:.1f} Gflop/s\n\n", peak / 1e9);
  fmt::print(
      "| engine | threads | graphs/s | µs a graph | Gflop/s | share of peak | × libtorch, same "
      "threads | × fastest libtorch |\n|---|---|---|---|---|---|---|---|\n");
  nlohmann::ordered_json json{{"graphs", work.graphs}, {"peak_flops", peak}, {"flops", work.flops}};
  for (const Contender& c : contenders) {
    const double rate = graphs / c.median();
    const double flops = work.flops / c.median();
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

}  // namespace fewedits::bench
