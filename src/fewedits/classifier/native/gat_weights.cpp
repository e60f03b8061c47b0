// SPDX-License-Identifier: MIT
#include "fewedits/classifier/native/gat_weights.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "fewedits/base/error.hpp"
#include "fewedits/classifier/native/edge_features.hpp"

namespace fewedits {
namespace {

/// PyTorch Geometric 2.0 to 2.4 saves its one map under two names.
void check_both_ends(const WeightReader& weights, const std::string& p) {
  if (!weights.has(p + ".lin_dst.weight")) return;
  const auto source = weights.tensor(p + ".lin_src.weight", 2).to_floats();
  if (weights.tensor(p + ".lin_dst.weight", 2).to_floats() != source) {
    weights.fail(
        fmt::format("{}: lin_src and lin_dst differ, as for two kinds of nodes", in_quotes(p)));
  }
}

}  // namespace

GatWeights::GatWeights(const LayerSpec& spec, const WeightReader& weights, const ModelSpec& model,
                       const std::string& edge_embedding)
    : heads(static_cast<std::size_t>(spec.heads)),
      concat(spec.concat_heads),
      slope(static_cast<float>(spec.negative_slope)),
      activation{spec.activation, static_cast<float>(model.leaky_slope)} {
  const std::string& p = spec.weights;
  const bool older = weights.has(p + ".lin_src.weight");
  const PackedLinear plain = weights.linear(p + (older ? ".lin_src" : ".lin"));
  if (older) check_both_ends(weights, p);
  if (plain.columns % heads != 0) {
    weights.fail(fmt::format("{}: {} output features do not divide among {} heads", in_quotes(p),
                             plain.columns, heads));
  }
  features = plain.columns / heads;
  spread_heads(plain);
  source = attention(weights, p + ".att_src");
  target = attention(weights, p + ".att_dst");
  if (spec.edges) read_edges(weights, p, edge_embedding);
  shift = weights.has(p + ".bias") ? weights.vector(p + ".bias", outputs())
                                   : std::vector<float>(outputs(), 0.0F);
  scale.assign(outputs(), 1.0F);
  if (!spec.batch_norm.empty() && !spec.batch_norm_last) {
    const auto norm = weights.norm(spec.batch_norm, outputs(), model.batch_norm_epsilon);
    for (std::size_t c = 0; c < outputs(); ++c) {
      scale[c] = norm.scale[c];
      shift[c] = shift[c] * norm.scale[c] + norm.shift[c];
    }
  }
  if (!concat) {
    for (float& s : scale) s /= static_cast<float>(heads);
  }
}

void GatWeights::spread_heads(const PackedLinear& plain) {
  linear.inner = plain.inner;
  linear.columns = heads * lanes();
  linear.weight.assign(linear.inner * linear.width(), 0.0F);
  for (std::size_t k = 0; k < plain.inner; ++k) {
    for (std::size_t c = 0; c < plain.columns; ++c) {
      linear.weight[k * linear.width() + c / features * lanes() + c % features] =
          plain.weight[k * plain.width() + c];
    }
  }
}

std::vector<float> GatWeights::attention(const WeightReader& weights,
                                         const std::string& name) const {
  auto values = weights.tensor(name, 3).to_floats();
  if (values.size() != heads * features) {
    weights.fail(fmt::format("tensor {} has {} values, {} heads × {} features were expected",
                             in_quotes(name), values.size(), heads, features));
  }
  return values;
}

/// Attention to an edge is linear in its features: one number for each label and head.
void GatWeights::read_edges(const WeightReader& weights, const std::string& prefix,
                            const std::string& embedding) {
  const std::string map = prefix + ".lin_edge";
  const LabelTable rows = mapped_edges(weights, embedding, map);
  if (rows.columns != heads * features) {
    weights.fail(fmt::format("{} gives {} features, {} heads × {} were expected", in_quotes(map),
                             rows.columns, heads, features));
  }
  const std::vector<float> attends = attention(weights, prefix + ".att_edge");
  edges.assign(rows.inner * heads, 0.0F);
  for (std::size_t label = 0; label < rows.inner; ++label) {
    for (std::size_t i = 0; i < heads * features; ++i) {
      edges[label * heads + i / features] += rows.weight[label * rows.width() + i] * attends[i];
    }
  }
}

void GatWeights::select_edge_labels(std::span<const std::uint32_t> from) {
  std::vector<float> selected;
  for (const std::uint32_t label : from) {
    for (std::size_t head = 0; head < heads; ++head) selected.push_back(of_edge(label, head));
  }
  edges = std::move(selected);
}

float GatWeights::mean_of_edges(std::span<const Label> labels, std::size_t head) const {
  float sum = 0;
  for (const Label label : labels) sum += of_edge(label, head);
  return labels.empty() ? 0 : sum / static_cast<float>(labels.size());
}

void GatWeights::score(std::size_t n, const float* h, float* terms) const {
  for (std::size_t i = 0; i < n * heads; ++i) {
    const float* row = h + i * lanes();
    const std::size_t at = i % heads * features;
    float as_source = 0;
    float as_target = 0;
    for (std::size_t c = 0; c < features; ++c) {
      as_source += row[c] * source[at + c];
      as_target += row[c] * target[at + c];
    }
    terms[i] = as_source;
    terms[n * heads + i] = as_target;
  }
}

void GatWeights::close(std::size_t n, const float* sums, float* out) const {
  const std::size_t width = padded(outputs());
  std::fill_n(out, n * width, 0.0F);
  for (std::size_t v = 0; v < n; ++v) {
    for (std::size_t i = 0; i < heads * features; ++i) {
      const std::size_t column = output_of(i / features, i % features);
      out[v * width + column] +=
          sums[(v * heads + i / features) * lanes() + i % features] * scale[column];
    }
    for (std::size_t c = 0; c < outputs(); ++c) out[v * width + c] += shift[c];
    apply_nonlinearity(activation, 1, outputs(), width, out + v * width);
  }
}

}  // namespace fewedits
