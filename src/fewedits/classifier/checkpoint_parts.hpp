// SPDX-License-Identifier: MIT
// The modules of which a checkpoint's tensors are probably parts, by names and shapes: PyTorch
// Geometric's and torch.nn's layouts under prefixes of any style. Internal to classifier.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fewedits/base/tensor.hpp"
#include "fewedits/classifier/model_spec.hpp"

namespace fewedits {

/// A message-passing layer.
struct ConvPart {
  LayerSpec layer;
  std::int64_t inputs = 0;
  std::int64_t outputs = 0;
  std::int64_t edge_features = 0;  ///< that its own map of edges takes; 0: it has none
};
/// A torch.nn.Linear.
struct LinearPart {
  std::string prefix;
  std::int64_t inputs = 0;
  std::int64_t outputs = 0;
};
/// A batch norm.
struct NormPart {
  std::string prefix;
  std::int64_t features = 0;
};

/// Each list in the order in which people count: 2 before 10.
struct CheckpointParts {
  std::vector<ConvPart> convs;
  std::vector<LinearPart> linears;
  std::vector<NormPart> norms;
  std::vector<std::string> others;  ///< tensors of none of them
};

CheckpointParts checkpoint_parts(const StateDict& weights);

/// "convs.2" before "convs.10", whatever stands around the numbers.
bool counts_before(const std::string& a, const std::string& b);
/// The last number in a name, without leading zeros; empty if it has none.
std::string last_number(const std::string& name);
/// What precedes the last dot; empty if there is none.
std::string parent_of(const std::string& name);

}  // namespace fewedits
