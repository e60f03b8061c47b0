// SPDX-License-Identifier: MIT
// Compiled with -mavx512f -mavx512vl -mavx512dq -mavx512bw -mfma; see kernels_simd.inl for why so
// little is included here.
#include "fewedits/classifier/native/kernels.hpp"

namespace fewedits {

const Kernels& avx512_kernels();

namespace {

// Six rows × three vectors: 18 of the 32 registers hold sums; eight rows measured slower on
// molecules of 30 nodes for their longer remainder. PERF NOTE: the vectors stay 256 bits wide.
// The paper's rows are 24 floats, and where a 512-bit multiply-add occupies both 256-bit units,
// one 512-bit plus one 256-bit vector per row measured slower than three of 256.
constexpr std::size_t kRowBlock = 6;

// clang-format off
#include "fewedits/classifier/native/simd_strip.inl"
#include "fewedits/classifier/native/kernels_simd.inl"
// clang-format on

}  // namespace

const Kernels& avx512_kernels() {
  static constexpr Kernels kTable{"avx512",   multiply,       multiply_sparse, gather,
                                  aggregate,  aggregate_max,  add_scaled,      column_max,
                                  column_sum, aggregate_edges};
  return kTable;
}

}  // namespace fewedits
