// SPDX-License-Identifier: MIT
#include "fewedits/classifier/native/network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "fewedits/base/error.hpp"
#include "fewedits/classifier/native/known_labels.hpp"
#include "fewedits/classifier/tensor_words.hpp"

namespace fewedits {
namespace {

/// Tensors that "ignore" covers. Throws Error for an entry that covers none, or one in use: it says
/// something of the checkpoint that is not so.
std::vector<std::string> ignored_tensors(const ModelSpec& spec, const WeightReader& weights) {
  std::vector<std::string> out;
  for (const std::string& entry : spec.ignore) {
    bool any = false;
    for (const auto& [name, tensor] : weights.all()) {
      if (name != entry && !name.starts_with(entry + ".")) continue;
      if (weights.was_read(name)) {
        weights.fail(fmt::format("\"ignore\" names {}, but the layers use {}", in_quotes(entry),
                                 in_quotes(name)));
      }
      any = true;
      out.push_back(name);
    }
    if (!any) {
      weights.fail(
          fmt::format("\"ignore\" names {}, which the checkpoint does not hold", in_quotes(entry)));
    }
  }
  return out;
}

/// A model that leaves weights out is another one than was saved.
void refuse_unused(const ModelSpec& spec, const WeightReader& weights, std::size_t inputs,
                   const std::vector<std::string>& ignored) {
  std::vector<std::string> unused = weights.unread();
  std::erase_if(unused, [&](const std::string& name) {
    return std::ranges::find(ignored, name) != ignored.end();
  });
  if (unused.empty()) return;
  std::string message =
      fmt::format("the model file does not use {} of the {} tensors: {}", unused.size(),
                  weights.all().size(), listed_tensors(unused, weights.all()));
  for (const std::string& hint : hints_about(unused, weights.all(), spec, inputs)) {
    message += "; " + hint;
  }
  weights.fail(message,
               "describe the layers that they belong to, or, if the model is the same without "
               "them, name them under \"ignore\"; docs/formats.md says what can be described and "
               "how a map before the first layer becomes an embedding");
}

}  // namespace

NativeNetwork::NativeNetwork(const ModelSpec& model, const WeightReader& weights, const Kernels& k)
    : spec(model), kernels(k) {
  read_layers(weights);
  read_head(weights);
  check_names(weights);
  ignored = ignored_tensors(spec, weights);
  refuse_unused(spec, weights, layers.front()->inputs(), ignored);
}

void NativeNetwork::read_layers(const WeightReader& weights) {
  if (spec.layers.empty()) weights.fail("the model has no layers");
  for (const LayerSpec& layer : spec.layers) {
    layers.push_back(make_conv_layer(layer, weights, spec));
    const ConvLayer& now = *layers.back();
    if (edge_labels > 0 && now.edge_labels() > 0 && now.edge_labels() != edge_labels) {
      weights.fail(fmt::format("layer {} knows {} labels of edges, another layer {}",
                               in_quotes(layer.weights), now.edge_labels(), edge_labels));
    }
    edge_labels = std::max(edge_labels, now.edge_labels());
    if (layers.size() > 1 && layers[layers.size() - 2]->outputs() != now.inputs()) {
      weights.fail(fmt::format("layer {} takes {} features, the layer before gives {}",
                               in_quotes(layer.weights), now.inputs(),
                               layers[layers.size() - 2]->outputs()));
    }
    last_norms.emplace_back();
    if (layer.batch_norm_last) {
      last_norms.back() = weights.norm(layer.batch_norm, now.outputs(), spec.batch_norm_epsilon);
    }
    widest = std::max(widest, padded(now.outputs()));
    pooled = spec.jumping ? pooled + now.outputs() : now.outputs();
  }
  pooled *= num_poolings();
  read_input(weights);
}

void NativeNetwork::read_input(const WeightReader& weights) {
  const std::size_t features = layers.front()->inputs();
  if (!spec.node_embedding.empty()) {
    input = weights.embedding(spec.node_embedding);
    if (input.columns != features) {
      weights.fail(fmt::format("the embedding {} gives {} features, the first layer takes {}",
                               in_quotes(spec.node_embedding), input.columns, features));
    }
  } else if (layers.front()->needs_rows()) {
    input = one_hot_table(features);
  }
  widest = std::max(widest, padded(input.columns));
}

void NativeNetwork::select_labels(std::span<const std::uint32_t> labels) {
  if (has_input()) {
    input.select_inputs(labels);
  } else {
    layers.front()->select_inputs(labels);
  }
}

void NativeNetwork::select_edge_labels(std::span<const std::uint32_t> labels) {
  for (const auto& layer : layers) layer->select_edge_labels(labels);
  edge_labels = labels.size();
}

void NativeNetwork::check_labels(const Graph& graph, std::size_t index) const {
  check_known_labels(graph, num_labels(), index);
  if (edge_labels > 0) check_known_edge_labels(graph, edge_labels, index);
}

void NativeNetwork::read_head(const WeightReader& weights) {
  if (spec.head.empty()) weights.fail("the model has no head");
  head_activation = {spec.head_activation, static_cast<float>(spec.leaky_slope)};
  std::size_t features = pooled;
  for (const HeadSpec& part : spec.head) {
    PackedLinear linear = weights.linear(part.weights);
    if (linear.inner != features) {
      weights.fail(fmt::format("{} takes {} features, {} come in", in_quotes(part.weights),
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
  if (spec.output == Output::kSigmoid) {
    if (features != 1) {
      weights.fail(
          fmt::format("the output is a sigmoid of one logit, the head gives {}", features));
    }
    // The softmax of 0 and z is the sigmoid of z.
    head.back() = head.back().with_zero_before();
    widest_head = std::max(widest_head, head.back().width());
  } else if (features < 2) {
    weights.fail("a classifier needs at least two outputs",
                 "if its one output is the logit of class 1, say so: \"output\": \"sigmoid\"");
  }
}

void NativeNetwork::check_names(const WeightReader& weights) const {
  if (!spec.node_labels.empty() && spec.node_labels.size() != num_labels()) {
    weights.fail(fmt::format("the model file names {} node labels, the weights have {}",
                             spec.node_labels.size(), num_labels()));
  }
  if (!spec.edge_labels.empty() && edge_labels == 0) {
    weights.fail("the model file names edge labels, but no layer looks at them",
                 "leave \"edge_labels\" out, or say which layer reads them: a gine, or a gat with "
                 "\"edges\": true");
  }
  if (!spec.edge_labels.empty() && spec.edge_labels.size() != edge_labels) {
    weights.fail(fmt::format("the model file names {} edge labels, the weights have {}",
                             spec.edge_labels.size(), edge_labels));
  }
  if (!spec.classes.empty() && spec.classes.size() != head.back().columns) {
    weights.fail(fmt::format("the model file names {} classes, the weights have {}",
                             spec.classes.size(), head.back().columns));
  }
}

bool NativeNetwork::has_gradient() const {
  return (head.size() == 1 || head_activation.can_be_undone()) &&
         std::ranges::all_of(layers, [](const auto& layer) { return layer->has_gradient(); });
}

void NativeNetwork::finish_layer(std::size_t l, std::size_t rows, float* x) const {
  const FoldedNorm& norm = last_norms[l];
  const std::size_t columns = norm.scale.size();
  if (columns == 0) return;
  for (std::size_t r = 0; r < rows; ++r, x += padded(columns)) {
    for (std::size_t c = 0; c < columns; ++c) x[c] = x[c] * norm.scale[c] + norm.shift[c];
  }
}

void NativeNetwork::pool(std::size_t nodes, std::size_t columns, const float* x, float* row,
                         std::size_t at, float* out) const {
  for (std::size_t way = 0; way < num_poolings(); ++way) {
    float* to = out + pooling_begin(way) + at;
    if (nodes == 0) {
      std::fill_n(to, columns, 0.0F);
      continue;
    }
    if (pooling(way) == Aggregation::kMax) {
      kernels.column_max(nodes, padded(columns), x, row);
    } else {
      kernels.column_sum(nodes, padded(columns), x, row);
    }
    const float factor = pooling_factor(pooling(way), nodes);
    for (std::size_t c = 0; c < columns; ++c) to[c] = row[c] * factor;
  }
}

const float* NativeNetwork::classify(const float* features, float* hidden, std::size_t rows) const {
  for (std::size_t i = 0; i < head.size(); ++i) {
    const PackedLinear& linear = head[i];
    float* to = hidden + i % rows * widest_head;
    kernels.multiply(1, linear.inner, linear.width(), features, linear.inner, linear.weight.data(),
                     {linear.bias.data(), nullptr,
                      i + 1 < head.size() && head_activation.kind == Activation::kRelu},
                     to);
    if (i + 1 < head.size() && !head_activation.is_fused()) {
      apply_nonlinearity(head_activation, 1, linear.columns, linear.width(), to);
    }
    features = to;
  }
  return features;
}

}  // namespace fewedits
