// SPDX-License-Identifier: MIT
// Compiled with -mavx2 -mfma; see kernels_simd.inl for why so little is included here.
#include "gcfx/nn/kernels.hpp"

namespace gcfx {

const Kernels& avx2_kernels();

namespace {

#include "gcfx/nn/simd_strip.inl"

// 8 floats a vector: strips of 24, 16 and 8 columns; 4 rows × 3 vectors fill 12 of 16 registers.
using Strip3 = Strip<V8, 0, 3>;
using Strip2 = Strip<V8, 0, 2>;
using Strip1 = Strip<V8, 0, 1>;
constexpr std::size_t kRowBlock = 4;

#include "gcfx/nn/kernels_simd.inl"

}  // namespace

const Kernels& avx2_kernels() {
  static constexpr Kernels kTable{"avx2",        multiply,   gather,     aggregate,
                                  aggregate_max, add_scaled, column_max, column_sum};
  return kTable;
}

}  // namespace gcfx
