// SPDX-License-Identifier: MIT
// Compiled with -mavx512f -mavx512vl -mavx512dq -mavx512bw -mfma; see kernels_simd.inl for why so
// little is included here.
#include "gcfx/nn/kernels.hpp"

namespace gcfx {

const Kernels& avx512_kernels();

namespace {

#include "gcfx/nn/simd_strip.inl"

// 16 floats a vector, 8 for the rest: strips of 24, 16 and 8 columns, 8 rows at a time.
using Strip3 = Strip<V16, 1, 1>;
using Strip2 = Strip<V16, 1, 0>;
using Strip1 = Strip<V8, 0, 1>;
constexpr std::size_t kRowBlock = 8;

#include "gcfx/nn/kernels_simd.inl"

}  // namespace

const Kernels& avx512_kernels() {
  static constexpr Kernels kTable{"avx512",      multiply,   gather,     aggregate,
                                  aggregate_max, add_scaled, column_max, column_sum};
  return kTable;
}

}  // namespace gcfx
