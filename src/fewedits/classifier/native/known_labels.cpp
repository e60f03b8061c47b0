// SPDX-License-Identifier: MIT
#include "fewedits/classifier/native/known_labels.hpp"

#include <fmt/format.h>

#include "fewedits/base/error.hpp"

namespace fewedits {

void check_known(Label label, std::size_t known, std::size_t index) {
  if (label < known) return;
  throw Error(
      fmt::format("graph {} has node label {}, the model knows 0 to {}", index, label, known - 1));
}

void check_known_labels(const Graph& graph, std::size_t known, std::size_t index) {
  for (const Label label : graph.labels()) check_known(label, known, index);
}

void check_known_edge_labels(const Graph& graph, std::size_t known, std::size_t index) {
  if (graph.num_edges() > 0 && !graph.has_edge_labels()) {
    throw Error(fmt::format("graph {} has no labels of edges, which the model looks at", index),
                "a model that sees bonds needs graphs with bonds (option bonds: use)");
  }
  for (const Label label : graph.edge_labels()) {
    if (label < known) continue;
    throw Error(fmt::format("graph {} has edge label {}, the model knows 0 to {}", index, label,
                            known - 1));
  }
}

}  // namespace fewedits
