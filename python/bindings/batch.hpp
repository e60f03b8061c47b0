// SPDX-License-Identifier: MIT
// Many graphs as the arrays that PyTorch Geometric's models take, written by the engine's threads:
// no Python object stands for a graph.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "bindings.hpp"
#include "fewedits/base/parallel.hpp"
#include "fewedits/graph/graph.hpp"

namespace fewedits::python {

/// Immutable; what it gives are new arrays. Lines are edges in both directions, those of one graph
/// after those of the one before, ordered by source, then target.
class Batch {
 public:
  /// The pool is used while it is there, by one thread at a time; `release_pool` ends that.
  Batch(std::vector<Graph> graphs, ThreadPool* pool);

  [[nodiscard]] std::size_t num_graphs() const { return graphs_.size(); }
  [[nodiscard]] std::size_t num_nodes() const { return first_node_.back(); }
  [[nodiscard]] std::size_t num_lines() const { return first_line_.back(); }
  [[nodiscard]] const std::vector<Graph>& graphs() const { return graphs_; }
  [[nodiscard]] bool has_edge_labels() const;
  void release_pool() { pool_ = nullptr; }

  void write_labels(std::int64_t* out) const;
  void write_batch(std::int64_t* out) const;
  void write_edge_index(std::int64_t* out) const;
  /// Throws Error if a graph with edges has no labels of edges.
  void write_edge_labels(std::int64_t* out) const;
  /// Rows of the table by label of the nodes, `width` bytes each. Throws Error for a label without
  /// a row.
  void write_node_rows(const std::byte* table, std::size_t rows, std::size_t width,
                       std::byte* out) const;
  void write_edge_rows(const std::byte* table, std::size_t rows, std::size_t width,
                       std::byte* out) const;
  /// All in one: labels of nodes, graphs of nodes, sources, targets and, if asked for, labels of
  /// lines, so that it is one copy to another device.
  void write_block(std::int32_t* out, bool edge_labels) const;
  [[nodiscard]] std::size_t block_size(bool edge_labels) const {
    return 2 * num_nodes() + (edge_labels ? 3 : 2) * num_lines();
  }

 private:
  /// write(graph, first node, first line, place) for each graph, spread over the pool.
  template <typename Write>
  void for_each(const Write& write) const;
  template <typename T>
  void write_edge_labels_as(T* out) const;

  std::vector<Graph> graphs_;
  std::vector<std::size_t> first_node_;  ///< and the number of all
  std::vector<std::size_t> first_line_;
  ThreadPool* pool_;
};

}  // namespace fewedits::python
