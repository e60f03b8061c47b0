// SPDX-License-Identifier: MIT
#include "libtorch.hpp"

#include <fmt/format.h>

#include <functional>

#include "fewedits/explanation/explanation.hpp"
#include "support/clock.hpp"
#include "support/libtorch_gcn.hpp"
#include "support/libtorch_greed.hpp"
#include "support/libtorch_ops.hpp"

namespace fewedits::bench {
namespace {

/// |V| + |E| of each graph.
torch::Tensor sizes_of(std::span<const Graph> graphs) {
  std::vector<float> sizes;
  for (const Graph& g : graphs) sizes.push_back(static_cast<float>(g.size()));
  return torch::tensor(sizes);
}

/// Values row by row as a matrix; they must outlive it.
torch::Tensor matrix(std::vector<float>& values, std::int64_t rows) {
  return torch::from_blob(values.data(), {rows, static_cast<std::int64_t>(values.size()) / rows});
}

Aggregator fastest_of(const std::function<void(Aggregator)>& run) {
  Aggregator best = kAggregators.front();
  double least = INFINITY;
  for (const Aggregator aggregator : kAggregators) {
    run(aggregator);
    std::vector<double> seconds;
    for (int pass = 0; pass < 3; ++pass) {
      const auto start = Clock::now();
      run(aggregator);
      seconds.push_back(seconds_since(start));
    }
    if (lower_median(seconds) >= least) continue;
    least = lower_median(seconds);
    best = aggregator;
  }
  return best;
}

}  // namespace

struct LibtorchNeighbours::State {
  LibtorchGcn gcn;
  LibtorchGreed greed;
  std::int64_t desired;
  torch::Tensor inputs;  // embeddings, inputs × dimension
  torch::Tensor input_sizes;
  std::vector<torch::Tensor> sizes;  // of the graphs of each batch
};

LibtorchNeighbours::LibtorchNeighbours(const StateDict& gcn, const StateDict& greed,
                                       std::span<const Graph> inputs, std::size_t desired_class)
    : state_(new State{LibtorchGcn(gcn),
                       LibtorchGreed(greed),
                       static_cast<std::int64_t>(desired_class),
                       {},
                       sizes_of(inputs),
                       {}}) {
  LibtorchGreed embedder(greed);
  auto embeddings = embedder.run(embedder.add_batch(inputs), Aggregator::kEmbeddingBag);
  state_->inputs = matrix(embeddings, static_cast<std::int64_t>(inputs.size())).clone();
}

LibtorchNeighbours::~LibtorchNeighbours() = default;

void LibtorchNeighbours::add_batch(std::span<const Graph> graphs) {
  state_->gcn.add_batch(graphs);
  state_->greed.add_batch(graphs);
  state_->sizes.push_back(sizes_of(graphs));
}

LibtorchNeighbours::Aggregators LibtorchNeighbours::fastest() const {
  return {fastest_of([&](Aggregator a) { state_->gcn.run(0, a); }),
          fastest_of([&](Aggregator a) { state_->greed.run(0, a); })};
}

std::vector<float> LibtorchNeighbours::run(std::size_t batch, Aggregators how, double theta) const {
  const torch::InferenceMode guard;
  const torch::Tensor& sizes = state_->sizes[batch];
  auto logs = state_->gcn.run(batch, how.gcn);
  auto embeddings = state_->greed.run(batch, how.greed);
  const auto probability = matrix(logs, sizes.size(0)).select(1, state_->desired).exp();
  const auto distance =
      torch::cdist(matrix(embeddings, sizes.size(0)), state_->inputs, 2, /*matrix product*/ 1);
  const auto limit = (sizes.unsqueeze(1) + state_->input_sizes).mul_(theta);
  return to_floats(torch::stack({probability, distance.le(limit).sum(1).to(torch::kFloat)}, 1));
}

std::string name_of(LibtorchNeighbours::Aggregators how) {
  return fmt::format("libtorch ({} for φ, {} for GREED)", name_of(how.gcn), name_of(how.greed));
}

}  // namespace fewedits::bench
