// SPDX-License-Identifier: MIT
// A vector type and a strip of columns held in registers. Included inside an anonymous
// namespace by the per-instruction-set files only.

using V8 = float __attribute__((vector_size(32)));
static_assert(sizeof(V8) == kLane * sizeof(float));

[[gnu::always_inline]] inline V8 load(const float* at) {
  V8 value;
  __builtin_memcpy(&value, at, sizeof value);
  return value;
}
[[gnu::always_inline]] inline void store(float* at, V8 value) {
  __builtin_memcpy(at, &value, sizeof value);
}
[[gnu::always_inline]] inline V8 broadcast(float value) { return value - V8{}; }
/// std::max(a, b): the instruction answers with its second operand when one is not a number, and
/// the compiler does not find it by itself under AVX-512.
[[gnu::always_inline]] inline V8 larger(V8 a, V8 b) { return __builtin_ia32_maxps256(b, a); }

/// Bit i: element i is not zero (it may be no number at all).
[[gnu::always_inline]] inline std::uint64_t nonzero(V8 value) {
  const V8 all_ones_if_so = reinterpret_cast<V8>(value != V8{});
  return static_cast<std::uint64_t>(__builtin_ia32_movmskps256(all_ones_if_so));
}

/// Keeps a value in a register. PERF NOTE: AVX-512 lets the compiler fold a broadcast into each
/// multiply-add as a memory operand, one load for every product instead of one per row.
[[gnu::always_inline]] inline V8 in_register(V8 value) {
  asm("" : "+x"(value));
  return value;
}

/// N vectors side by side: the columns of one tile.
template <std::size_t N>
struct Strip {
  V8 part[N];
  static constexpr std::size_t kColumns = N * kLane;

  [[gnu::always_inline]] void clear() {
    for (std::size_t i = 0; i < N; ++i) part[i] = V8{};
  }
  [[gnu::always_inline]] void read(const float* at) {
    for (std::size_t i = 0; i < N; ++i) part[i] = load(at + i * kLane);
  }
  [[gnu::always_inline]] void write(float* at) const {
    for (std::size_t i = 0; i < N; ++i) store(at + i * kLane, part[i]);
  }
  [[gnu::always_inline]] void add(const Strip& b) {
    for (std::size_t i = 0; i < N; ++i) part[i] += b.part[i];
  }
  [[gnu::always_inline]] void add_product(float factor, const Strip& b) {
    const V8 spread = in_register(broadcast(factor));
    for (std::size_t i = 0; i < N; ++i) part[i] += spread * b.part[i];
  }
  [[gnu::always_inline]] void scale(float factor) {
    const V8 spread = in_register(broadcast(factor));
    for (std::size_t i = 0; i < N; ++i) part[i] *= spread;
  }
  [[gnu::always_inline]] void take_larger(const Strip& b) {
    for (std::size_t i = 0; i < N; ++i) part[i] = larger(part[i], b.part[i]);
  }
  [[gnu::always_inline]] void clamp_at_zero() {
    for (std::size_t i = 0; i < N; ++i) part[i] = larger(part[i], V8{});
  }
};
