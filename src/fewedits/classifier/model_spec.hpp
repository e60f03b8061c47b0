// SPDX-License-Identifier: MIT
// A message-passing graph classifier described as data: which layers, in which order, and
// under which names their weights lie in the state dict. Training writes it, the native
// engine compiles it, and the model file (classifier/model_file.hpp) is its JSON form.
//
//   x ← one-hot(label), or its embedding;  for each layer: x ← activation(batch_norm(conv(x)))
//   pool over nodes (all layers' outputs side by side when jumping), MLP head, log-softmax
#pragma once

#include <string>
#include <vector>

namespace fewedits {

enum class Conv {
  kGcn,   ///< Kipf & Welling 2017: D^-1/2 (A+I) D^-1/2 X W + b
  kGin,   ///< Xu et al. 2019: MLP((1+ε) x_v + Σ x_u)
  kSage,  ///< Hamilton et al. 2017: aggregate(x_u) W_l + b + x_v W_r
  kGat,   ///< Veličković et al. 2018, with self loops
  kGine,  ///< Hu et al. 2020: MLP((1+ε) x_v + Σ relu(x_u + e_uv))
};
enum class Activation { kRelu, kElu, kNone, kLeakyRelu, kGelu, kTanh, kSigmoid };
enum class Aggregation { kMean, kSum, kMax };
enum class Output {
  kSoftmax,  ///< a logit for each class
  kSigmoid,  ///< one logit: of class 1; class 0 has the rest
};

struct LayerSpec {
  Conv conv = Conv::kGcn;
  std::string weights = {};      ///< prefix in the state dict, e.g. "convs.0"
  std::string batch_norm = {};   ///< prefix, e.g. "bns.0"; empty: none
  bool batch_norm_last = false;  ///< it comes after the activation
  Activation activation = Activation::kRelu;
  Activation mlp_activation = Activation::kRelu;  ///< kGin and kGine: inside, between linear layers
  Aggregation aggregate = Aggregation::kMean;     ///< kSage only
  int heads = 1;                                  ///< kGat only
  bool concat_heads = true;                       ///< kGat only; false: mean over heads
  double negative_slope = 0.2;                    ///< kGat only
  bool edges = false;                             ///< kGat only: attention looks at edges, too
  /// Prefix of an embedding of edge labels for this layer alone; empty: the model's.
  std::string edge_embedding = {};

  [[nodiscard]] bool reads_edges() const { return conv == Conv::kGine || edges; }
};

/// One linear layer of the head; the head's activation follows all but the last.
struct HeadSpec {
  std::string weights;
  std::string batch_norm;
};

struct ModelSpec {
  std::vector<LayerSpec> layers;
  /// Prefixes of embeddings of the labels of nodes and of edges; empty: one-hot.
  std::string node_embedding = {};
  std::string edge_embedding = {};
  bool jumping = false;
  Aggregation pooling = Aggregation::kMax;
  /// Beside the first, in this order: each pools all that is pooled.
  std::vector<Aggregation> more_poolings = {};
  std::vector<HeadSpec> head;
  Activation head_activation = Activation::kRelu;
  Output output = Output::kSoftmax;
  double leaky_slope = 0.01;  ///< of every leaky ReLU but those inside attention
  double batch_norm_epsilon = 1e-5;
  /// Names in the order of the one-hot features; empty: unknown (the count is in the weights).
  std::vector<std::string> node_labels;
  /// The same of edges, for a model that has layers that read them.
  std::vector<std::string> edge_labels;
  std::vector<std::string> classes;  ///< names by class index; empty: unknown
  /// Tensors of the checkpoint that the model does without: names, or prefixes that end before a
  /// dot. Whatever else it does not use is an error.
  std::vector<std::string> ignore;
};

}  // namespace fewedits
