// SPDX-License-Identifier: MIT
// An InputSelection in terms of a dataset and a model that is aligned with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "fewedits/classifier/classifier.hpp"
#include "fewedits/classifier/input_selection.hpp"
#include "fewedits/graph/dataset.hpp"

namespace fewedits {

class InputRule {
 public:
  /// Keeps a reference to the dataset. Throws Error for classes and graphs that are not there, and
  /// if it takes true classes that nobody knows.
  InputRule(const Dataset& dataset, const Classifier& classifier, const InputSelection& selection);

  [[nodiscard]] std::size_t desired() const { return desired_; }
  /// Is a graph of the dataset explained if the model predicts this class for it?
  [[nodiscard]] bool admits(std::uint32_t graph, std::size_t predicted) const;

 private:
  void choose_sources(const Classifier& classifier, const std::vector<std::string>& names);
  void choose_graphs(const InputSelection& selection);

  const Dataset& dataset_;
  std::size_t desired_;
  std::vector<bool> is_source_;  ///< by class
  bool only_correct_;
  std::optional<std::vector<bool>> chosen_;  ///< by graph; none: all
};

}  // namespace fewedits
