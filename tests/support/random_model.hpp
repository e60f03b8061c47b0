// SPDX-License-Identifier: MIT
// Native models of every architecture with random weights.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "fewedits/base/rng.hpp"
#include "fewedits/base/tensor.hpp"
#include "fewedits/classifier/model_spec.hpp"

namespace fewedits::test {

inline constexpr std::int64_t kModelLabels = 7;
inline constexpr std::int64_t kModelEdgeLabels = 3;

enum class Norm { kNone, kAffine, kPlain };

/// What a layer that reads edges gets of them.
enum class EdgeInput {
  kOneHot,  ///< through the layer's own map
  kShared,  ///< an embedding for all layers, through the layer's own map
  kOwn,     ///< the layer's own embedding; GINE adds it as it is
};

/// One architecture; the defaults are the paper's.
struct Variant {
  Conv conv = Conv::kGcn;
  bool older_names = false;  ///< GCN: convs.L.weight in × out; GAT: lin_src
  bool eps = false;          ///< GIN
  bool inner_norm = false;   ///< GIN: batch norm inside the Sequential
  Aggregation aggregate = Aggregation::kMean;
  int heads = 1;
  bool concat = true;
  Norm norm = Norm::kAffine;
  Activation activation = Activation::kRelu;
  Aggregation pooling = Aggregation::kMax;
  bool jumping = false;
  std::vector<std::int64_t> head_widths = {};
  bool head_norm = false;
  std::int64_t classes = 2;
  bool edges = false;  ///< GAT
  EdgeInput edge_input = EdgeInput::kOneHot;
  std::int64_t node_embedding = 0;  ///< features; 0: one-hot
  bool norm_last = false;
  bool inner_norm_last = false;  ///< GIN: behind the activation, with inner_norm
  Activation mlp_activation = Activation::kRelu;
  Activation head_activation = Activation::kRelu;
  std::vector<Aggregation> more_poolings = {};
  Output output = Output::kSoftmax;

  [[nodiscard]] bool reads_edges() const { return conv == Conv::kGine || edges; }
};

class ModelMaker {
 public:
  ModelMaker(const Variant& variant, std::int64_t width, std::uint64_t seed)
      : variant_(variant), rng_(seed) {
    std::int64_t in = kModelLabels;
    if (variant.node_embedding > 0) {
      in = variant.node_embedding;
      spec.node_embedding = "node_emb";
      add("node_emb.weight", {kModelLabels, in}, -1.0, 1.0);
    }
    if (variant.reads_edges() && variant.edge_input == EdgeInput::kShared) {
      spec.edge_embedding = "edge_emb";
      add("edge_emb.weight", {kModelEdgeLabels, kEdgeFeatures}, -1.0, 1.0);
    }
    std::int64_t all = 0;
    for (int l = 0; l < 3; ++l) {
      in = add_layer(std::to_string(l), in, width);
      all += in;
    }
    spec.jumping = variant.jumping;
    spec.pooling = variant.pooling;
    spec.more_poolings = variant.more_poolings;
    spec.head_activation = variant.head_activation;
    spec.output = variant.output;
    spec.leaky_slope = 0.1;
    const auto ways = static_cast<std::int64_t>(1 + variant.more_poolings.size());
    add_head(ways * (variant.jumping ? all : in));
  }

  ModelSpec spec;
  StateDict weights;

 private:
  void add(const std::string& name, const std::vector<std::int64_t>& shape, double low,
           double high) {
    std::size_t count = 1;
    for (const std::int64_t s : shape) count *= static_cast<std::size_t>(s);
    std::vector<float> values(count);
    for (float& v : values) v = static_cast<float>(low + (high - low) * rng_.uniform());
    weights[name] = Tensor::from_floats(shape, values);
  }

  /// Sums over neighbours and nodes grow the features: smaller weights keep them near 1, so
  /// that an absolute tolerance means something.
  void add_matrix(const std::string& name, std::int64_t rows, std::int64_t columns,
                  std::int64_t in) {
    const bool sums = variant_.conv == Conv::kGin || variant_.conv == Conv::kGine ||
                      variant_.aggregate == Aggregation::kSum;
    const double bound = (sums ? 1.0 : 2.0) / std::sqrt(static_cast<double>(in));
    add(name, {rows, columns}, -bound, bound);
  }

  void add_linear(const std::string& prefix, std::int64_t out, std::int64_t in, bool bias = true) {
    add_matrix(prefix + ".weight", out, in, in);
    if (bias) add(prefix + ".bias", {out}, -0.3, 0.3);
  }

  void add_norm(const std::string& prefix, std::int64_t features, bool affine) {
    add(prefix + ".running_mean", {features}, -0.5, 0.5);
    add(prefix + ".running_var", {features}, 0.3, 2.0);
    if (!affine) return;
    add(prefix + ".weight", {features}, -0.6, 1.8);
    add(prefix + ".bias", {features}, -0.5, 0.5);
  }

  std::int64_t add_layer(const std::string& number, std::int64_t in, std::int64_t width) {
    LayerSpec layer;
    layer.conv = variant_.conv;
    layer.weights = "convs." + number;
    layer.activation = variant_.activation;
    layer.aggregate = variant_.aggregate;
    layer.heads = variant_.heads;
    layer.concat_heads = variant_.concat;
    layer.edges = variant_.edges;
    layer.batch_norm_last = variant_.norm_last && variant_.norm != Norm::kNone;
    layer.mlp_activation = variant_.mlp_activation;
    const std::int64_t out = add_convolution(layer.weights, in, width);
    if (variant_.reads_edges()) add_edges(layer, in, width);
    if (variant_.norm != Norm::kNone) {
      layer.batch_norm = "bns." + number;
      add_norm(layer.batch_norm, out, variant_.norm == Norm::kAffine);
    }
    spec.layers.push_back(layer);
    return out;
  }

  void add_edges(LayerSpec& layer, std::int64_t in, std::int64_t width) {
    const bool gat = layer.conv == Conv::kGat;
    std::int64_t features = kModelEdgeLabels;
    if (variant_.edge_input == EdgeInput::kShared) features = kEdgeFeatures;
    if (variant_.edge_input == EdgeInput::kOwn) {
      features = gat ? kEdgeFeatures : in;
      layer.edge_embedding = layer.weights + "_bonds";
      add(layer.edge_embedding + ".weight", {kModelEdgeLabels, features}, -1.0, 1.0);
    }
    if (gat) {
      const std::int64_t heads = variant_.heads;
      add(layer.weights + ".lin_edge.weight", {heads * width, features}, -1.0, 1.0);
      add(layer.weights + ".att_edge", {1, heads, width}, -1.0, 1.0);
    } else if (variant_.edge_input != EdgeInput::kOwn) {
      add(layer.weights + ".lin.weight", {in, features}, -1.0, 1.0);
      add(layer.weights + ".lin.bias", {in}, -0.3, 0.3);
    }
  }

  std::int64_t add_convolution(const std::string& name, std::int64_t in, std::int64_t width) {
    switch (variant_.conv) {
      case Conv::kGcn:
        if (variant_.older_names) {
          add_matrix(name + ".weight", in, width, in);
        } else {
          add_matrix(name + ".lin.weight", width, in, in);
        }
        add(name + ".bias", {width}, -0.3, 0.3);
        return width;
      case Conv::kGin:
      case Conv::kGine:
        add_linear(name + ".nn.0", width + 3, in);
        if (variant_.inner_norm) {
          add_norm(name + (variant_.inner_norm_last ? ".nn.2" : ".nn.1"), width + 3,
                   /*affine=*/true);
        }
        add_linear(name + (variant_.inner_norm ? ".nn.3" : ".nn.2"), width, width + 3);
        if (variant_.eps) add(name + ".eps", {1}, 0.1, 0.5);
        return width;
      case Conv::kSage:
        add_linear(name + ".lin_l", width, in);
        add_linear(name + ".lin_r", width, in, /*bias=*/false);
        return width;
      case Conv::kGat: return add_attention(name, in, width);
    }
    return width;
  }

  /// `width` is one head's.
  std::int64_t add_attention(const std::string& name, std::int64_t in, std::int64_t width) {
    const std::int64_t heads = variant_.heads;
    add_linear(name + (variant_.older_names ? ".lin_src" : ".lin"), heads * width, in, false);
    add(name + ".att_src", {1, heads, width}, -1.0, 1.0);
    add(name + ".att_dst", {1, heads, width}, -1.0, 1.0);
    const std::int64_t out = variant_.concat ? heads * width : width;
    add(name + ".bias", {out}, -0.3, 0.3);
    return out;
  }

  void add_head(std::int64_t in) {
    std::vector<std::int64_t> widths = variant_.head_widths;
    widths.push_back(variant_.output == Output::kSigmoid ? 1 : variant_.classes);
    for (std::size_t i = 0; i < widths.size(); ++i) {
      HeadSpec part{widths.size() == 1 ? "fc" : "fcs." + std::to_string(i), ""};
      // A sum over 60 nodes goes in.
      const bool sums = variant_.pooling == Aggregation::kSum ||
                        std::ranges::count(variant_.more_poolings, Aggregation::kSum) > 0;
      const double bound = (sums && i == 0 ? 0.2 : 3.0) / std::sqrt(static_cast<double>(in));
      add(part.weights + ".weight", {widths[i], in}, -bound, bound);
      add(part.weights + ".bias", {widths[i]}, -0.3, 0.3);
      if (variant_.head_norm && i + 1 < widths.size()) {
        part.batch_norm = "head_norms." + std::to_string(i);
        add_norm(part.batch_norm, widths[i], /*affine=*/true);
      }
      spec.head.push_back(part);
      in = widths[i];
    }
  }

  static constexpr std::int64_t kEdgeFeatures = 5;

  Variant variant_;
  Rng rng_;
};

}  // namespace fewedits::test
