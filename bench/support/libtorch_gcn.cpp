// SPDX-License-Identifier: MIT
#include "support/libtorch_gcn.hpp"

#include <cmath>

#include "support/libtorch_ops.hpp"

namespace fewedits::bench {
namespace {

struct Layer {
  torch::Tensor weight;  // in × out
  torch::Tensor bias;
  torch::Tensor mean;
  torch::Tensor variance;
  torch::Tensor gamma;
  torch::Tensor beta;
};

struct Batch {
  std::int64_t graphs;
  torch::Tensor features;    // one-hot
  RowSum neighbours;         // with self loops and the symmetric normalisation
  torch::Tensor graph_rows;  // graph of every node, expanded over the features
};

}  // namespace

struct LibtorchGcn::State {
  std::vector<Layer> layers;
  torch::Tensor head_weight;
  torch::Tensor head_bias;
  std::vector<Batch> batches;
};

LibtorchGcn::LibtorchGcn(const StateDict& weights) : state_(std::make_unique<State>()) {
  // scatter_reduce announces at every start that it is in beta.
  struct Silent final : c10::WarningHandler {
    void process(const c10::SourceLocation&, const std::string&, bool) override {}
  };
  static Silent silent;
  c10::Warning::set_warning_handler(&silent);
  for (int l = 0; weights.contains("convs." + std::to_string(l) + ".weight"); ++l) {
    const std::string conv = "convs." + std::to_string(l);
    const std::string norm = "bns." + std::to_string(l);
    const auto get = [&](const std::string& name) { return to_torch(weights.at(name)); };
    state_->layers.push_back({get(conv + ".weight"), get(conv + ".bias"),
                              get(norm + ".running_mean"), get(norm + ".running_var"),
                              get(norm + ".weight"), get(norm + ".bias")});
  }
  state_->head_weight = to_torch(weights.at("fc.weight"));
  state_->head_bias = to_torch(weights.at("fc.bias"));
}

LibtorchGcn::~LibtorchGcn() = default;

std::size_t LibtorchGcn::add_batch(std::span<const Graph> graphs) {
  std::vector<std::int64_t> labels;
  std::vector<std::int64_t> source;
  std::vector<std::int64_t> begin{0};
  std::vector<std::int64_t> owner;
  std::vector<float> norm;
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    const Graph& g = graphs[i];
    const auto base = static_cast<std::int64_t>(labels.size());
    const auto factor = [&](Node v) {
      return 1.0F / std::sqrt(static_cast<float>(g.degree(v) + 1));
    };
    const auto add = [&](Node u, Node v) {
      source.push_back(base + u);
      norm.push_back(factor(u) * factor(v));
    };
    for (Node v = 0; v < g.num_nodes(); ++v) {
      labels.push_back(g.label(v));
      owner.push_back(static_cast<std::int64_t>(i));
      add(v, v);
      for (const Node u : g.neighbours(v)) add(u, v);
      begin.push_back(static_cast<std::int64_t>(source.size()));
    }
  }
  const auto nodes = static_cast<std::int64_t>(labels.size());
  const std::int64_t width = state_->layers.back().weight.size(1);
  const auto features =
      torch::one_hot(torch::tensor(labels), state_->layers.front().weight.size(0));
  state_->batches.push_back({static_cast<std::int64_t>(graphs.size()), features.to(torch::kFloat),
                             RowSum(nodes, source, begin, norm),
                             torch::tensor(owner).unsqueeze(1).expand({nodes, width})});
  return state_->batches.size() - 1;
}

std::vector<float> LibtorchGcn::run(std::size_t number, Aggregator aggregator) const {
  const torch::InferenceMode guard;
  const Batch& batch = state_->batches[number];
  torch::Tensor x = batch.features;
  for (const Layer& layer : state_->layers) {
    x = batch.neighbours(torch::mm(x, layer.weight), aggregator) + layer.bias;
    x = torch::relu(torch::batch_norm(x, layer.gamma, layer.beta, layer.mean, layer.variance,
                                      /*training=*/false, /*momentum=*/0.1, /*eps=*/1e-5,
                                      /*cudnn_enabled=*/false));
  }
  const auto pooled = torch::full({batch.graphs, x.size(1)}, -INFINITY)
                          .scatter_reduce_(0, batch.graph_rows, x, "amax");
  return to_floats(
      torch::log_softmax(torch::addmm(state_->head_bias, pooled, state_->head_weight.t()), 1));
}

}  // namespace fewedits::bench
