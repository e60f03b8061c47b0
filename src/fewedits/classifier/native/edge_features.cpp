// SPDX-License-Identifier: MIT
#include "fewedits/classifier/native/edge_features.hpp"

#include <fmt/format.h>

#include "fewedits/base/error.hpp"

namespace fewedits {

LabelTable mapped_edges(const WeightReader& weights, const std::string& embedding,
                        const std::string& linear) {
  const PackedLinear map = weights.linear(linear);
  if (embedding.empty()) return mapped(nullptr, map);
  const LabelTable rows = weights.embedding(embedding);
  if (rows.columns != map.inner) {
    weights.fail(fmt::format("{} takes {} features of an edge, the embedding {} gives {}",
                             in_quotes(linear), map.inner, in_quotes(embedding), rows.columns));
  }
  return mapped(&rows, map);
}

LabelTable plain_edges(const WeightReader& weights, const std::string& embedding,
                       std::size_t features, const std::string& layer) {
  if (embedding.empty()) return one_hot_table(features);
  LabelTable rows = weights.embedding(embedding);
  if (rows.columns != features) {
    weights.fail(fmt::format("{} adds {} features of an edge to {} of a node; there is no {}",
                             in_quotes(layer), rows.columns, features, in_quotes(layer + ".lin")),
                 "give the embedding of edges that the layer uses (\"edge_embedding\")");
  }
  return rows;
}

}  // namespace fewedits
