// SPDX-License-Identifier: MIT
// Settings of the methods that explain a graph by edges whose removal changes its class.
#pragma once

#include <cstdint>

namespace fewedits {

/// CFF (Tan et al., WebConf'22): a mask for each graph alone.
struct CffOptions {
  double lambda = 1000;  ///< weight of the prediction against the size of the mask
  double alpha = 0.6;    ///< of it, how much is about what the mask keeps, not what it leaves
  double gamma = 0.5;    ///< by how much the prediction is to be sure
  double rate = 0.05;    ///< of Adam
  std::uint64_t steps = 500;
};

/// RCExplainer (Bajaj et al., NeurIPS'21): a network that makes masks, trained on all inputs. The
/// weights are the authors' (3, 12, 1e-3, 8) with the first two summing to 1.
struct RcOptions {
  double lambda = 0.2;        ///< keeping the class by the mask, against losing it by the rest
  double size = 1e-3 / 15;    ///< weight of the mask's sum
  double entropy = 8.0 / 15;  ///< weight of the mask's mean entropy
  double rate = 1e-3;         ///< of Adam
  std::uint64_t epochs = 600;
};

struct LocalSettings {
  CffOptions cff;
  RcOptions rc;
};

}  // namespace fewedits
