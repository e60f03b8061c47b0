// SPDX-License-Identifier: MIT
// What the benchmarks against libtorch have in common: contenders that do the same work, their
// answers compared before anything is timed, rounds interleaved so that a noisy machine hits
// all of them, and a table of ratios taken in that one run.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "fewedits/base/parallel.hpp"
#include "fewedits/classifier/native/kernels.hpp"
#include "fewedits/graph/graph.hpp"
#include "support/libtorch_info.hpp"

namespace fewedits::bench {

struct Contender {
  std::string name;  ///< the competitor's variants start with "libtorch"
  int threads;
  std::function<std::vector<float>()> run;  ///< the whole workload
  std::vector<double> seconds;              ///< one a round

  [[nodiscard]] double median() const;
};

/// Contenders are given graphs in batches of so many.
inline constexpr std::size_t kBatch = 1000;
using Batches = std::vector<std::span<const Graph>>;
Batches in_batches(std::span<const Graph> graphs);

/// Ours: `answer` writes `width` floats for each graph of a batch. Keeps a reference to `batches`.
using NativeAnswer = std::function<void(std::span<const Graph>, std::span<float>, ThreadPool&)>;
Contender native_contender(const Kernels& kernels, int threads, const Batches& batches,
                           std::size_t width, NativeAnswer answer);

/// libtorch's: `answer` gives all outputs for a batch.
using LibtorchAnswer = std::function<std::vector<float>(std::size_t batch)>;
Contender libtorch_contender(const std::string& name, int threads, std::size_t batches,
                             LibtorchAnswer answer);

/// All of them, with one and with two threads: ours with each kernel, libtorch's with each
/// aggregator.
std::vector<Contender> line_up(
    std::size_t batches, const std::function<Contender(const Kernels&, int threads)>& native,
    const std::function<std::vector<float>(std::size_t batch, Aggregator)>& libtorch);

/// What a contender's time is divided by.
struct Workload {
  std::string description;
  std::size_t graphs = 0;
  double flops = 0;  ///< useful operations for all graphs
};

/// Throws Error unless all answers agree with the first contender's to within
/// max(absolute, relative·|value|).
void check_answers(const std::vector<Contender>& contenders, double absolute, double relative);

/// Each round times `passes` runs of every contender in turn, after one to warm up.
void time_rounds(std::vector<Contender>& contenders, int rounds, int passes);

/// Prints the table; `peak` is the flop/s of one core. Returns the same figures.
nlohmann::ordered_json report(const Workload& work, const std::vector<Contender>& contenders,
                              double peak);

}  // namespace fewedits::bench
