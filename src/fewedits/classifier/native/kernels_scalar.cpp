// SPDX-License-Identifier: MIT
// The plain reading of every kernel: the twin the vectorised ones are tested against, and
// what runs on a processor without AVX2.
#include <algorithm>

#include "fewedits/classifier/native/kernels.hpp"

namespace fewedits {
namespace {

void finish(std::size_t row, std::size_t width, const Epilogue& e, float* out) {
  for (std::size_t c = 0; c < width; ++c) {
    if (e.add != nullptr) out[c] += e.add[row * width + c];
    if (e.bias != nullptr) out[c] += e.bias[c];
    if (e.relu) out[c] = std::max(out[c], 0.0F);
  }
}

const float* row_of(const Lookup& x, std::size_t row, std::size_t width) {
  return x.x + (x.index != nullptr ? x.index[row] : row) * width;
}

void multiply(std::size_t rows, std::size_t inner, std::size_t width, const float* a,
              std::size_t lda, const float* b, const Epilogue& epilogue, float* c) {
  for (std::size_t r = 0; r < rows; ++r) {
    float* out = c + r * width;
    std::fill_n(out, width, 0.0F);
    for (std::size_t k = 0; k < inner; ++k) {
      const float factor = a[r * lda + k];
      for (std::size_t j = 0; j < width; ++j) out[j] += factor * b[k * width + j];
    }
    finish(r, width, epilogue, out);
  }
}

void gather(std::size_t rows, std::size_t width, const Lookup& x, float* out) {
  for (std::size_t r = 0; r < rows; ++r) std::copy_n(row_of(x, r, width), width, out + r * width);
}

void aggregate(const Rows& graph, std::size_t width, const Lookup& x, const float* weight,
               float self, const float* scale, const Epilogue& epilogue, float* out) {
  const auto add_node = [&](std::size_t node, float factor, float* row) {
    const float* other = row_of(x, node, width);
    const float total = weight != nullptr ? factor * weight[node] : factor;
    for (std::size_t c = 0; c < width; ++c) row[c] += total * other[c];
  };
  for (std::size_t r = 0; r < graph.count; ++r) {
    float* row = out + r * width;
    std::fill_n(row, width, 0.0F);
    add_node(graph.nodes != nullptr ? graph.nodes[r] : r, self, row);
    for (std::uint32_t i = graph.offsets[r]; i < graph.offsets[r + 1]; ++i) {
      add_node(graph.targets[i], 1.0F, row);
    }
    if (scale != nullptr) {
      for (std::size_t c = 0; c < width; ++c) row[c] *= scale[r];
    }
    finish(r, width, epilogue, row);
  }
}

void aggregate_max(const Rows& graph, std::size_t width, const float* x, float* out) {
  for (std::size_t r = 0; r < graph.count; ++r) {
    float* row = out + r * width;
    std::fill_n(row, width, 0.0F);
    for (std::uint32_t i = graph.offsets[r]; i < graph.offsets[r + 1]; ++i) {
      const float* other = x + graph.targets[i] * width;
      const bool first = i == graph.offsets[r];
      for (std::size_t c = 0; c < width; ++c)
        row[c] = first ? other[c] : std::max(row[c], other[c]);
    }
  }
}

void add_scaled(std::size_t width, float factor, const float* x, float* y) {
  for (std::size_t c = 0; c < width; ++c) y[c] += factor * x[c];
}

void multiply_sparse(std::size_t rows, std::size_t inner, std::size_t width, const float* a,
                     std::size_t lda, const float* b, const Epilogue& epilogue, float* c) {
  for (std::size_t r = 0; r < rows; ++r) {
    float* out = c + r * width;
    std::fill_n(out, width, 0.0F);
    for (std::size_t k = 0; k < inner; ++k) {
      if (a[r * lda + k] != 0) add_scaled(width, a[r * lda + k], b + k * width, out);
    }
    finish(r, width, epilogue, out);
  }
}

void column_max(std::size_t rows, std::size_t width, const float* x, float* out) {
  std::copy_n(x, width, out);
  for (std::size_t r = 1; r < rows; ++r) {
    for (std::size_t c = 0; c < width; ++c) out[c] = std::max(out[c], x[r * width + c]);
  }
}

void column_sum(std::size_t rows, std::size_t width, const float* x, float* out) {
  std::copy_n(x, width, out);
  for (std::size_t r = 1; r < rows; ++r) {
    for (std::size_t c = 0; c < width; ++c) out[c] += x[r * width + c];
  }
}

void aggregate_edges(const Rows& graph, std::size_t width, const float* x, const float* edges,
                     const std::uint32_t* labels, float self, float* out) {
  for (std::size_t r = 0; r < graph.count; ++r) {
    float* row = out + r * width;
    for (std::size_t c = 0; c < width; ++c) row[c] = self * x[r * width + c];
    for (std::uint32_t i = graph.offsets[r]; i < graph.offsets[r + 1]; ++i) {
      const float* other = x + graph.targets[i] * width;
      const float* edge = edges + labels[i] * width;
      for (std::size_t c = 0; c < width; ++c) row[c] += std::max(other[c] + edge[c], 0.0F);
    }
  }
}

}  // namespace

const Kernels& scalar_kernels() {
  static constexpr Kernels kTable{"scalar",   multiply,       multiply_sparse, gather,
                                  aggregate,  aggregate_max,  add_scaled,      column_max,
                                  column_sum, aggregate_edges};
  return kTable;
}

}  // namespace fewedits
