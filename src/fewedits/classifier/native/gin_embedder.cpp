// SPDX-License-Identifier: MIT
//
// PERF NOTES (shares measured on Mutagenicity)
// - After l layers a node's row depends only on its surroundings up to l hops: nodes of one class
//   of the l-th Weisfeiler-Lehman refinement have equal rows, in whatever graph they are (Xu et
//   al. 2019: a GIN tells apart no more). So a chunk of graphs is refined first, and each layer
//   computes one row per class: half as many as nodes, fewer when the graphs are edits of one
//   another, as in a search.
// - Two thirds of what ReLU leaves are zeros, and the products skip them.
// - A layer's first matrix is applied before neighbours are added up, (Σ x)·W = Σ (x·W): there
//   are fewer classes then, and their rows have more zeros than the sums. The first layer's
//   product becomes a lookup by label.
// - Neighbours in the edit map differ little from the graph they are neighbours of. Their classes
//   follow from its own (NeighbourRefinement), and so do the sums over their nodes.
// - The concatenation of all layers is never formed: the head's first product is summed layer
//   by layer from the pooled rows.
//
// A row adds up its neighbours, and a graph its nodes, in an order that follows from the classes
// alone. So an embedding is the same to the last bit for every numbering of the nodes and
// whatever other graphs are in the batch, and chunks may be cut to suit the threads.
#include "fewedits/classifier/native/gin_embedder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "fewedits/base/error.hpp"
#include "fewedits/classifier/native/known_labels.hpp"
#include "fewedits/classifier/native/neighbour_refinement.hpp"
#include "fewedits/classifier/native/packed.hpp"
#include "fewedits/classifier/native/refinement.hpp"
#include "fewedits/formats/checkpoint_reader.hpp"

namespace fewedits {
namespace {

/// Rows computed at a time, so that what a step leaves for the next is still in a near cache.
constexpr std::size_t kBlock = 128;
/// Larger chunks share more rows, but their rows leave the second-level cache.
constexpr std::size_t kChunkNodes = 4096;
constexpr std::size_t kMinChunkNodes = 512;
/// The same for neighbours of one graph.
constexpr std::size_t kChunkEdits = 64;
constexpr std::size_t kMinChunkEdits = 16;

using Indices = Refinement::Indices;
using Level = Refinement::Level;

/// A worker's memory; it grows to the largest chunk seen and stays.
struct Workspace {
  Refinement nodes;
  NeighbourRefinement neighbours;
  Floats x;
  std::array<Floats, 2> projected;  ///< of the layer below and of this one
  std::array<Floats, 2> sums;       ///< residual in use, and the next
  Floats hidden;
  Floats added;
  Floats pooled;
  Floats base;   ///< a graph's own sum, where its neighbours are pooled
  Floats taken;  ///< what of it they lack, negative
  std::array<Floats, 2> head;
  Indices members;
  Indices zeros;
  Floats minus_ones;
};

float* at_least(Floats& buffer, std::size_t floats) {
  if (buffer.size() < floats) buffer.resize(floats);
  return buffer.data();
}

struct GinLayer {
  float self = 1.0F;  ///< 1 + eps
  PackedLinear first;
  PackedLinear second;
};

/// What a layer writes, a row for each class.
struct LayerRows {
  float* x = nullptr;
  float* projected = nullptr;  ///< x times the next layer's first matrix; null: there is none
  float* sums = nullptr;       ///< x before ReLU, the next residual; null: nobody needs it
};

double flops_of(const PackedLinear& w) {
  return 2.0 * static_cast<double>(w.inner) * static_cast<double>(w.columns);
}

/// embed_model.NAME.weight and .bias, both required.
PackedLinear read_linear(const WeightReader& weights, const std::string& name) {
  const std::string full = "embed_model." + name;
  (void)weights.tensor(full + ".bias", 1);
  return weights.linear(full);
}

PackedLinear read_linear(const WeightReader& weights, const std::string& name, std::size_t inputs) {
  PackedLinear out = read_linear(weights, name);
  if (out.inner != inputs) {
    weights.fail(fmt::format("tensor {} takes {} features, {} come in",
                             in_quotes("embed_model." + name + ".weight"), out.inner, inputs));
  }
  return out;
}

}  // namespace

struct GinEmbedder::Network {
  const Kernels& kernels;
  std::size_t labels = 0;
  std::size_t width = 0;
  Floats table;            ///< row l: x0 of a node with label l
  Floats first_projected;  ///< the table times the first layer's first matrix
  std::vector<GinLayer> layers;
  PackedLinear post_first;
  PackedLinear post_second;

  Network(const WeightReader& weights, const Kernels& k) : kernels(k) {
    read_table(weights);
    read_head(weights);
    for (std::size_t l = 0; l < num_layers(); ++l) read_layer(weights, l);
    const PackedLinear& first = layers.front().first;
    first_projected.resize(labels * first.width());
    kernels.multiply(labels, width, first.width(), table.data(), stride(), first.weight.data(), {},
                     first_projected.data());
  }

  [[nodiscard]] std::size_t stride() const { return padded(width); }
  /// The head reads x0 and every layer.
  [[nodiscard]] std::size_t num_layers() const { return post_first.inner / width - 1; }

  void read_table(const WeightReader& weights) {
    PackedLinear pre = read_linear(weights, "pre");
    labels = pre.inner;
    width = pre.columns;
    for (std::size_t l = 0; l < labels; ++l) {
      for (std::size_t c = 0; c < width; ++c) pre.weight[l * stride() + c] += pre.bias[c];
    }
    table = std::move(pre.weight);
  }

  void read_head(const WeightReader& weights) {
    post_first = read_linear(weights, "post.0");
    post_second = read_linear(weights, "post.2", post_first.columns);
    const bool fits = post_first.inner % width == 0 && post_first.inner >= 2 * width;
    if (!fits || !weights.names_under(fmt::format("embed_model.convs.{}.", num_layers())).empty()) {
      weights.fail(
          fmt::format("tensor 'embed_model.post.0.weight' takes {} features, which is not {} from "
                      "x0 and from each of the layers",
                      post_first.inner, width));
    }
  }

  void read_layer(const WeightReader& weights, std::size_t l) {
    const std::string conv = fmt::format("convs.{}", l);
    const std::string eps = "embed_model." + conv + ".eps";
    GinLayer layer;
    if (weights.has(eps)) {
      layer.self += weights.has_rank(eps, 0) ? weights.tensor(eps, 0).to_floats().at(0)
                                             : weights.vector(eps, 1).at(0);
    }
    layer.first = read_linear(weights, conv + ".nn.0", width);
    layer.second = read_linear(weights, conv + ".nn.2", layer.first.columns);
    if (layer.second.columns != width) {
      weights.fail(fmt::format("tensor {} gives {} features, the layers have {}",
                               in_quotes("embed_model." + conv + ".nn.2.weight"),
                               layer.second.columns, width));
    }
    layers.push_back(std::move(layer));
  }

  /// Embeds the graphs of one chunk: graphs × dimension floats.
  void embed(std::span<const Graph> graphs, Workspace& w, float* out) const {
    w.nodes.run(graphs, layers.size());
    embed(w.nodes, graphs.size(), w, out);
  }

  void embed_neighbours(const Graph& graph, std::span<const Edit> edits, Workspace& w,
                        float* out) const {
    w.neighbours.run(graph, edits, layers.size());
    w.minus_ones.assign(edits.size(), -1.0F);
    embed(w.neighbours, edits.size(), w, out);
  }

  template <typename Classes>
  void embed(const Classes& classes, std::size_t graphs, Workspace& w, float* out) const {
    w.zeros.assign(graphs, 0);
    const float* projected = first_projected.data();
    const float* residual = table.data();
    add_to_head(classes, 0, table.data(), w);
    for (std::size_t l = 0; l < layers.size(); ++l) {
      const LayerRows to = rows_for(l, classes.level(l + 1).size(), w);
      run_layer(classes, l, projected, residual, to, w);
      if (to.sums != nullptr) residual = to.sums;
      projected = to.projected;
      add_to_head(classes, l + 1, to.x, w);
    }
    finish_head(graphs, w, out);
  }

  [[nodiscard]] LayerRows rows_for(std::size_t l, std::size_t rows, Workspace& w) const {
    LayerRows to{at_least(w.x, rows * stride())};
    if (l + 1 < layers.size()) {
      to.projected = at_least(w.projected[l % 2], rows * layers[l + 1].first.width());
    }
    if (l % 2 == 1 && l + 2 < layers.size()) {
      to.sums = at_least(w.sums[l / 2 % 2], rows * stride());
    }
    return to;
  }

  template <typename Classes>
  void run_layer(const Classes& classes, std::size_t l, const float* projected,
                 const float* residual, const LayerRows& to, Workspace& w) const {
    const GinLayer& layer = layers[l];
    const Level& level = classes.level(l + 1);
    const std::size_t inner = layer.first.width();
    float* hidden = at_least(w.hidden, kBlock * inner);
    for (std::size_t begin = 0; begin < level.size(); begin += kBlock) {
      const std::size_t rows = std::min(kBlock, level.size() - begin);
      float* x = to.x + begin * stride();
      float* sum = to.sums != nullptr ? to.sums + begin * stride() : x;
      const float* add = l % 2 == 1 ? residual_rows(classes, l, begin, rows, residual, w) : nullptr;
      kernels.aggregate(level.rows(begin, rows), inner, {projected}, nullptr, layer.self, nullptr,
                        {layer.first.bias.data(), nullptr, true}, hidden);
      kernels.multiply_sparse(rows, layer.second.inner, stride(), hidden, inner,
                              layer.second.weight.data(),
                              {layer.second.bias.data(), add, to.sums == nullptr}, sum);
      if (to.sums != nullptr) {
        std::transform(sum, sum + rows * stride(), x,
                       [](float value) { return std::max(value, 0.0F); });
      }
      if (to.projected != nullptr) {
        const PackedLinear& next = layers[l + 1].first;
        kernels.multiply_sparse(rows, width, next.width(), x, stride(), next.weight.data(), {},
                                to.projected + begin * next.width());
      }
    }
  }

  /// The residual's rows for a block of classes: it was computed two levels below theirs.
  template <typename Classes>
  const float* residual_rows(const Classes& classes, std::size_t l, std::size_t begin,
                             std::size_t rows, const float* residual, Workspace& w) const {
    const Indices& parent = classes.level(l + 1).parent;
    const Indices& grandparent = classes.level(l).parent;
    std::array<std::uint32_t, kBlock> ancestor{};
    for (std::size_t r = 0; r < rows; ++r) ancestor[r] = grandparent[parent[begin + r]];
    float* added = at_least(w.added, kBlock * stride());
    kernels.gather(rows, stride(), {residual, ancestor.data()}, added);
    return added;
  }

  /// Sums a level's rows over each graph's nodes and adds their share of the head's first
  /// product to w.head.
  template <typename Classes>
  void add_to_head(const Classes& classes, std::size_t l, const float* x, Workspace& w) const {
    const std::size_t graphs = w.zeros.size();
    float* pooled = at_least(w.pooled, graphs * stride());
    pool(classes, l, x, w, pooled);
    const std::size_t columns = post_first.width();
    const float* so_far = l > 0 ? w.head[(l - 1) % 2].data() : nullptr;
    const bool last = l == layers.size();
    kernels.multiply(graphs, width, columns, pooled, stride(),
                     post_first.weight.data() + l * width * columns,
                     {last ? post_first.bias.data() : nullptr, so_far, last},
                     at_least(w.head[l % 2], graphs * columns));
  }

  void pool(const Refinement& classes, std::size_t l, const float* x, Workspace& w,
            float* pooled) const {
    const Indices& order = classes.order();
    const Indices& of_node = classes.level(l).of_node;
    w.members.resize(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) w.members[i] = of_node[order[i]];
    sum_rows(w.zeros, classes.begins(), w.members, x, nullptr, {}, pooled);
  }

  void pool(const NeighbourRefinement& classes, std::size_t l, const float* x, Workspace& w,
            float* pooled) const {
    const Indices& own = classes.level(l).of_node;
    const Indices ends{0, static_cast<std::uint32_t>(own.size())};
    float* base = at_least(w.base, stride());
    sum_rows({0}, ends, own, x, nullptr, {}, base);
    const auto& [gone_ends, gone] = classes.gone(l);
    float* taken = at_least(w.taken, w.zeros.size() * stride());
    sum_rows(w.zeros, gone_ends, gone, x, w.minus_ones.data(), {}, taken);
    const auto& [come_ends, come] = classes.come(l);
    sum_rows(w.zeros, come_ends, come, x, nullptr, {base, taken, false}, pooled);
  }

  /// Row r: scale[r] times the sum of the rows of x that `members` lists from ends[r] to ends[r+1].
  void sum_rows(const Indices& zeros, const Indices& ends, const Indices& members, const float* x,
                const float* scale, const Epilogue& epilogue, float* out) const {
    // A sum over neighbours, each row that of a node whose own share is 0 times the first of x. If
    // there is none: nothing is listed either, and the table will do.
    const float* rows = members.empty() ? table.data() : x;
    kernels.aggregate({zeros.size(), ends.data(), members.data(), zeros.data()}, stride(), {rows},
                      nullptr, 0.0F, scale, epilogue, out);
  }

  void finish_head(std::size_t graphs, Workspace& w, float* out) const {
    const Floats& from = w.head[layers.size() % 2];
    const std::size_t columns = post_second.width();
    float* to = at_least(w.head[(layers.size() + 1) % 2], graphs * columns);
    kernels.multiply(graphs, post_second.inner, columns, from.data(), post_first.width(),
                     post_second.weight.data(), {post_second.bias.data(), nullptr, false}, to);
    for (std::size_t i = 0; i < graphs; ++i) {
      std::copy_n(to + i * columns, post_second.columns, out + i * post_second.columns);
    }
  }
};

namespace {

/// Kept by the thread from call to call: small batches must not pay for allocations.
Workspace& workspace() {
  thread_local Workspace space;
  return space;
}

/// Where chunks begin, and the end of the last: runs of graphs of about equally many nodes.
std::vector<std::size_t> cut_into_chunks(std::span<const Graph> graphs, int threads) {
  std::size_t total = 0;
  for (const Graph& g : graphs) total += g.num_nodes();
  // A few chunks per thread even out their different speeds.
  const std::size_t share = total / (threads > 1 ? 4 * static_cast<std::size_t>(threads) : 1);
  const std::size_t limit = std::clamp(share, kMinChunkNodes, kChunkNodes);
  std::vector<std::size_t> cuts{0};
  std::size_t nodes = 0;
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    // A graph counts for a node at least: many empty ones are many chunks, too.
    nodes += std::max<std::size_t>(1, graphs[i].num_nodes());
    if (nodes < limit && i + 1 < graphs.size()) continue;
    cuts.push_back(i + 1);
    nodes = 0;
  }
  return cuts;
}

}  // namespace

GinEmbedder::GinEmbedder(const StateDict& weights, const std::string& origin,
                         const Kernels& kernels)
    : network_(std::make_unique<const Network>(WeightReader(weights, origin), kernels)) {}
GinEmbedder::~GinEmbedder() = default;
GinEmbedder::GinEmbedder(GinEmbedder&&) noexcept = default;

std::size_t GinEmbedder::dimension() const { return network_->post_second.columns; }
std::size_t GinEmbedder::num_labels() const { return network_->labels; }

void GinEmbedder::embed(std::span<const Graph> graphs, std::span<float> out,
                        ThreadPool& pool) const {
  assert(out.size() == graphs.size() * dimension());
  const auto cuts = cut_into_chunks(graphs, pool.size());
  pool.for_chunks(cuts.size() - 1, 1, [&](std::size_t chunk, std::size_t, int) {
    const std::size_t begin = cuts[chunk];
    const auto part = graphs.subspan(begin, cuts[chunk + 1] - begin);
    for (std::size_t i = 0; i < part.size(); ++i) {
      check_known_labels(part[i], num_labels(), begin + i);
    }
    network_->embed(part, workspace(), out.data() + begin * dimension());
  });
}

void GinEmbedder::embed_neighbours(const Graph& graph, std::span<const Edit> edits,
                                   std::span<float> out, ThreadPool& pool) const {
  assert(out.size() == edits.size() * dimension());
  check_known_labels(graph, num_labels(), 0);
  for (std::size_t i = 0; i < edits.size(); ++i) {
    check_known(edits[i].label, num_labels(), i);
  }
  const std::size_t share = edits.size() / (4 * static_cast<std::size_t>(pool.size()));
  const std::size_t chunk = std::clamp(share, kMinChunkEdits, kChunkEdits);
  pool.for_chunks(edits.size(), chunk, [&](std::size_t begin, std::size_t end, int) {
    network_->embed_neighbours(graph, edits.subspan(begin, end - begin), workspace(),
                               out.data() + begin * dimension());
  });
}

double GinEmbedder::flops(const Graph& graph) const {
  const double nodes = graph.num_nodes();
  const double ends = 2.0 * static_cast<double>(graph.num_edges());
  const auto width = static_cast<double>(network_->width);
  double total = nodes * width;  // pooling x0
  for (const GinLayer& layer : network_->layers) {
    total += nodes * (flops_of(layer.first) + flops_of(layer.second));
    total += (ends + nodes) * width;  // neighbours
    total += nodes * width;           // pooling
  }
  return total + flops_of(network_->post_first) + flops_of(network_->post_second);
}

GinEmbedder load_embedder(const std::filesystem::path& path, const Kernels& kernels) {
  return {read_checkpoint(path), path.string(), kernels};
}

void check_labels(const GinEmbedder& embedder, std::size_t num_labels, const std::string& file) {
  if (embedder.num_labels() == num_labels) return;
  throw Error({file},
              fmt::format("the distance model knows {} node labels, the dataset has {}",
                          embedder.num_labels(), num_labels),
              "use a model that was trained for this dataset");
}

float embedding_distance(std::span<const float> a, std::span<const float> b) {
  assert(a.size() == b.size());
  // PERF NOTE: one sum would be a chain of additions; these are vectors to the compiler.
  std::array<float, 8> sums{};
  std::size_t i = 0;
  for (; i + sums.size() <= a.size(); i += sums.size()) {
    for (std::size_t j = 0; j < sums.size(); ++j) {
      const float difference = a[i + j] - b[i + j];
      sums[j] += difference * difference;
    }
  }
  for (; i < a.size(); ++i) sums[0] += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(std::accumulate(sums.begin(), sums.end(), 0.0F));
}

}  // namespace fewedits
