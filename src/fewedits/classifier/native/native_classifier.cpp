// SPDX-License-Identifier: MIT
#include "fewedits/classifier/native/native_classifier.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>
#include <vector>

#include "fewedits/base/error.hpp"
#include "fewedits/classifier/model_file.hpp"
#include "fewedits/classifier/native/conv_layers.hpp"
#include "fewedits/classifier/native/known_labels.hpp"
#include "fewedits/classifier/native/surroundings.hpp"
#include "fewedits/classifier/tensor_words.hpp"

namespace fewedits {
namespace {

/// All a worker needs beside a layer's own scratch.
struct Workspace {
  Scratch scratch;
  Floats x;
  Floats y;
  Floats norm;
  Floats pooled;
  Floats hidden;
  // For neighbours of a graph:
  Surroundings around;
  std::vector<Floats> rows;  ///< of each layer: the graph's, for a moment a neighbour's
};

/// Kept by the thread from call to call: small batches must not pay for allocations.
Workspace& workspace() {
  thread_local Workspace space;
  return space;
}

void log_softmax(std::span<const float> logits, std::span<float> out) {
  const float top = *std::max_element(logits.begin(), logits.end());
  float total = 0;
  for (const float z : logits) total += std::exp(z - top);
  // Subtract in this order: with a confident network top cancels, and log(total) is tiny.
  const float rest = std::log(total);
  for (std::size_t c = 0; c < logits.size(); ++c) out[c] = (logits[c] - top) - rest;
}

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
               "how a matrix before the first layer is multiplied into it");
}

}  // namespace

struct NativeClassifier::Network {
  ModelSpec spec;
  const Kernels& kernels;
  std::vector<std::unique_ptr<ConvLayer>> layers;
  std::vector<PackedLinear> head;
  std::size_t widest = 0;  ///< padded outputs of any layer
  std::size_t pooled = 0;  ///< features after pooling
  std::size_t widest_head = 0;
  std::vector<std::string> ignored;  ///< tensors that the model file leaves out

  Network(const ModelSpec& model, const WeightReader& weights, const Kernels& k)
      : spec(model), kernels(k) {
    read_layers(weights);
    read_head(weights);
    check_names(weights);
    ignored = ignored_tensors(spec, weights);
    refuse_unused(spec, weights, layers.front()->inputs(), ignored);
  }

  void read_layers(const WeightReader& weights) {
    if (spec.layers.empty()) weights.fail("the model has no layers");
    for (const LayerSpec& layer : spec.layers) {
      layers.push_back(make_conv_layer(layer, weights, spec.batch_norm_epsilon));
      const ConvLayer& now = *layers.back();
      if (layers.size() > 1 && layers[layers.size() - 2]->outputs() != now.inputs()) {
        weights.fail(fmt::format("layer {} takes {} features, the layer before gives {}",
                                 in_quotes(layer.weights), now.inputs(),
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

  void pool(std::size_t nodes, std::size_t columns, const float* x, Workspace& w,
            std::size_t at) const {
    float* to = w.hidden.data();
    if (nodes == 0) {
      std::fill_n(w.pooled.data() + at, columns, 0.0F);
      return;
    }
    if (spec.pooling == Aggregation::kMax) {
      kernels.column_max(nodes, padded(columns), x, to);
    } else {
      kernels.column_sum(nodes, padded(columns), x, to);
    }
    const float factor =
        spec.pooling == Aggregation::kMean ? 1.0F / static_cast<float>(nodes) : 1.0F;
    for (std::size_t c = 0; c < columns; ++c) w.pooled[at + c] = to[c] * factor;
  }

  void make_room(std::size_t nodes, Workspace& w) const {
    Scratch::at_least(w.x, nodes * widest);
    Scratch::at_least(w.y, nodes * widest);
    Scratch::at_least(w.pooled, padded(pooled));
    Scratch::at_least(w.hidden, 2 * std::max(widest, widest_head));
    Scratch::at_least(w.norm, nodes);
  }

  [[nodiscard]] bool pools(std::size_t layer) const {
    return spec.jumping || layer + 1 == layers.size();
  }

  /// Shows the rows of each layer to keep(layer, rows).
  template <class Keep>
  void evaluate(const Graph& g, Workspace& w, std::span<float> out, const Keep& keep) const {
    const std::size_t n = g.num_nodes();
    make_room(n, w);
    fill_norm(g, w.norm.data());
    std::size_t at = 0;
    const float* x = nullptr;
    for (std::size_t l = 0; l < layers.size(); ++l) {
      float* to = x == w.x.data() ? w.y.data() : w.x.data();
      layers[l]->forward(
          kernels,
          {n, n, g.offsets().data(), g.targets().data(), g.labels().data(), x, w.norm.data()},
          w.scratch, to);
      x = to;
      keep(l, x);
      if (pools(l)) {
        pool(n, layers[l]->outputs(), x, w, at);
        at += layers[l]->outputs();
      }
    }
    classify(w, out);
  }
  void evaluate(const Graph& g, Workspace& w, std::span<float> out) const {
    evaluate(g, w, out, [](std::size_t, const float*) {});
  }

  /// The rows of each layer, with room for those of one more node.
  [[nodiscard]] std::vector<Floats> rows_of(const Graph& g, Workspace& w) const {
    std::vector<Floats> out;
    std::vector<float> answer(head.back().columns);
    evaluate(g, w, answer, [&](std::size_t l, const float* x) {
      const std::size_t width = padded(layers[l]->outputs());
      out.emplace_back(x, x + g.num_nodes() * width);
      out.back().resize((g.num_nodes() + 1) * width);
    });
    return out;
  }

  /// A neighbour that keeps the numbers of the nodes: none is gone. `rows` are the graph's, and so
  /// are those of the workspace, before and after.
  void evaluate_neighbour(const Graph& neighbour, std::span<const Node> touched,
                          const std::vector<Floats>& rows, Workspace& w,
                          std::span<float> out) const {
    make_room(neighbour.num_nodes(), w);
    const Surroundings& part = w.around;
    w.around.explore(neighbour, touched, layers.size() + 1);
    fill_norm(neighbour, part.nodes(), w.norm.data());
    std::size_t at = 0;
    const float* x = nullptr;
    for (std::size_t l = 0; l < layers.size(); ++l) {
      const std::size_t changed = part.within(l + 1);
      const std::size_t width = padded(layers[l]->outputs());
      float* to = x == w.x.data() ? w.y.data() : w.x.data();
      layers[l]->forward(kernels,
                         {changed, part.within(l + 2), part.offsets(), part.targets(),
                          part.labels(), x, w.norm.data()},
                         w.scratch, to);
      x = to;
      float* all = w.rows[l].data();
      const auto row = [&](auto* of, std::size_t i) { return of + part.nodes()[i] * width; };
      if (pools(l)) {
        for (std::size_t i = 0; i < changed; ++i) std::copy_n(to + i * width, width, row(all, i));
        pool(neighbour.num_nodes(), layers[l]->outputs(), all, w, at);
        at += layers[l]->outputs();
        for (std::size_t i = 0; i < changed; ++i) {
          std::copy_n(row(rows[l].data(), i), width, row(all, i));
        }
      }
      if (l + 1 == layers.size()) break;
      // The next layer reads two hops further than this one computed.
      for (std::size_t i = changed; i < part.within(l + 3); ++i) {
        std::copy_n(row(all, i), width, to + i * width);
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
    : network_(std::make_unique<Network>(spec, WeightReader(weights, origin), kernels)) {
  set_origin(origin);
  if (!network_->ignored.empty()) {
    add_note(fmt::format("the model file ignores {} of the checkpoint's tensors: {}",
                         network_->ignored.size(), listed_tensors(network_->ignored, weights)));
  }
}
NativeClassifier::~NativeClassifier() = default;
NativeClassifier::NativeClassifier(NativeClassifier&&) noexcept = default;

std::size_t NativeClassifier::num_classes() const { return network_->head.back().columns; }
std::size_t NativeClassifier::num_labels() const { return network_->layers.front()->inputs(); }
const ModelSpec& NativeClassifier::spec() const { return network_->spec; }
std::span<const std::string> NativeClassifier::label_names() const {
  return network_->spec.node_labels;
}
std::span<const std::string> NativeClassifier::class_names() const {
  return network_->spec.classes;
}

bool NativeClassifier::renumber(std::span<const Label> labels,
                                std::span<const std::size_t> classes) {
  const auto pick = [](std::vector<std::string>& names, const auto& from) {
    const auto old = std::exchange(names, {});
    if (old.empty()) return;
    for (const auto i : from) names.push_back(old[i]);
  };
  network_->layers.front()->select_inputs(labels);
  network_->head.back().select_outputs(classes);
  pick(network_->spec.node_labels, labels);
  pick(network_->spec.classes, classes);
  return true;
}

void NativeClassifier::log_probabilities(std::span<const Graph> graphs, std::span<float> out,
                                         ThreadPool& pool) const {
  const std::size_t classes = num_classes();
  assert(out.size() == graphs.size() * classes);
  // Chunks small enough to balance graphs of very different size.
  pool.for_chunks(graphs.size(), 32, [&](std::size_t begin, std::size_t end, int) {
    Workspace& space = workspace();
    for (std::size_t i = begin; i < end; ++i) {
      check_known_labels(graphs[i], num_labels(), i);
      network_->evaluate(graphs[i], space, out.subspan(i * classes, classes));
    }
  });
}

void NativeClassifier::neighbour_log_probabilities(const Graph& graph, std::span<const Edit> edits,
                                                   std::span<const Graph> neighbours,
                                                   std::span<float> out, ThreadPool& pool) const {
  const std::size_t classes = num_classes();
  assert(edits.size() == neighbours.size() && out.size() == neighbours.size() * classes);
  check_known_labels(graph, num_labels(), 0);
  const std::vector<Floats> rows = network_->rows_of(graph, workspace());
  pool.for_chunks(neighbours.size(), 32, [&](std::size_t begin, std::size_t end, int) {
    Workspace& space = workspace();
    space.rows = rows;
    for (std::size_t i = begin; i < end; ++i) {
      check_known_labels(neighbours[i], num_labels(), i);
      const auto answer = out.subspan(i * classes, classes);
      if (edits[i].kind == Edit::Kind::kRemoveLeaf) {
        network_->evaluate(neighbours[i], space, answer);
      } else {
        network_->evaluate_neighbour(neighbours[i], touched_by(graph, edits[i]), rows, space,
                                     answer);
      }
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
  NativeClassifier out(model.spec, model.weights, path.string(), kernels);
  for (const std::string& note : model.notes) out.add_note(note);
  return out;
}

}  // namespace fewedits
