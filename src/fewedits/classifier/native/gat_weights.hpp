// SPDX-License-Identifier: MIT
// The weights of a GAT layer, and the parts of its formula that look at one node at a time.
// Internal to classifier/native.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fewedits/classifier/model_spec.hpp"
#include "fewedits/classifier/native/nonlinearity.hpp"
#include "fewedits/classifier/native/packed.hpp"
#include "fewedits/graph/graph.hpp"

namespace fewedits {

/// Each head's columns are padded: feature c of a head is column head · lanes() + c.
struct GatWeights {
  PackedLinear linear;
  std::size_t heads;
  std::size_t features = 0;  ///< of one head
  bool concat;
  float slope;
  std::vector<float> source;  ///< heads × features
  std::vector<float> target;
  std::vector<float> scale;  ///< of the outputs: batch norm, and the mean over heads
  std::vector<float> shift;
  Nonlinearity activation;

  std::vector<float> edges;  ///< edge labels × heads: what an edge adds to a logit; empty: nothing

  GatWeights(const LayerSpec& spec, const WeightReader& weights, const ModelSpec& model,
             const std::string& edge_embedding);

  [[nodiscard]] bool reads_edges() const { return !edges.empty(); }
  [[nodiscard]] std::size_t edge_labels() const { return edges.size() / heads; }
  void select_edge_labels(std::span<const std::uint32_t> from);
  [[nodiscard]] float of_edge(Label label, std::size_t head) const {
    return edges[label * heads + head];
  }
  /// What a self loop counts as: the mean of the node's edges; 0 if it has none.
  [[nodiscard]] float mean_of_edges(std::span<const Label> labels, std::size_t head) const;

  [[nodiscard]] std::size_t lanes() const { return padded(features); }
  [[nodiscard]] std::size_t outputs() const { return concat ? heads * features : features; }
  /// The output that feature c of a head goes to.
  [[nodiscard]] std::size_t output_of(std::size_t head, std::size_t c) const {
    return concat ? head * features + c : c;
  }
  [[nodiscard]] float leaky(float logit) const { return logit > 0 ? logit : slope * logit; }

  /// terms[v·heads + head] for the source role, then the same for the target role; h has rows of
  /// linear.width().
  void score(std::size_t n, const float* h, float* terms) const;
  /// Joins or averages the heads, then bias, batch norm, activation.
  void close(std::size_t n, const float* sums, float* out) const;

 private:
  void spread_heads(const PackedLinear& plain);
  void read_edges(const WeightReader& weights, const std::string& prefix,
                  const std::string& embedding);
  [[nodiscard]] std::vector<float> attention(const WeightReader& weights,
                                             const std::string& name) const;
};

}  // namespace fewedits
