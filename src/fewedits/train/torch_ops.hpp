// SPDX-License-Identifier: MIT
// Graph operations for autograd over a batch: the disjoint union of graphs in CSR form.
//
// PERF NOTES: torch 1.13 has no sparse product with a cheap backward on the CPU, its
// index_add/scatter_add walk one element at a time, and its batch norm of an n × 20 matrix
// walks down columns (half of the training time: 115 ms of processor per epoch of
// Mutagenicity, 58 with ours). Each operation here is a few passes over contiguous float rows
// with a hand-written gradient; train_test.cpp holds every gradient against a dense
// formulation.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <span>

#include "fewedits/classifier/model_spec.hpp"
#include "fewedits/graph/graph.hpp"

namespace fewedits {

/// All index tensors are int32 and contiguous, so that saving them for backward is a
/// reference count.
struct GraphBatch {
  torch::Tensor offsets;        ///< [nodes+1] into targets
  torch::Tensor targets;        ///< [2·edges] neighbours, ascending for each node
  torch::Tensor graph_offsets;  ///< [graphs+1] first node of each graph
  torch::Tensor features;       ///< [nodes × labels] one-hot, float
  torch::Tensor classes;        ///< [graphs] int64
  torch::Tensor edge_labels;    ///< parallel to targets; undefined if edges have none

  [[nodiscard]] std::int64_t num_nodes() const { return features.size(0); }
  [[nodiscard]] std::int64_t num_graphs() const { return classes.size(0); }
};

/// The union of graphs[chosen[0]], graphs[chosen[1]], …; `labels` is the one-hot width.
GraphBatch make_batch(std::span<const Graph> graphs, std::span<const int> classes,
                      std::span<const std::size_t> chosen, std::int64_t labels);

/// [nodes] factors: (degree+1)^-1/2, and 1/degree with 0 for isolated nodes.
torch::Tensor gcn_scale(const GraphBatch& batch);
torch::Tensor mean_scale(const GraphBatch& batch);

/// out = diag(post) (A + self·I) diag(pre) x; an undefined factor is the identity.
torch::Tensor neighbour_sum(const torch::Tensor& x, const GraphBatch& batch, double self,
                            const torch::Tensor& pre = {}, const torch::Tensor& post = {});

/// GINE's sum: out_v = x_v + Σ relu(x_u + edges[label of uv]); edges is [edge labels × width].
torch::Tensor edge_message_sum(const torch::Tensor& x, const torch::Tensor& edges,
                               const GraphBatch& batch);

/// Maximum over the neighbours; 0 without neighbours; the gradient goes to the first maximum.
torch::Tensor neighbour_max(const torch::Tensor& x, const GraphBatch& batch);

/// [graphs × width]: mean, sum or maximum over each graph's nodes; 0 for an empty graph, the
/// gradient of a maximum goes to the first.
torch::Tensor pool_nodes(const torch::Tensor& x, const GraphBatch& batch, Aggregation how);

/// GAT's weighted sum over v's neighbours and v itself, for each head h:
///   out[v,h] = Σ_u α_vu x[u,h],  α_v· = softmax_u(leaky_relu(source[u,h] + target[v,h]))
/// x is [nodes × heads·C], source and target [nodes × heads].
torch::Tensor attention_sum(const torch::Tensor& x, const torch::Tensor& source,
                            const torch::Tensor& target, const GraphBatch& batch,
                            double negative_slope);

/// (x - mean) / sqrt(variance + epsilon) · weight + bias over the rows of x, of which there
/// must be at least two; also moves the running statistics, as torch.nn.BatchNorm1d does.
torch::Tensor train_batch_norm(const torch::Tensor& x, const torch::Tensor& weight,
                               const torch::Tensor& bias, torch::Tensor& running_mean,
                               torch::Tensor& running_variance, double momentum, double epsilon);

}  // namespace fewedits
