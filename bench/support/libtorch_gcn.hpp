// SPDX-License-Identifier: MIT
// The competitor: the paper's GCN written with libtorch's own operators, on a batch that was
// collated beforehand, so that only the network itself is timed.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "fewedits/base/tensor.hpp"
#include "fewedits/graph/graph.hpp"
#include "support/libtorch_info.hpp"

namespace fewedits::bench {

class LibtorchGcn {
 public:
  explicit LibtorchGcn(const StateDict& weights);
  ~LibtorchGcn();

  /// Collates one batch; returns its number.
  std::size_t add_batch(std::span<const Graph> graphs);
  /// Log-probabilities of a batch, graphs × classes.
  std::vector<float> run(std::size_t batch, Aggregator aggregator) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fewedits::bench
