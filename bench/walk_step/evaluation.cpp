// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>

#include "fewedits/classifier/model_file.hpp"
#include "fewedits/classifier/native/native_classifier.hpp"
#include "fewedits/cover/greedy.hpp"
#include "fewedits/formats/checkpoint_reader.hpp"
#include "fewedits/graph/shape_hash.hpp"
#include "fewedits/search/walk/walk.hpp"
#include "libtorch.hpp"
#include "sections.hpp"
#include "support/clock.hpp"
#include "support/contest.hpp"
#include "support/memory.hpp"
#include "support/peak.hpp"
#include "workload.hpp"

namespace fewedits::bench {
namespace {

const double kTheta = WalkOptions{}.theta;
/// Distances this close to theta may fall on either side.
constexpr double kRounding = 1e-4;
constexpr double kProbabilityError = 1e-5;

struct Setup {
  Setup(const std::string& dataset, const EvaluationOptions& options)
      : name(dataset),
        models(dataset),
        greed(greed_of(models, pool)),
        evaluator(evaluator_of(models, *greed)) {
    auto all = expansions(evaluator, models.data.node_labels.size(), options.expansions, pool);
    visited = all.size();
    work = drawn(std::move(all), options.graphs);
    if (work.empty()) throw Error("no neighbourhood has so few graphs", "raise --graphs");
    graphs = entries_of(work);
    memory = peak_memory();
  }

  std::string name;
  Published models;
  ThreadPool pool;
  std::unique_ptr<Distance> greed;  ///< over the inputs
  ModelEvaluator evaluator;
  std::size_t visited = 0;
  std::vector<Expansion> work;
  std::vector<Graph> graphs;
  std::uint64_t memory = 0;  ///< peak so far, before libtorch does anything
};

/// What both sides have to find out without sharing anything between neighbours.
double dense_flops(const Setup& s) {
  double sum = 0;
  const NativeClassifier classifier = load_classifier(classifier_path(s.name));
  const GinEmbedder& embedder = *s.models.greed;
  const auto pairs = static_cast<double>(embedder.dimension() * s.greed->graphs().size());
  for (const Graph& g : s.graphs) sum += classifier.flops(g) + embedder.flops(g) + 2 * pairs;
  return sum;
}

/// For each neighbour: probability of the desired class, number of inputs within theta.
Contender ours(Setup& s, int threads) {
  const auto run = [&s, pool = std::make_shared<ThreadPool>(threads)] {
    std::vector<float> out;
    for (const Expansion& e : s.work) {
      const Neighbourhood found = s.evaluator.evaluate(e.graph, e.edits, kTheta, *pool);
      for (std::size_t i = 0; i < found.size(); ++i) {
        out.push_back(found.probability[i]);
        out.push_back(static_cast<float>(found.num_covered(i)));
      }
    }
    return out;
  };
  return {fmt::format("fewedits {}", best_kernels().name), threads, run, {}};
}

using Competitor = std::shared_ptr<LibtorchNeighbours>;

Competitor competitor(const Setup& s) {
  auto out = std::make_shared<LibtorchNeighbours>(load_model(classifier_path(s.name)).weights,
                                                  read_checkpoint(greed_path(s.name)),
                                                  s.greed->graphs(), s.models.desired_class());
  for (const auto& batch : in_batches(s.graphs)) out->add_batch(batch);
  return out;
}

Contender libtorch(const Setup& s, const Competitor& other, int threads,
                   LibtorchNeighbours::Aggregators how, double theta = kTheta) {
  return libtorch_contender(name_of(how), threads, in_batches(s.graphs).size(),
                            [=](std::size_t batch) { return other->run(batch, how, theta); });
}

std::vector<Contender> all_contenders(Setup& s, const Competitor& other) {
  std::vector<Contender> out;
  for (const int threads : {1, 2}) {
    set_libtorch_threads(threads);
    out.push_back(ours(s, threads));
    out.push_back(libtorch(s, other, threads, other->fastest()));
  }
  return out;
}

/// Throws Error unless all contenders agree: probabilities to rounding, numbers of covered inputs
/// up to pairs too close to theta to tell. Returns how many such pairs there are.
std::size_t check(const Setup& s, const Competitor& other, std::span<const Contender> contenders) {
  const LibtorchNeighbours::Aggregators how{Aggregator::kSparseMatrix, Aggregator::kEmbeddingBag};
  const auto least = libtorch(s, other, 1, how, kTheta - kRounding).run();
  const auto most = libtorch(s, other, 1, how, kTheta + kRounding).run();
  double close = 0;
  for (const Contender& c : contenders) {
    const auto answers = c.run();
    close = 0;
    for (std::size_t i = 0; i < least.size(); i += 2) {
      const float p = answers.at(i);
      const float covered = answers.at(i + 1);
      const bool right = std::abs(p - least[i]) <= kProbabilityError && covered >= least[i + 1] &&
                         covered <= most[i + 1];
      if (!right) {
        throw Error(
            fmt::format("{} finds p = {} and {} inputs for neighbour {}; libtorch finds {} "
                        "and {} to {}",
                        c.name, p, covered, i / 2, least[i], least[i + 1], most[i + 1]));
      }
      close += most[i + 1] - least[i + 1];
    }
  }
  return static_cast<std::size_t>(close);
}

/// Where our time goes, one thread: each stage over all neighbours of a graph, as evaluate() has
/// them; what is left of evaluate() is distances and coverage.
Json split(Setup& s, int rounds) {
  ThreadPool one(1);
  std::vector<std::vector<double>> seconds(7);
  std::vector<Graph> graphs;
  std::vector<std::uint64_t> shapes;
  std::vector<float> embeddings;
  const auto timed = [&](std::size_t stage, const std::function<void()>& run) {
    const auto start = Clock::now();
    run();
    seconds[stage].back() += seconds_since(start);
  };
  for (int round = 0; round < rounds; ++round) {
    for (auto& stage : seconds) stage.push_back(0);
    for (const Expansion& e : s.work) {
      timed(0, [&] { graphs = entries_of(std::span(&e, 1)); });
      timed(1, [&] {
        shapes.clear();
        for (const Graph& g : graphs) shapes.push_back(shape_hash(g));
      });
      embeddings.resize(graphs.size() * s.models.greed->dimension());
      const Neighbourhood entries(e.graph, e.edits);
      timed(2, [&] {
        (void)judge_neighbours(entries.graph, entries.edits, graphs, *s.models.classifier,
                               s.models.desired_class(), one);
      });
      timed(3, [&] {
        s.models.greed->embed_neighbours(entries.graph, entries.edits, embeddings, one);
      });
      timed(4, [&] { (void)s.evaluator.evaluate(e.graph, e.edits, kTheta, one); });
      timed(5, [&] { s.models.greed->embed(graphs, embeddings, one); });
      timed(6, [&] { (void)s.evaluator.judge(graphs, one); });
    }
  }
  const auto microseconds = [&](std::size_t stage) {
    return lower_median(seconds[stage]) * 1e6 / static_cast<double>(s.graphs.size());
  };
  const double known = microseconds(0) + microseconds(1) + microseconds(2) + microseconds(3);
  return {{"apply, shape hash", microseconds(0) + microseconds(1)},
          {"phi", microseconds(2)},
          {"GREED", microseconds(3)},
          {"coverage", std::max(0.0, microseconds(4) - known)},
          {"all", microseconds(4)},
          {"GREED, if each were embedded by itself", microseconds(5)},
          {"phi, if each were classified by itself", microseconds(6)}};
}

void print_split(const Json& split) {
  fmt::print("\n| µs a neighbour, one thread | | share |\n|---|---|---|\n");
  for (const auto& [stage, time] : split.items()) {
    fmt::print("| {} | {:.2f} | {:.0f} % |\n", stage, time.get<double>(),
               100 * time.get<double>() / split["all"].get<double>());
  }
}

}  // namespace

Json compare_evaluation(const std::string& dataset, const EvaluationOptions& options) {
  reset_peak_memory();
  Setup s(dataset, options);
  const Competitor other = competitor(s);
  std::vector<Contender> contenders = all_contenders(s, other);
  const std::size_t close = check(s, other, contenders);
  time_rounds(contenders, options.rounds, 1);

  fmt::print("\n## {}: neighbours evaluated per second\n\n", dataset);
  const auto description = fmt::format(
      "{} neighbours of {} of the {} graphs that a walk expanded first, {} inputs, theta {}. "
      "Answers "
      "agree; {} pairs are within {} of theta.\nEvery row is counted as if computed for each "
      "neighbour, although fewedits computes what neighbours share once: Gflop/s and share of peak "
      "are "
      "dense equivalents.\nfewedits builds the neighbours within its time, libtorch gets them "
      "collated "
      "in batches of {}; {}",
      s.graphs.size(), s.work.size(), s.visited, s.greed->graphs().size(), kTheta, close, kRounding,
      kBatch, libtorch_description());
  Json json =
      report({description, s.graphs.size(), dense_flops(s)}, contenders, measured_peak_flops());
  json["microseconds"] = split(s, options.rounds);
  print_split(json["microseconds"]);
  json["peak_bytes"] = s.memory;
  json["peak_bytes_with_libtorch"] = peak_memory();
  fmt::print(
      "\npeak memory: {} MiB for data, models and the walk; {} MiB with libtorch's batches\n",
      s.memory >> 20, peak_memory() >> 20);
  return json;
}

}  // namespace fewedits::bench
