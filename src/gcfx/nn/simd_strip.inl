// SPDX-License-Identifier: MIT
// Vector types and a strip of columns held in registers. Included inside an anonymous
// namespace by the per-instruction-set files only.

using V8 = float __attribute__((vector_size(32)));
using V16 = float __attribute__((vector_size(64)));

template <typename V>
inline constexpr std::size_t kWidthOf = sizeof(V) / sizeof(float);

template <typename V>
[[gnu::always_inline]] inline V load(const float* at) {
  V value;
  __builtin_memcpy(&value, at, sizeof value);
  return value;
}
template <typename V>
[[gnu::always_inline]] inline void store(float* at, V value) {
  __builtin_memcpy(at, &value, sizeof value);
}
template <typename V>
[[gnu::always_inline]] inline V broadcast(float value) {
  return value - V{};
}
template <typename V>
[[gnu::always_inline]] inline V larger(V a, V b) {
  return a > b ? a : b;
}

/// NW wide vectors (Wide) then NN narrow ones (V8), side by side: the columns of one tile.
template <typename Wide, std::size_t NW, std::size_t NN>
struct Strip {
  Wide wide[NW > 0 ? NW : 1];
  V8 narrow[NN > 0 ? NN : 1];
  static constexpr std::size_t kColumns = NW * kWidthOf<Wide> + NN * kLane;

  [[gnu::always_inline]] static std::size_t narrow_at(std::size_t i) {
    return NW * kWidthOf<Wide> + i * kLane;
  }
  [[gnu::always_inline]] static std::size_t wide_at(std::size_t i) { return i * kWidthOf<Wide>; }
  [[gnu::always_inline]] void clear() {
    for (std::size_t i = 0; i < NW; ++i) wide[i] = Wide{};
    for (std::size_t i = 0; i < NN; ++i) narrow[i] = V8{};
  }
  [[gnu::always_inline]] void read(const float* at) {
    for (std::size_t i = 0; i < NW; ++i) wide[i] = load<Wide>(at + wide_at(i));
    for (std::size_t i = 0; i < NN; ++i) narrow[i] = load<V8>(at + narrow_at(i));
  }
  [[gnu::always_inline]] void add_product(float factor, const Strip& b) {
    for (std::size_t i = 0; i < NW; ++i) wide[i] += broadcast<Wide>(factor) * b.wide[i];
    for (std::size_t i = 0; i < NN; ++i) narrow[i] += broadcast<V8>(factor) * b.narrow[i];
  }
  [[gnu::always_inline]] void add(const Strip& b) {
    for (std::size_t i = 0; i < NW; ++i) wide[i] += b.wide[i];
    for (std::size_t i = 0; i < NN; ++i) narrow[i] += b.narrow[i];
  }
  [[gnu::always_inline]] void scale(float factor) {
    for (std::size_t i = 0; i < NW; ++i) wide[i] *= broadcast<Wide>(factor);
    for (std::size_t i = 0; i < NN; ++i) narrow[i] *= broadcast<V8>(factor);
  }
  [[gnu::always_inline]] void take_larger(const Strip& b) {
    for (std::size_t i = 0; i < NW; ++i) wide[i] = larger(wide[i], b.wide[i]);
    for (std::size_t i = 0; i < NN; ++i) narrow[i] = larger(narrow[i], b.narrow[i]);
  }
  [[gnu::always_inline]] void clamp_at_zero() {
    for (std::size_t i = 0; i < NW; ++i) wide[i] = larger(wide[i], Wide{});
    for (std::size_t i = 0; i < NN; ++i) narrow[i] = larger(narrow[i], V8{});
  }
  [[gnu::always_inline]] void write(float* at) const {
    for (std::size_t i = 0; i < NW; ++i) store(at + wide_at(i), wide[i]);
    for (std::size_t i = 0; i < NN; ++i) store(at + narrow_at(i), narrow[i]);
  }
};
