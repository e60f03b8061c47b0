// SPDX-License-Identifier: MIT
#include "support/peak.hpp"

#ifdef __x86_64__
#include <immintrin.h>
#endif

#include <algorithm>
#include <chrono>
#include <limits>

namespace fewedits::bench {

#ifdef __x86_64__

namespace {

constexpr int kChains = 12;  // enough independent sums to hide the latency of an FMA
constexpr int kSteps = 1 << 18;

__attribute__((target("avx512f"))) double run_avx512() {
  __m512 sum[kChains];
  for (int i = 0; i < kChains; ++i) sum[i] = _mm512_set1_ps(static_cast<float>(i));
  const __m512 a = _mm512_set1_ps(0.999F);
  const __m512 b = _mm512_set1_ps(1e-3F);
  for (int s = 0; s < kSteps; ++s) {
    for (int i = 0; i < kChains; ++i) sum[i] = _mm512_fmadd_ps(sum[i], a, b);
  }
  __m512 total = sum[0];
  for (int i = 1; i < kChains; ++i) total = _mm512_add_ps(total, sum[i]);
  volatile float keep = total[0];
  (void)keep;
  return 2.0 * 16 * kChains * static_cast<double>(kSteps);
}

__attribute__((target("avx2,fma"))) double run_avx2() {
  __m256 sum[kChains];
  for (int i = 0; i < kChains; ++i) sum[i] = _mm256_set1_ps(static_cast<float>(i));
  const __m256 a = _mm256_set1_ps(0.999F);
  const __m256 b = _mm256_set1_ps(1e-3F);
  for (int s = 0; s < kSteps; ++s) {
    for (int i = 0; i < kChains; ++i) sum[i] = _mm256_fmadd_ps(sum[i], a, b);
  }
  __m256 total = sum[0];
  for (int i = 1; i < kChains; ++i) total = _mm256_add_ps(total, sum[i]);
  volatile float keep = total[0];
  (void)keep;
  return 2.0 * 8 * kChains * static_cast<double>(kSteps);
}

double best_rate(double (*run)()) {
  double best = 0;
  for (int round = 0; round < 20; ++round) {
    const auto start = std::chrono::steady_clock::now();
    const double flops = run();
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    best = std::max(best, flops / seconds.count());
  }
  return best;
}

}  // namespace

double measured_peak_flops() {
  double best = 0;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) best = best_rate(run_avx2);
  if (__builtin_cpu_supports("avx512f")) best = std::max(best, best_rate(run_avx512));
  return best;
}

#else

// No hand-written loop for this processor: the share of peak is not stated.
double measured_peak_flops() { return std::numeric_limits<double>::quiet_NaN(); }

#endif

}  // namespace fewedits::bench
