// SPDX-License-Identifier: MIT
// The competitor: neighbours evaluated as a framework does it, every graph as a whole, in batches.
// φ and GREED are those of the other benchmarks; distances to all inputs come from one matrix
// product a batch. Graphs are built and collated beforehand, so that this is not timed.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fewedits/base/tensor.hpp"
#include "fewedits/graph/graph.hpp"
#include "support/libtorch_info.hpp"

namespace fewedits::bench {

class LibtorchNeighbours {
 public:
  /// The weights are those of φ and of GREED.
  LibtorchNeighbours(const StateDict& gcn, const StateDict& greed, std::span<const Graph> inputs,
                     std::size_t desired_class);
  ~LibtorchNeighbours();

  /// Collates one batch.
  void add_batch(std::span<const Graph> graphs);

  struct Aggregators {
    Aggregator gcn;
    Aggregator greed;
  };
  /// The fastest ones for the first batch, with the number of threads set.
  [[nodiscard]] Aggregators fastest() const;

  /// For each graph of a batch: probability of the desired class, number of inputs within theta.
  [[nodiscard]] std::vector<float> run(std::size_t batch, Aggregators how, double theta) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::string name_of(LibtorchNeighbours::Aggregators how);

}  // namespace fewedits::bench
