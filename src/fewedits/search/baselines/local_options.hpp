// SPDX-License-Identifier: MIT
// Settings of the methods that explain a graph by edges whose removal changes its class.
#pragma once

#include <cstdint>

namespace fewedits {

/// CFF (Tan et al., WebConf'22): a mask for each graph alone. The authors' settings, but for
/// lambda, which is 1000 with them: on molecules, masks then keep half of the graph
/// (bench/local_explainers).
struct CffOptions {
  double lambda = 20;  ///< weight of the prediction against the size of the mask
  double alpha = 0.6;  ///< of it, how much is about what the mask keeps, not what it leaves
  double gamma = 0.5;  ///< by how much the prediction is to be sure
  double rate = 0.05;  ///< of Adam
  std::uint64_t steps = 500;
};

/// RCExplainer (Bajaj et al., NeurIPS'21): a network that makes masks, trained on all inputs. The
/// authors' weights (3, 12, 1e-3, 8), scaled so that the first two sum to 1, but for the size, of
/// which theirs is 1e-3 / 15, and 600 epochs with them.
struct RcOptions {
  double lambda = 0.2;    ///< keeping the class by the mask, against losing it by the rest
  double size = 0.01;     ///< weight of the mask's sum
  double entropy = 0.53;  ///< weight of the mask's mean entropy
  double rate = 1e-3;     ///< of Adam
  std::uint64_t epochs = 100;
};

struct LocalSettings {
  CffOptions cff = {};
  RcOptions rc = {};
};

}  // namespace fewedits
