// SPDX-License-Identifier: MIT
// Embeddings per second of the published Mutagenicity GREED model: ours against libtorch, the
// same batches of 1,000 graphs, in one run, rounds interleaved so that a noisy machine hits
// both. Answers are compared before anything is timed. --edits embeds graphs one edit away from
// those of the dataset instead, as a search does.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "fewedits/base/file.hpp"
#include "fewedits/classifier/native/gin_embedder.hpp"
#include "fewedits/fewedits.hpp"
#include "fewedits/formats/checkpoint_reader.hpp"
#include "support/contest.hpp"
#include "support/libtorch_greed.hpp"
#include "support/libtorch_info.hpp"
#include "support/peak.hpp"
#include "support/shared.hpp"

namespace fewedits::bench {
namespace {

struct Setup {
  std::vector<Graph> graphs;
  StateDict weights;
  Batches batches;
  double flops = 0;  ///< useful operations for the whole dataset
};

/// As many graphs as the dataset has, made from its first ones by relabelling one node or adding
/// one leaf in every possible way.
std::vector<Graph> edits(const Dataset& data) {
  std::vector<Graph> graphs;
  for (const Graph& g : data.graphs) {
    for (Node v = 0; v < g.num_nodes(); ++v) {
      for (Label l = 0; l < data.node_labels.size(); ++l) {
        if (graphs.size() + 2 > data.size()) return graphs;
        graphs.push_back(g.with_label(v, l));
        graphs.push_back(g.with_leaf(v, l));
      }
    }
  }
  return graphs;
}

Setup load(const std::string& dataset, const std::string& model, bool edited) {
  Dataset data = open_dataset(dataset);
  Setup s{edited ? edits(data) : std::move(data.graphs), read_checkpoint(model), {}, 0};
  s.batches = in_batches(s.graphs);
  const GinEmbedder native(s.weights, model);
  for (const Graph& g : s.graphs) s.flops += native.flops(g);
  return s;
}

Contender native(const Setup& s, const Kernels& kernels, int threads) {
  auto embedder = std::make_shared<GinEmbedder>(s.weights, "model", kernels);
  return native_contender(
      kernels, threads, s.batches, embedder->dimension(),
      [embedder](auto graphs, auto out, ThreadPool& pool) { embedder->embed(graphs, out, pool); });
}

int run(int argc, char** argv) {
  std::string dataset = dataset_path("Mutagenicity");
  std::string model = greed_path("Mutagenicity");
  std::string json;
  bool edited = false;
  int rounds = 5;
  CLI::App app{"Throughput of the neural distance's embeddings against libtorch, in one run"};
  app.add_option("--dataset", dataset)->capture_default_str();
  app.add_option("--model", model, "GREED checkpoint")->capture_default_str();
  app.add_flag("--edits", edited, "embed graphs one edit away from the dataset's first");
  app.add_option("--rounds", rounds)->capture_default_str();
  app.add_option("--json", json, "also write the figures here");
  CLI11_PARSE(app, argc, argv);

  const Setup setup = load(dataset, model, edited);
  const auto torch_model = std::make_shared<LibtorchGreed>(setup.weights);
  for (const auto& batch : setup.batches) torch_model->add_batch(batch);
  std::vector<Contender> contenders = line_up(
      setup.batches.size(),
      [&](const Kernels& kernels, int threads) { return native(setup, kernels, threads); },
      [=](std::size_t batch, Aggregator how) { return torch_model->run(batch, how); });
  check_answers(contenders, 1e-2, 1e-4);
  time_rounds(contenders, rounds, 1);
  const auto figures = report({fmt::format("{} graphs in batches of {}; {}", setup.graphs.size(),
                                           kBatch, libtorch_description()),
                               setup.graphs.size(), setup.flops},
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
    fmt::print(stderr, "greed_bench: {}\n", error.what());
    return 1;
  }
}
