// SPDX-License-Identifier: MIT
// Which graphs are explained: the user's choice among those that are not predicted desired.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fewedits {

/// Without anything set, all that are not predicted desired.
struct InputSelection {
  /// Predicted to be in one of these (class_meant); empty: in any but the desired one.
  std::vector<std::string> source_classes = {};
  bool only_correct = false;  ///< predicted to be what they are
  /// Among these: indices into the filtered dataset, ascending.
  std::optional<std::vector<std::uint32_t>> graphs = {};
  /// The part of the model's split that `graphs` are, "train", "validation" or "test"; empty: none.
  std::string split = {};
};

}  // namespace fewedits
