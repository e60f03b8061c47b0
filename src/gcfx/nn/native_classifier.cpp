// SPDX-License-Identifier: MIT
#include "gcfx/nn/native_classifier.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>
#include <vector>

#include "gcfx/base/error.hpp"
#include "gcfx/nn/conv_layers.hpp"
#include "gcfx/nn/model_file.hpp"

namespace gcfx {
namespace {

/// All a worker needs beside a layer's own scratch.
struct Workspace {
  Scratch scratch;
  Floats x;
  Floats y;
  Floats norm;
  Floats pooled;
  Floats hidden;
};

void log_softmax(std::span<const float> logits, std::span<float> out) {
  const float top = *std::max_element(logits.begin(), logits.end());
  float total = 0;
  for (const float z : logits) total += std::exp(z - top);
  // Subtract in this order: with a confident network top cancels, and log(total) is tiny.
  const float rest = std::log(total);
  for (std::size_t c = 0; c < logits.size(); ++c) out[c] = (logits[c] - top) - rest;
}

}  // namespace

struct NativeClassifier::Network {
  ModelSpec spec;
  const Kernels& kernels;
  std::vector<std::unique_ptr<const ConvLayer>> layers;
  std::vector<PackedLinear> head;
  std::size_t widest = 0;  ///< padded outputs of any layer
  std::size_t pooled = 0;  ///< features after pooling
  std::size_t widest_head = 0;

  Network(const ModelSpec& model, const WeightReader& weights, const Kernels& k)
      : spec(model), kernels(k) {
    read_layers(weights);
    read_head(weights);
    check_names(weights);
  }

  void read_layers(const WeightReader& weights) {
    if (spec.layers.empty()) weights.fail("the model has no layers");
    for (const LayerSpec& layer : spec.layers) {
      layers.push_back(make_conv_layer(layer, weights, spec.batch_norm_epsilon));
      const ConvLayer& now = *layers.back();
      if (layers.size() > 1 && layers[layers.size() - 2]->outputs() != now.inputs()) {
        weights.fail(fmt::format("layer {} takes {} features, the layer before gives {}",
                                 quoted(layer.weights), now.inputs(),
                                 layers[layers.size() - 2]->outputs()));
      }
      widest = std::max(widest, padded(now.outputs()));
      pooled = spec.jumping ? pooled + now.outputs() : now.outputs();
    }
  }

  void read_head(const WeightReader& weights) {
    if (spec.head.empty()) weights.fail("the model has no head");
    std::size_t features = pooled;
    for (const HeadSpec& part : spec.head) {
      PackedLinear linear = weights.linear(part.weights);
      if (linear.inner != features) {
        weights.fail(fmt::format("{} takes {} features, {} come in", quoted(part.weights),
                                 linear.inner, features));
      }
      if (!part.batch_norm.empty()) {
        const auto norm = weights.norm(part.batch_norm, linear.columns, spec.batch_norm_epsilon);
        linear.fold(norm.scale, norm.shift);
      }
      features = linear.columns;
      widest_head = std::max(widest_head, linear.width());
      head.push_back(std::move(linear));
    }
    if (features < 2) weights.fail("a classifier needs at least two outputs");
  }

  void check_names(const WeightReader& weights) const {
    if (!spec.node_labels.empty() && spec.node_labels.size() != layers.front()->inputs()) {
      weights.fail(fmt::format("the model file names {} node labels, the weights have {}",
                               spec.node_labels.size(), layers.front()->inputs()));
    }
    if (!spec.classes.empty() && spec.classes.size() != head.back().columns) {
      weights.fail(fmt::format("the model file names {} classes, the weights have {}",
                               spec.classes.size(), head.back().columns));
    }
  }

  void pool(const Graph& g, std::size_t columns, const float* x, Workspace& w,
            std::size_t at) const {
    float* to = w.hidden.data();
    if (g.num_nodes() == 0) {
      std::fill_n(w.pooled.data() + at, columns, 0.0F);
      return;
    }
    if (spec.pooling == Aggregation::kMax) {
      kernels.column_max(g.num_nodes(), padded(columns), x, to);
    } else {
      kernels.column_sum(g.num_nodes(), padded(columns), x, to);
    }
    const float factor =
        spec.pooling == Aggregation::kMean ? 1.0F / static_cast<float>(g.num_nodes()) : 1.0F;
    for (std::size_t c = 0; c < columns; ++c) w.pooled[at + c] = to[c] * factor;
  }

  void evaluate(const Graph& g, Workspace& w, std::span<float> out) const {
    Scratch::at_least(w.x, g.num_nodes() * widest);
    Scratch::at_least(w.y, g.num_nodes() * widest);
    Scratch::at_least(w.pooled, padded(pooled));
    Scratch::at_least(w.hidden, 2 * std::max(widest, widest_head));
    fill_norm(g, Scratch::at_least(w.norm, g.num_nodes()));
    std::size_t at = 0;
    const float* x = nullptr;
    for (const auto& layer : layers) {
      float* to = x == w.x.data() ? w.y.data() : w.x.data();
      layer->forward(kernels, {g, x, w.norm.data()}, w.scratch, to);
      x = to;
      if (spec.jumping || layer == layers.back()) {
        pool(g, layer->outputs(), x, w, at);
        at += layer->outputs();
      }
    }
    classify(w, out);
  }

  void classify(Workspace& w, std::span<float> out) const {
    const float* features = w.pooled.data();
    for (std::size_t i = 0; i < head.size(); ++i) {
      const PackedLinear& linear = head[i];
      float* to = w.hidden.data() + (i % 2) * widest_head;
      kernels.multiply(1, linear.inner, linear.width(), features, linear.inner,
                       linear.weight.data(), {linear.bias.data(), nullptr, i + 1 < head.size()},
                       to);
      features = to;
    }
    log_softmax({features, head.back().columns}, out);
  }
};

NativeClassifier::NativeClassifier(const ModelSpec& spec, const StateDict& weights,
                                   const std::string& origin, const Kernels& kernels)
    : network_(std::make_unique<const Network>(spec, WeightReader(weights, origin), kernels)) {}
NativeClassifier::~NativeClassifier() = default;
NativeClassifier::NativeClassifier(NativeClassifier&&) noexcept = default;

std::size_t NativeClassifier::num_classes() const { return network_->head.back().columns; }
std::size_t NativeClassifier::num_labels() const { return network_->layers.front()->inputs(); }
const ModelSpec& NativeClassifier::spec() const { return network_->spec; }

void NativeClassifier::log_probabilities(std::span<const Graph> graphs, std::span<float> out,
                                         ThreadPool& pool) const {
  const std::size_t classes = num_classes();
  const std::size_t known = num_labels();
  assert(out.size() == graphs.size() * classes);
  // Chunks small enough to balance graphs of very different size.
  pool.for_chunks(graphs.size(), 32, [&](std::size_t begin, std::size_t end, int) {
    // Kept by the thread from call to call: small batches must not pay for allocations.
    thread_local Workspace space;
    for (std::size_t i = begin; i < end; ++i) {
      const auto labels = graphs[i].labels();
      const auto bad =
          std::find_if(labels.begin(), labels.end(), [&](Label l) { return l >= known; });
      if (bad != labels.end()) {
        throw Error(
            fmt::format("graph {} has node label {}, the model knows 0 to {}", i, *bad, known - 1));
      }
      network_->evaluate(graphs[i], space, out.subspan(i * classes, classes));
    }
  });
}

double NativeClassifier::flops(const Graph& g) const {
  double total = 0;
  for (const auto& layer : network_->layers) {
    total += layer->flops(g, layer == network_->layers.front());
    total += static_cast<double>(g.num_nodes()) * static_cast<double>(layer->outputs());
  }
  for (const PackedLinear& linear : network_->head) {
    total += 2.0 * static_cast<double>(linear.inner) * static_cast<double>(linear.columns);
  }
  return total;
}

NativeClassifier load_classifier(const std::filesystem::path& path, const Kernels& kernels) {
  const LoadedModel model = load_model(path);
  return {model.spec, model.weights, path.string(), kernels};
}

}  // namespace gcfx
