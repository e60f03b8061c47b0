// SPDX-License-Identifier: MIT
// A batch of graphs for training the distance network, and the one operation it needs.
//
// PERF NOTES: nodes with the same surroundings up to l hops have the same row after l layers, in
// whatever graph of the batch they are (classifier/native/refinement.hpp). A layer therefore
// computes one row per class, forward and backward. Sums over classes are no symmetric product,
// hence an operation of their own beside torch_ops.hpp.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <span>
#include <vector>

#include "fewedits/graph/graph.hpp"

namespace fewedits {

/// Which rows are added up: row i of the sum takes x[own[i]] and x[items[offsets[i]…offsets[i+1])].
/// int32 and contiguous; an undefined `own` or `offsets` takes nothing.
struct RowLists {
  torch::Tensor own;
  torch::Tensor offsets;
  torch::Tensor items;

  [[nodiscard]] std::int64_t count() const {
    return own.defined() ? own.size(0) : offsets.size(0) - 1;
  }
};

/// [count × width]. Rows are added in one order, forward and backward: no threads, no atomics.
torch::Tensor sum_rows(const torch::Tensor& x, const RowLists& lists);

struct GreedBatch {
  /// layers[l] sums a class of l+1 hops: itself and its neighbours among the classes of l hops.
  /// The classes of 0 hops are the labels.
  std::vector<RowLists> layers;
  /// ancestors[l]: from classes of l+1 hops to those of l-1 hops; layer 0 has none.
  std::vector<RowLists> ancestors;
  /// pools[l] sums the classes of l hops over each graph's nodes, l = 0…layers.
  std::vector<RowLists> pools;
};

GreedBatch make_greed_batch(std::span<const Graph> graphs, std::size_t layers);

}  // namespace fewedits
