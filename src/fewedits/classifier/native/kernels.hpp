// SPDX-License-Identifier: MIT
// The dense inner loops, one implementation per instruction set behind a table of functions.
// The scalar table is the plain reading of each formula; the others are tested against it.
//
// Matrices are row-major floats. Every row is padded to a multiple of kLane floats (`width`
// counts the padding), rows and tables start at multiples of 32 bytes, and the padding holds
// zeros, so that no kernel needs a remainder loop over columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace fewedits {

inline constexpr std::size_t kLane = 8;

constexpr std::size_t padded(std::size_t columns) { return (columns + kLane - 1) / kLane * kLane; }

/// What happens to a finished row r: row ← relu?(row + add[r] + bias).
struct Epilogue {
  const float* bias = nullptr;  ///< width floats, or null
  const float* add = nullptr;   ///< a matrix of the output's shape, or null
  bool relu = false;
};

/// Rows of a matrix, taken directly or through an index: row r is x[index ? index[r] : r].
/// With a label array as the index and a weight matrix as x this is one-hot(label) · W.
struct Lookup {
  const float* x;
  const std::uint32_t* index = nullptr;
};

/// Compressed rows of neighbours (the graph's own arrays).
struct Rows {
  std::size_t count;
  const std::uint32_t* offsets;
  const std::uint32_t* targets;
  const std::uint32_t* nodes = nullptr;  ///< whose neighbours row r lists; null: node r's
};

struct Kernels {
  const char* name;

  /// C[rows×width] = epilogue(A[rows×inner] · B[inner×width]); A has row stride lda ≥ inner.
  void (*multiply)(std::size_t rows, std::size_t inner, std::size_t width, const float* a,
                   std::size_t lda, const float* b, const Epilogue& epilogue, float* c);

  /// The same for an A of which much is zero, as after ReLU: zeros are skipped, which leaves out
  /// nothing as long as B is finite. The rows of A are padded with zeros like all others.
  void (*multiply_sparse)(std::size_t rows, std::size_t inner, std::size_t width, const float* a,
                          std::size_t lda, const float* b, const Epilogue& epilogue, float* c);

  /// out[r] = x[index[r]].
  void (*gather)(std::size_t rows, std::size_t width, const Lookup& x, float* out);

  /// out[r] = epilogue(scale[r] · (self · weight[v] · x[v] + Σ weight[u] · x[u])) over the
  /// neighbours u of v, the node of row r; scale and weight may be null (1).
  void (*aggregate)(const Rows& graph, std::size_t width, const Lookup& x, const float* weight,
                    float self, const float* scale, const Epilogue& epilogue, float* out);

  /// out[r] = max over neighbours of x, 0 where there is none; does not look at graph.nodes.
  void (*aggregate_max)(const Rows& graph, std::size_t width, const float* x, float* out);

  /// y += factor · x.
  void (*add_scaled)(std::size_t width, float factor, const float* x, float* y);

  /// Column-wise reductions over rows; rows ≥ 1.
  void (*column_max)(std::size_t rows, std::size_t width, const float* x, float* out);
  void (*column_sum)(std::size_t rows, std::size_t width, const float* x, float* out);

  /// out[r] = self · x[r] + Σ relu(x[u] + edges[l]) over the neighbours u of node r, where l is the
  /// label of the edge; `labels` are parallel to graph.targets. Does not look at graph.nodes.
  void (*aggregate_edges)(const Rows& graph, std::size_t width, const float* x, const float* edges,
                          const std::uint32_t* labels, float self, float* out);
};

const Kernels& scalar_kernels();

/// All tables this processor can run, slowest first; the scalar one is always there.
std::vector<const Kernels*> available_kernels();

/// The fastest available; or the named one. Throws Error if it is unknown or cannot run here.
const Kernels& best_kernels();
const Kernels& kernels_by_name(std::string_view name);

}  // namespace fewedits
