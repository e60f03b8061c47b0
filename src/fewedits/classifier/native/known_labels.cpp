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

}  // namespace fewedits
