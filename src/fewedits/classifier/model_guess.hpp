// SPDX-License-Identifier: MIT
// A model file drafted from a checkpoint alone: layers, norms and head follow from the names and
// shapes of the tensors; what has no weights (activations, pooling) can only be supposed.
#pragma once

#include <string>
#include <vector>

#include "fewedits/base/tensor.hpp"
#include "fewedits/classifier/model_spec.hpp"

namespace fewedits {

struct ModelGuess {
  ModelSpec spec;
  /// What was recognised, in order: "convs.0: GCN, 7 → 16, then batch norm bns.0".
  std::vector<std::string> parts;
  /// What the weights do not tell and was supposed.
  std::vector<std::string> to_check;
  /// Why there is no such model. Empty: the spec loads with these weights, every one of them.
  std::vector<std::string> problems;
};

/// The weights as load_model hands them out, without wrappers. Never throws for what they are.
ModelGuess guess_model(const StateDict& weights);

/// Names in the order in which people count: 2 before 10.
std::vector<std::string> tensor_names(const StateDict& weights);

/// Tensors and recognised parts in a few sentences, for an error about a checkpoint that nothing
/// describes.
std::string summary_of(const ModelGuess& guess, const StateDict& weights);

}  // namespace fewedits
