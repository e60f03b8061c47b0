// SPDX-License-Identifier: MIT
// Compiled with -mavx2 -mfma; see kernels_simd.inl for why so little is included here.
#include "fewedits/classifier/native/kernels.hpp"

namespace fewedits {

const Kernels& avx2_kernels();

namespace {

// Four rows × three vectors: 12 of 16 registers hold sums.
constexpr std::size_t kRowBlock = 4;

// clang-format off
#include "fewedits/classifier/native/simd_strip.inl"
#include "fewedits/classifier/native/kernels_simd.inl"
// clang-format on

}  // namespace

const Kernels& avx2_kernels() {
  static constexpr Kernels kTable{"avx2",     multiply,       multiply_sparse, gather,
                                  aggregate,  aggregate_max,  add_scaled,      column_max,
                                  column_sum, aggregate_edges};
  return kTable;
}

}  // namespace fewedits
