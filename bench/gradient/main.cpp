// SPDX-License-Identifier: MIT
// Microseconds of one evaluation with weighted edges, alone and with the derivative by the weights:
// the published Mutagenicity classifier on graphs of 30 nodes. Answers are compared with the
// unweighted model's, and allocations counted, before anything is believed.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "fewedits/classifier/native/kernels.hpp"
#include "fewedits/classifier/native/native_classifier.hpp"
#include "fewedits/formats/open_dataset.hpp"
#include "support/allocations.hpp"
#include "support/clock.hpp"
#include "support/shared.hpp"

namespace fewedits::bench {
namespace {

std::vector<Graph> graphs_of_30_nodes() {
  std::vector<Graph> out;
  for (const Graph& g : open_dataset(dataset_path("Mutagenicity")).graphs) {
    if (g.num_nodes() == 30 && g.num_edges() >= 31 && g.num_edges() <= 33) out.push_back(g);
  }
  return out;
}

void check_answers(const NativeClassifier& native, std::span<const Graph> graphs) {
  const auto model = native.weighted();
  ThreadPool pool(1);
  std::vector<float> expected(graphs.size() * 2);
  native.log_probabilities(graphs, expected, pool);
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    model->evaluate(graphs[i], std::vector<float>(graphs[i].num_edges(), 1.0F));
    const double odds = static_cast<double>(model->logits()[1]) - model->logits()[0];
    const double difference = odds - (static_cast<double>(expected[2 * i + 1]) - expected[2 * i]);
    if (std::abs(difference) > 1e-4) throw std::runtime_error("the answers differ");
  }
}

/// Of one graph in the fastest of the rounds: others may use the machine.
double microseconds(std::span<const Graph> graphs, WeightedModel& model, bool backward,
                    int rounds) {
  const std::vector<float> weights(64, 0.7F);
  const std::vector<float> scale{1, -1};
  std::vector<float> gradient(64);
  double best = std::numeric_limits<double>::infinity();
  std::size_t allocated = 0;
  for (int round = 0; round < rounds; ++round) {
    const std::size_t before = allocations();
    const auto start = Clock::now();
    for (const Graph& g : graphs) {
      model.evaluate(g, std::span(weights).first(g.num_edges()));
      if (backward) model.logit_gradient(scale, std::span(gradient).first(g.num_edges()));
    }
    best = std::min(best, seconds_since(start));
    if (round > 0) allocated += allocations() - before;
  }
  if (allocated > 0) throw std::runtime_error("memory was allocated after the first round");
  return best / static_cast<double>(graphs.size()) * 1e6;
}

int run(int argc, char** argv) {
  int rounds = 500;
  CLI::App app{"Microseconds of an evaluation with weighted edges, and of its gradient"};
  app.add_option("--rounds", rounds)->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  const std::vector<Graph> graphs = graphs_of_30_nodes();
  fmt::print("{} graphs of Mutagenicity with 30 nodes and 31 to 33 edges, one thread\n",
             graphs.size());
  for (const Kernels* kernels : available_kernels()) {
    const NativeClassifier native = load_classifier(classifier_path("Mutagenicity"), *kernels);
    check_answers(native, graphs);
    const auto model = native.weighted();
    const double forward = microseconds(graphs, *model, false, rounds);
    fmt::print("{:8} forward {:6.2f} µs, with gradient {:6.2f} µs\n", kernels->name, forward,
               microseconds(graphs, *model, true, rounds));
  }
  return 0;
}

}  // namespace
}  // namespace fewedits::bench

int main(int argc, char** argv) {
  try {
    return fewedits::bench::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "gradient_bench: {}\n", error.what());
    return 1;
  }
}
