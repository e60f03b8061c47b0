// SPDX-License-Identifier: MIT
// The competitor: GREED written with libtorch's own operators, on batches collated beforehand,
// so that only the network itself is timed. It is given what helps it: the one-hot product as a
// lookup, layers pooled one by one instead of a 576-wide concatenation, operations in place.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "fewedits/base/tensor.hpp"
#include "fewedits/graph/graph.hpp"
#include "support/libtorch_info.hpp"

namespace fewedits::bench {

class LibtorchGreed {
 public:
  explicit LibtorchGreed(const StateDict& weights);
  ~LibtorchGreed();

  /// Collates one batch; returns its number.
  std::size_t add_batch(std::span<const Graph> graphs);
  /// Embeddings of a batch, graphs × dimension.
  std::vector<float> run(std::size_t batch, Aggregator aggregator) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fewedits::bench
