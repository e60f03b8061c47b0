// SPDX-License-Identifier: MIT
#include "support/libtorch_greed.hpp"

#include <numeric>

#include "support/libtorch_ops.hpp"

namespace fewedits::bench {
namespace {

/// A linear map as addmm takes it.
struct Linear {
  torch::Tensor weight;  // in × out
  torch::Tensor bias;

  [[nodiscard]] torch::Tensor operator()(const torch::Tensor& x) const {
    return torch::addmm(bias, x, weight);
  }
};

struct Layer {
  float self;  // 1 + eps
  Linear first;
  Linear second;
};

struct Batch {
  torch::Tensor labels;
  RowSum neighbours;
  RowSum graphs;
};

class Reader {
 public:
  explicit Reader(const StateDict& weights) : weights_(weights) {}

  [[nodiscard]] bool has(const std::string& name) const {
    return weights_.contains("embed_model." + name);
  }
  [[nodiscard]] torch::Tensor tensor(const std::string& name) const {
    return to_torch(weights_.at("embed_model." + name));
  }
  [[nodiscard]] Linear linear(const std::string& name) const {
    return {tensor(name + ".weight").t().contiguous(), tensor(name + ".bias")};
  }

 private:
  const StateDict& weights_;
};

}  // namespace

struct LibtorchGreed::State {
  torch::Tensor table;  // row l: the first linear map of label l
  std::vector<Layer> layers;
  Linear head_first;
  Linear head_second;
  std::vector<Batch> batches;
};

LibtorchGreed::LibtorchGreed(const StateDict& weights) : state_(std::make_unique<State>()) {
  const Reader reader(weights);
  const Linear pre = reader.linear("pre");
  state_->table = pre.weight + pre.bias;
  for (int l = 0;; ++l) {
    const std::string conv = "convs." + std::to_string(l);
    if (!reader.has(conv + ".eps")) break;
    state_->layers.push_back({1.0F + reader.tensor(conv + ".eps").item<float>(),
                              reader.linear(conv + ".nn.0"), reader.linear(conv + ".nn.2")});
  }
  state_->head_first = reader.linear("post.0");
  state_->head_second = reader.linear("post.2");
}

LibtorchGreed::~LibtorchGreed() = default;

std::size_t LibtorchGreed::add_batch(std::span<const Graph> graphs) {
  std::vector<std::int64_t> labels;
  std::vector<std::int64_t> source;
  std::vector<std::int64_t> edge_begin{0};
  std::vector<std::int64_t> graph_begin{0};
  for (const Graph& g : graphs) {
    const auto base = static_cast<std::int64_t>(labels.size());
    for (Node v = 0; v < g.num_nodes(); ++v) {
      labels.push_back(g.label(v));
      for (const Node u : g.neighbours(v)) source.push_back(base + u);
      edge_begin.push_back(static_cast<std::int64_t>(source.size()));
    }
    graph_begin.push_back(static_cast<std::int64_t>(labels.size()));
  }
  const auto nodes = static_cast<std::int64_t>(labels.size());
  std::vector<std::int64_t> all(labels.size());
  std::iota(all.begin(), all.end(), 0);
  state_->batches.push_back(
      {torch::tensor(labels), RowSum(nodes, source, edge_begin), RowSum(nodes, all, graph_begin)});
  return state_->batches.size() - 1;
}

std::vector<float> LibtorchGreed::run(std::size_t number, Aggregator aggregator) const {
  const torch::InferenceMode guard;
  const Batch& batch = state_->batches[number];
  torch::Tensor x = state_->table.index_select(0, batch.labels);
  torch::Tensor residual = x;
  std::vector<torch::Tensor> pooled{batch.graphs(x, aggregator)};
  for (std::size_t l = 0; l < state_->layers.size(); ++l) {
    const Layer& layer = state_->layers[l];
    const auto sum = batch.neighbours(x, aggregator).add_(x, layer.self);
    x = layer.second(layer.first(sum).relu_());
    if (l % 2 == 1) {
      x.add_(residual);
      residual = x;
      x = torch::relu(x);
    } else {
      x.relu_();
    }
    pooled.push_back(batch.graphs(x, aggregator));
  }
  return to_floats(state_->head_second(state_->head_first(torch::cat(pooled, 1)).relu_()));
}

}  // namespace fewedits::bench
