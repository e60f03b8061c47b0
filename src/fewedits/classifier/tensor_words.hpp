// SPDX-License-Identifier: MIT
// Tensors of a checkpoint in words, for errors and for those who describe a model. Internal to
// classifier.
#pragma once

#include <string>
#include <vector>

#include "fewedits/base/tensor.hpp"
#include "fewedits/classifier/model_spec.hpp"

namespace fewedits {

/// "[7, 16]".
std::string shape_in_words(const Tensor& tensor);

/// "'a.weight' [7, 16], 'a.bias' [7]"; a long list is cut.
std::string listed_tensors(const std::vector<std::string>& names, const StateDict& weights);

/// What tensors that a model does not use probably are, one sentence each, if their names or shapes
/// tell. `inputs`: features that the first layer takes.
std::vector<std::string> hints_about(const std::vector<std::string>& unused,
                                     const StateDict& weights, const ModelSpec& spec,
                                     std::size_t inputs);

}  // namespace fewedits
