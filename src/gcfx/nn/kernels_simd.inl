// SPDX-License-Identifier: MIT
// The vectorised kernels, written once with the compiler's vector types and compiled once per
// instruction set. Included by kernels_avx2.cpp and kernels_avx512.cpp, inside an anonymous
// namespace; those files include no standard header with inline functions, because such a
// function compiled here with AVX could be the copy the linker keeps for everyone.
//
// PERF NOTES
// - Hidden widths are small (20 in the paper, padded to 24), so one row block of C stays in
//   registers over the whole inner loop: per step a tile of R rows × T vectors costs R
//   broadcasts and T loads for R·T multiply-adds. R = 4 with T = 3 (AVX2) uses 12 of 16
//   registers, R = 8 (AVX-512) 24 of 32.
// - A 24-float row is one 512-bit and one 256-bit vector under AVX-512, three 256-bit ones
//   under AVX2: never a masked or partial operation.
// - The epilogue is applied while the tile is still in registers.

/// Calls body.template operator()<Strip>(column) for strips that cover [0, width).
template <typename Body>
[[gnu::always_inline]] inline void for_strips(std::size_t width, Body&& body) {
  std::size_t column = 0;
  while (column < width) {
    const std::size_t left = width - column;
    if (left >= Strip3::kColumns) {
      body.template operator()<Strip3>(column);
      column += Strip3::kColumns;
    } else if (left >= Strip2::kColumns) {
      body.template operator()<Strip2>(column);
      column += Strip2::kColumns;
    } else {
      body.template operator()<Strip1>(column);
      column += Strip1::kColumns;
    }
  }
}

template <typename S>
[[gnu::always_inline]] inline void finish(S& strip, std::size_t row, std::size_t width,
                                          std::size_t column, const Epilogue& e) {
  S other;
  if (e.add != nullptr) {
    other.read(e.add + row * width + column);
    strip.add(other);
  }
  if (e.bias != nullptr) {
    other.read(e.bias + column);
    strip.add(other);
  }
  if (e.relu) strip.clamp_at_zero();
}

struct Product {
  std::size_t inner;
  std::size_t width;
  const float* a;
  std::size_t lda;
  const float* b;
  const Epilogue* epilogue;
  float* c;
};

template <typename S, std::size_t R>
[[gnu::always_inline]] inline void multiply_block(const Product& p, std::size_t row,
                                                  std::size_t column) {
  S tile[R];
  for (std::size_t r = 0; r < R; ++r) tile[r].clear();
  const float* a = p.a + row * p.lda;
  const float* b = p.b + column;
  for (std::size_t k = 0; k < p.inner; ++k) {
    S line;
    line.read(b + k * p.width);
    for (std::size_t r = 0; r < R; ++r) {
      tile[r].add_product(a[r * p.lda + k], line);
    }
  }
  for (std::size_t r = 0; r < R; ++r) {
    const std::size_t at = row + r;
    finish(tile[r], at, p.width, column, *p.epilogue);
    tile[r].write(p.c + at * p.width + column);
  }
}

void multiply(std::size_t rows, std::size_t inner, std::size_t width, const float* a,
              std::size_t lda, const float* b, const Epilogue& epilogue, float* c) {
  const Product p{inner, width, a, lda, b, &epilogue, c};
  for_strips(
      width, [&]<typename S>(std::size_t column) __attribute__((always_inline)) {
        std::size_t row = 0;
        for (; row + kRowBlock <= rows; row += kRowBlock)
          multiply_block<S, kRowBlock>(p, row, column);
        for (; row + 2 <= rows; row += 2) multiply_block<S, 2>(p, row, column);
        if (row < rows) multiply_block<S, 1>(p, row, column);
      });
}

[[gnu::always_inline]] inline const float* row_of(const Lookup& x, std::size_t row,
                                                  std::size_t width) {
  return x.x + (x.index != nullptr ? x.index[row] : row) * width;
}

void gather(std::size_t rows, std::size_t width, const Lookup& x, float* out) {
  for_strips(
      width, [&]<typename S>(std::size_t column) __attribute__((always_inline)) {
        for (std::size_t r = 0; r < rows; ++r) {
          S line;
          line.read(row_of(x, r, width) + column);
          line.write(out + r * width + column);
        }
      });
}

void aggregate(const Rows& graph, std::size_t width, const Lookup& x, const float* weight,
               float self, const float* scale, const Epilogue& epilogue, float* out) {
  for_strips(
      width, [&]<typename S>(std::size_t column) __attribute__((always_inline)) {
        for (std::size_t r = 0; r < graph.count; ++r) {
          S sum;
          S line;
          sum.read(row_of(x, r, width) + column);
          sum.scale(weight != nullptr ? self * weight[r] : self);
          for (std::uint32_t i = graph.offsets[r]; i < graph.offsets[r + 1]; ++i) {
            const std::uint32_t other = graph.targets[i];
            line.read(row_of(x, other, width) + column);
            if (weight != nullptr) {
              sum.add_product(weight[other], line);
            } else {
              sum.add(line);
            }
          }
          if (scale != nullptr) sum.scale(scale[r]);
          finish(sum, r, width, column, epilogue);
          sum.write(out + r * width + column);
        }
      });
}

void aggregate_max(const Rows& graph, std::size_t width, const float* x, float* out) {
  for_strips(
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
  for_strips(
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
  for_strips(
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
  for_strips(
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
