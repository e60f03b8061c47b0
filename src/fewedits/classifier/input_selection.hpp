// SPDX-License-Identifier: MIT
// Which graphs are explained: the user's choice among those that are not predicted desired.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace fewedits {

struct Dataset;

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

/// The graphs of a part ("train", "validation" or "test") of the split that a model's file records.
/// Throws Error if it records none, or one of other graphs.
std::vector<std::uint32_t> part_of_split(const std::filesystem::path& model, const Dataset& dataset,
                                         const std::string& part);

}  // namespace fewedits
