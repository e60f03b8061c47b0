// SPDX-License-Identifier: MIT
// The vectorised kernels, written once with the compiler's vector types and compiled once per
// instruction set. Included by kernels_avx2.cpp and kernels_avx512.cpp, inside an anonymous
// namespace; those files use no inline function of another header, because such a function
// compiled here with AVX could be the copy the linker keeps for everyone (a test looks for such
// symbols).
//
// PERF NOTES
// - Hidden widths are small (20 in the paper, padded to 24), so one row block of C stays in
//   registers over the whole inner loop: per step a tile of R rows × 3 vectors costs R
//   broadcasts and 3 loads for 3·R multiply-adds.
// - The epilogue is applied while the tile is still in registers.

/// Calls body.template operator()<Strip<N>>(column) for strips that cover [column, width).
template <typename Body>
[[gnu::always_inline]] inline void for_strips(std::size_t width, Body&& body,
                                              std::size_t column = 0) {
  for (; width - column >= Strip<3>::kColumns; column += Strip<3>::kColumns) {
    body.template operator()<Strip<3>>(column);
  }
  if (width - column == Strip<2>::kColumns) body.template operator()<Strip<2>>(column);
  if (width - column == Strip<1>::kColumns) body.template operator()<Strip<1>>(column);
}

/// The same with strips of 64 columns first, for kernels that hold one row in registers.
template <typename Body>
[[gnu::always_inline]] inline void for_wide_strips(std::size_t width, Body&& body) {
  std::size_t column = 0;
  for (; width - column >= Strip<8>::kColumns; column += Strip<8>::kColumns) {
    body.template operator()<Strip<8>>(column);
  }
  for_strips(width, body, column);
}

/// The epilogue of R finished rows that are still in registers. PERF NOTE: one pass per operand
/// with the loops unrolled; a loop over rows would put the tile on the stack to index it.
template <std::size_t R, typename S>
[[gnu::always_inline]] inline void finish(S (&tile)[R], std::size_t row, std::size_t width,
                                          std::size_t column, const Epilogue& e) {
  S other;
  if (e.add != nullptr) {
#pragma GCC unroll 8
    for (std::size_t r = 0; r < R; ++r) {
      other.read(e.add + (row + r) * width + column);
      tile[r].add(other);
    }
  }
  if (e.bias != nullptr) {
    other.read(e.bias + column);
#pragma GCC unroll 8
    for (std::size_t r = 0; r < R; ++r) tile[r].add(other);
  }
  if (e.relu) {
#pragma GCC unroll 8
    for (std::size_t r = 0; r < R; ++r) tile[r].clamp_at_zero();
  }
}

struct Product {
  std::size_t inner;
  std::size_t width;
  const float* a;
  std::size_t lda;
  const float* b;
  Epilogue epilogue;
  float* c;
};

template <typename S, std::size_t R>
[[gnu::always_inline]] inline void multiply_block(const Product& p, std::size_t row,
                                                  std::size_t column) {
  S tile[R];
#pragma GCC unroll 8
  for (std::size_t r = 0; r < R; ++r) tile[r].clear();
  const float* a = p.a + row * p.lda;
  const float* b = p.b + column;
  for (std::size_t k = 0; k < p.inner; ++k) {
    S line;
    line.read(b + k * p.width);
#pragma GCC unroll 8
    for (std::size_t r = 0; r < R; ++r) tile[r].add_product(a[r * p.lda + k], line);
  }
  finish(tile, row, p.width, column, p.epilogue);
#pragma GCC unroll 8
  for (std::size_t r = 0; r < R; ++r) tile[r].write(p.c + (row + r) * p.width + column);
}

void multiply(std::size_t rows, std::size_t inner, std::size_t width, const float* a,
              std::size_t lda, const float* b, const Epilogue& epilogue, float* c) {
  const Product p{inner, width, a, lda, b, epilogue, c};
  for_strips(
      width, [&]<typename S>(std::size_t column) __attribute__((always_inline)) {
        std::size_t row = 0;
        for (; row + kRowBlock <= rows; row += kRowBlock)
          multiply_block<S, kRowBlock>(p, row, column);
        for (; row + 4 <= rows; row += 4) multiply_block<S, 4>(p, row, column);
        for (; row + 2 <= rows; row += 2) multiply_block<S, 2>(p, row, column);
        if (row < rows) multiply_block<S, 1>(p, row, column);
      });
}

constexpr std::size_t kMaskBits = 64;

/// Bit k: A's element k behind `from` in that row is not zero; 64 elements or to the row's end.
[[gnu::always_inline]] inline std::uint64_t nonzero_bits(const Product& p, std::size_t row,
                                                         std::size_t from) {
  const float* a = p.a + row * p.lda + from;
  std::uint64_t bits = 0;
  for (std::size_t k = 0; k < kMaskBits && from + k < p.inner; k += kLane) {
    bits |= nonzero(load(a + k)) << k;
  }
  return bits;
}

/// One strip of C, row by row. PERF NOTE: the number of non-zeros is anyone's guess, so the loop
/// over them ends with a misprediction. The mask of the next row is made before it: then the
/// next row's work is under way when that is found out, worth a fifth of the time. Blocks of rows
/// gain nothing: their non-zeros are in different places. Inner and Width as constants (if not 0)
/// are worth a tenth.
template <typename S, std::size_t Inner, std::size_t Width>
[[gnu::always_inline]] inline void multiply_sparse_strip(Product p, std::size_t rows,
                                                         std::size_t column) {
  if constexpr (Inner > 0) p.inner = Inner;
  if constexpr (Width > 0) p.width = Width;
  std::uint64_t next = nonzero_bits(p, 0, 0);
  for (std::size_t row = 0; row < rows; ++row) {
    S tile[1];
    tile[0].clear();
    for (std::size_t from = 0; from < p.inner; from += kMaskBits) {
      std::uint64_t bits = next;
      if (from + kMaskBits < p.inner) {
        next = nonzero_bits(p, row, from + kMaskBits);
      } else if (row + 1 < rows) {
        next = nonzero_bits(p, row + 1, 0);
      }
      const float* a = p.a + row * p.lda + from;
      const float* b = p.b + from * p.width + column;
      for (; bits != 0; bits &= bits - 1) {
        const auto k = static_cast<std::size_t>(__builtin_ctzll(bits));
        S line;
        line.read(b + k * p.width);
        tile[0].add_product(a[k], line);
      }
    }
    finish(tile, row, p.width, column, p.epilogue);
    tile[0].write(p.c + row * p.width + column);
  }
}

void multiply_sparse(std::size_t rows, std::size_t inner, std::size_t width, const float* a,
                     std::size_t lda, const float* b, const Epilogue& epilogue, float* c) {
  if (rows == 0) return;
  const Product p{inner, width, a, lda, b, epilogue, c};
  for_wide_strips(
      width, [&]<typename S>(std::size_t column) __attribute__((always_inline)) {
        if (width == S::kColumns && inner == kMaskBits) {
          multiply_sparse_strip<S, kMaskBits, S::kColumns>(p, rows, 0);
        } else {
          multiply_sparse_strip<S, 0, 0>(p, rows, column);
        }
      });
}

[[gnu::always_inline]] inline const float* row_of(const Lookup& x, std::size_t row,
                                                  std::size_t width) {
  return x.x + (x.index != nullptr ? x.index[row] : row) * width;
}

void gather(std::size_t rows, std::size_t width, const Lookup& x, float* out) {
  for_wide_strips(
      width, [&]<typename S>(std::size_t column) __attribute__((always_inline)) {
        for (std::size_t r = 0; r < rows; ++r) {
          S line;
          line.read(row_of(x, r, width) + column);
          line.write(out + r * width + column);
        }
      });
}

/// What aggregate does to one strip. PERF NOTE: the sum over two or three neighbours is so
/// short that tests for absent operands and the multiplication by the row width weigh as much
/// as the additions. Compiled for each case, with the width a constant when one strip is the
/// whole row (Width > 0), it takes a fifth less time. The small structs come by value: behind a
/// reference, every store to `out` would make the compiler read them again. Visiting rows by
/// degree, to spare branch mispredictions, gained nothing.
template <typename S, bool Named, bool Indexed, bool Weighted, std::size_t Width>
[[gnu::always_inline]] inline void aggregate_strip(const Rows graph, std::size_t dynamic_width,
                                                   std::size_t column, const Lookup x,
                                                   const float* weight, float self,
                                                   const float* scale, const Epilogue epilogue,
                                                   float* out) {
  const std::size_t width = Width > 0 ? Width : dynamic_width;
  const auto row = [&](std::size_t node) __attribute__((always_inline)) {
    return x.x + (Indexed ? x.index[node] : node) * width + column;
  };
  const std::uint32_t* target = graph.targets + graph.offsets[0];
  for (std::size_t r = 0; r < graph.count; ++r) {
    S tile[1];
    S& sum = tile[0];
    const std::size_t node = Named ? graph.nodes[r] : r;
    sum.read(row(node));
    sum.scale(Weighted ? self * weight[node] : self);
    for (const std::uint32_t* end = graph.targets + graph.offsets[r + 1]; target != end; ++target) {
      S line;
      line.read(row(*target));
      if constexpr (Weighted) {
        sum.add_product(weight[*target], line);
      } else {
        sum.add(line);
      }
    }
    if (scale != nullptr) sum.scale(scale[r]);
    finish(tile, r, width, column, epilogue);
    sum.write(out + r * width + column);
  }
}

template <bool Named, bool Indexed, bool Weighted>
void aggregate_case(const Rows& graph, std::size_t width, const Lookup& x, const float* weight,
                    float self, const float* scale, const Epilogue& epilogue, float* out) {
  for_wide_strips(
      width, [&]<typename S>(std::size_t column) __attribute__((always_inline)) {
        if (width == S::kColumns) {
          aggregate_strip<S, Named, Indexed, Weighted, S::kColumns>(graph, width, 0, x, weight,
                                                                    self, scale, epilogue, out);
        } else {
          aggregate_strip<S, Named, Indexed, Weighted, 0>(graph, width, column, x, weight, self,
                                                          scale, epilogue, out);
        }
      });
}

void aggregate(const Rows& graph, std::size_t width, const Lookup& x, const float* weight,
               float self, const float* scale, const Epilogue& epilogue, float* out) {
  static constexpr decltype(&aggregate) kCases[2][2][2] = {
      {{aggregate_case<false, false, false>, aggregate_case<false, false, true>},
       {aggregate_case<false, true, false>, aggregate_case<false, true, true>}},
      {{aggregate_case<true, false, false>, aggregate_case<true, false, true>},
       {aggregate_case<true, true, false>, aggregate_case<true, true, true>}}};
  const auto run = kCases[graph.nodes != nullptr][x.index != nullptr][weight != nullptr];
  run(graph, width, x, weight, self, scale, epilogue, out);
}

void aggregate_max(const Rows& graph, std::size_t width, const float* x, float* out) {
  for_wide_strips(
      width, [&]<typename S>(std::size_t column) __attribute__((always_inline)) {
        for (std::size_t r = 0; r < graph.count; ++r) {
          S best;
          best.clear();
          std::uint32_t i = graph.offsets[r];
          if (i < graph.offsets[r + 1]) best.read(x + graph.targets[i++] * width + column);
          for (; i < graph.offsets[r + 1]; ++i) {
            S line;
            line.read(x + graph.targets[i] * width + column);
            best.take_larger(line);
          }
          best.write(out + r * width + column);
        }
      });
}

void add_scaled(std::size_t width, float factor, const float* x, float* y) {
  for_wide_strips(
      width, [&]<typename S>(std::size_t column) __attribute__((always_inline)) {
        S sum;
        S line;
        sum.read(y + column);
        line.read(x + column);
        sum.add_product(factor, line);
        sum.write(y + column);
      });
}

void column_max(std::size_t rows, std::size_t width, const float* x, float* out) {
  for_wide_strips(
      width, [&]<typename S>(std::size_t column) __attribute__((always_inline)) {
        S best;
        best.read(x + column);
        for (std::size_t r = 1; r < rows; ++r) {
          S line;
          line.read(x + r * width + column);
          best.take_larger(line);
        }
        best.write(out + column);
      });
}

void column_sum(std::size_t rows, std::size_t width, const float* x, float* out) {
  for_wide_strips(
      width, [&]<typename S>(std::size_t column) __attribute__((always_inline)) {
        S sum;
        sum.read(x + column);
        for (std::size_t r = 1; r < rows; ++r) {
          S line;
          line.read(x + r * width + column);
          sum.add(line);
        }
        sum.write(out + column);
      });
}

/// What aggregate_edges does to one strip.
template <typename S>
[[gnu::always_inline]] inline void aggregate_edges_strip(const Rows graph, std::size_t width,
                                                         std::size_t column, const float* x,
                                                         const float* edges,
                                                         const std::uint32_t* labels, float self,
                                                         float* out) {
  for (std::size_t r = 0; r < graph.count; ++r) {
    S sum;
    sum.read(x + r * width + column);
    sum.scale(self);
    for (std::uint32_t i = graph.offsets[r]; i < graph.offsets[r + 1]; ++i) {
      S message;
      S edge;
      message.read(x + graph.targets[i] * width + column);
      edge.read(edges + labels[i] * width + column);
      message.add(edge);
      message.clamp_at_zero();
      sum.add(message);
    }
    sum.write(out + r * width + column);
  }
}

void aggregate_edges(const Rows& graph, std::size_t width, const float* x, const float* edges,
                     const std::uint32_t* labels, float self, float* out) {
  for_wide_strips(
      width, [&]<typename S>(std::size_t column) __attribute__((always_inline)) {
        aggregate_edges_strip<S>(graph, width, column, x, edges, labels, self, out);
      });
}
