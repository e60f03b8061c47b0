// SPDX-License-Identifier: MIT
// Graphs per second of the published Mutagenicity classifier: ours against libtorch, the same
// batches of 1,000 graphs, in one run, rounds interleaved so that a noisy machine hits both.
// Answers are compared before anything is timed.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "fewedits/base/file.hpp"
#include "fewedits/classifier/model_file.hpp"
#include "fewedits/classifier/native/native_classifier.hpp"
#include "fewedits/fewedits.hpp"
#include "support/contest.hpp"
#include "support/libtorch_gcn.hpp"
#include "support/libtorch_info.hpp"
#include "support/peak.hpp"
#include "support/shared.hpp"

namespace fewedits::bench {
namespace {

struct Setup {
  Dataset data;
  LoadedModel model;
  Batches batches;
  double flops = 0;  ///< useful operations for the whole dataset
};

Setup load(const std::string& dataset, const std::string& model) {
  Setup s{open_dataset(dataset), load_model(model), {}, 0};
  s.batches = in_batches(s.data.graphs);
  const NativeClassifier native(s.model.spec, s.model.weights, model);
  for (const Graph& g : s.data.graphs) s.flops += native.flops(g);
  return s;
}

Contender native(const Setup& s, const Kernels& kernels, int threads) {
  auto classifier =
      std::make_shared<NativeClassifier>(s.model.spec, s.model.weights, "model", kernels);
  return native_contender(kernels, threads, s.batches, classifier->num_classes(),
                          [classifier](auto graphs, auto out, ThreadPool& pool) {
                            classifier->log_probabilities(graphs, out, pool);
                          });
}

int run(int argc, char** argv) {
  std::string dataset = dataset_path("Mutagenicity");
  std::string model = classifier_path("Mutagenicity");
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
  std::vector<Contender> contenders = line_up(
      setup.batches.size(),
      [&](const Kernels& kernels, int threads) { return native(setup, kernels, threads); },
      [=](std::size_t batch, Aggregator how) { return torch_model->run(batch, how); });
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
}  // namespace fewedits::bench

int main(int argc, char** argv) {
  try {
    return fewedits::bench::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "inference_bench: {}\n", error.what());
    return 1;
  }
}
