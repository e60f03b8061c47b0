// SPDX-License-Identifier: MIT
// Graphs per second of the published Mutagenicity classifier: ours against libtorch, the same
// batches of 1,000 graphs, in one run, rounds interleaved so that a noisy machine hits both.
// Answers are compared before anything is timed.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "gcfx/base/file.hpp"
#include "gcfx/gcfx.hpp"
#include "gcfx/nn/model_file.hpp"
#include "libtorch.hpp"
#include "support/contest.hpp"
#include "support/libtorch_info.hpp"
#include "support/peak.hpp"
#include "support/shared.hpp"

namespace gcfx::bench {
namespace {

constexpr std::size_t kBatch = 1000;

struct Setup {
  Dataset data;
  LoadedModel model;
  std::vector<std::span<const Graph>> batches;
  double flops = 0;  ///< useful operations for the whole dataset
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
            set_libtorch_threads(threads);
            std::vector<float> out;
            for (std::size_t b = 0; b < s.batches.size(); ++b) {
              const auto part = model->run(b, aggregator);
              out.insert(out.end(), part.begin(), part.end());
            }
            return out;
          },
          {}};
}

int run(int argc, char** argv) {
  const std::string shared = shared_root();
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
  check_answers(contenders, 1e-4, 0);
  // One pass takes milliseconds, too short for the system to spread threads over cores.
  time_rounds(contenders, rounds, 8);
  const auto figures =
      report({fmt::format("{} graphs of {} in batches of {}; {}", setup.data.size(),
                          setup.data.name, kBatch, libtorch_description()),
              setup.data.size(), setup.flops},
             contenders, measured_peak_flops());
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
