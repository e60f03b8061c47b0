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
#include "fewedits/classifier/native/network.hpp"
#include "fewedits/classifier/native/surroundings.hpp"
#include "fewedits/classifier/native/weighted_network.hpp"
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

/// names[i] becomes what names[from[i]] was, if there are any.
template <typename Index>
void pick(std::vector<std::string>& names, std::span<const Index> from) {
  const auto old = std::exchange(names, {});
  if (old.empty()) return;
  for (const Index i : from) names.push_back(old[i]);
}

void log_softmax(std::span<const float> logits, std::span<float> out) {
  const float top = *std::max_element(logits.begin(), logits.end());
  float total = 0;
  for (const float z : logits) total += std::exp(z - top);
  // Subtract in this order: with a confident network top cancels, and log(total) is tiny.
  const float rest = std::log(total);
  for (std::size_t c = 0; c < logits.size(); ++c) out[c] = (logits[c] - top) - rest;
}

}  // namespace

/// The network on whole graphs, and on what an edit changes of one.
struct NativeClassifier::Network : NativeNetwork {
  using NativeNetwork::NativeNetwork;

  void make_room(std::size_t nodes, Workspace& w) const {
    Scratch::at_least(w.x, nodes * widest);
    Scratch::at_least(w.y, nodes * widest);
    Scratch::at_least(w.pooled, padded(pooled));
    Scratch::at_least(w.hidden, 2 * std::max(widest, widest_head));
    Scratch::at_least(w.norm, nodes);
  }

  /// Shows the rows of each layer to keep(layer, rows).
  template <class Keep>
  void evaluate(const Graph& g, Workspace& w, std::span<float> out, const Keep& keep) const {
    const std::size_t n = g.num_nodes();
    make_room(n, w);
    fill_norm(g, w.norm.data());
    std::size_t at = 0;
    const float* x = first_rows(n, g.labels().data(), w);
    for (std::size_t l = 0; l < layers.size(); ++l) {
      float* to = x == w.x.data() ? w.y.data() : w.x.data();
      layers[l]->forward(kernels,
                         {n, n, g.offsets().data(), g.targets().data(), g.labels().data(), x,
                          w.norm.data(), g.edge_labels().data()},
                         w.scratch, to);
      finish_layer(l, n, to);
      x = to;
      keep(l, x);
      if (pools(l)) {
        pool(n, layers[l]->outputs(), x, w.hidden.data(), at, w.pooled.data());
        at += layers[l]->outputs();
      }
    }
    answer(w, out);
  }
  void evaluate(const Graph& g, Workspace& w, std::span<float> out) const {
    evaluate(g, w, out, [](std::size_t, const float*) {});
  }

  /// The rows of each layer, with room for those of one more node.
  [[nodiscard]] std::vector<Floats> rows_of(const Graph& g, Workspace& w) const {
    std::vector<Floats> out;
    std::vector<float> unused(num_classes());
    evaluate(g, w, unused, [&](std::size_t l, const float* x) {
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
    w.around.explore(neighbour, touched, layers.size() + 1, edge_labels > 0);
    fill_norm(neighbour, part.nodes(), w.norm.data());
    std::size_t at = 0;
    const float* x = first_rows(part.within(2), part.labels(), w);
    for (std::size_t l = 0; l < layers.size(); ++l) {
      const std::size_t changed = part.within(l + 1);
      const std::size_t width = padded(layers[l]->outputs());
      float* to = x == w.x.data() ? w.y.data() : w.x.data();
      layers[l]->forward(kernels,
                         {changed, part.within(l + 2), part.offsets(), part.targets(),
                          part.labels(), x, w.norm.data(), part.edge_labels()},
                         w.scratch, to);
      finish_layer(l, changed, to);
      x = to;
      float* all = w.rows[l].data();
      const auto row = [&](auto* of, std::size_t i) { return of + part.nodes()[i] * width; };
      if (pools(l)) {
        for (std::size_t i = 0; i < changed; ++i) std::copy_n(to + i * width, width, row(all, i));
        pool(neighbour.num_nodes(), layers[l]->outputs(), all, w.hidden.data(), at,
             w.pooled.data());
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
    answer(w, out);
  }

 private:
  /// Null: the first layer looks labels up.
  const float* first_rows(std::size_t nodes, const Label* labels, Workspace& w) const {
    if (!has_input()) return nullptr;
    kernels.gather(nodes, input.width(), {input.weight.data(), labels}, w.x.data());
    return w.x.data();
  }

  void answer(Workspace& w, std::span<float> out) const {
    log_softmax({classify(w.pooled.data(), w.hidden.data(), 2), num_classes()}, out);
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

std::size_t NativeClassifier::num_classes() const { return network_->num_classes(); }
std::size_t NativeClassifier::num_labels() const { return network_->num_labels(); }
std::size_t NativeClassifier::num_edge_labels() const { return network_->edge_labels; }
const ModelSpec& NativeClassifier::spec() const { return network_->spec; }
std::span<const std::string> NativeClassifier::label_names() const {
  return network_->spec.node_labels;
}
std::span<const std::string> NativeClassifier::edge_label_names() const {
  return network_->spec.edge_labels;
}
std::span<const std::string> NativeClassifier::class_names() const {
  return network_->spec.classes;
}

bool NativeClassifier::renumber(std::span<const Label> labels,
                                std::span<const std::size_t> classes) {
  network_->select_labels(labels);
  network_->head.back().select_outputs(classes);
  pick(network_->spec.node_labels, labels);
  pick(network_->spec.classes, classes);
  return true;
}

bool NativeClassifier::renumber_edge_labels(std::span<const Label> labels) {
  network_->select_edge_labels(labels);
  pick(network_->spec.edge_labels, labels);
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
      network_->check_labels(graphs[i], i);
      network_->evaluate(graphs[i], space, out.subspan(i * classes, classes));
    }
  });
}

void NativeClassifier::neighbour_log_probabilities(const Graph& graph, std::span<const Edit> edits,
                                                   std::span<const Graph> neighbours,
                                                   std::span<float> out, ThreadPool& pool) const {
  const std::size_t classes = num_classes();
  assert(edits.size() == neighbours.size() && out.size() == neighbours.size() * classes);
  network_->check_labels(graph, 0);
  const std::vector<Floats> rows = network_->rows_of(graph, workspace());
  pool.for_chunks(neighbours.size(), 32, [&](std::size_t begin, std::size_t end, int) {
    Workspace& space = workspace();
    space.rows = rows;
    for (std::size_t i = begin; i < end; ++i) {
      network_->check_labels(neighbours[i], i);
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

std::unique_ptr<WeightedModel> NativeClassifier::weighted() const {
  if (!network_->has_gradient()) return nullptr;
  return std::make_unique<WeightedNetwork>(*network_);
}

double NativeClassifier::flops(const Graph& g) const {
  double total = 0;
  for (const auto& layer : network_->layers) {
    total += layer->flops(g, layer == network_->layers.front() && !network_->has_input());
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
