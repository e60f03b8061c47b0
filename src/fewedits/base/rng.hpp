// SPDX-License-Identifier: MIT
// Explicit random generator: xoshiro256++ (Blackman & Vigna 2019) seeded by SplitMix64.
// The standard library's distributions differ between vendors; these do not, so a seed
// means the same thing on every machine.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace fewedits {

class Rng {
 public:
  /// Streams of one seed are independent: use the item's index as the stream when items
  /// are processed in parallel, and the result does not depend on the thread count.
  explicit Rng(std::uint64_t seed, std::uint64_t stream = 0) {
    std::uint64_t x = seed ^ (stream * 0xd1342543de82ef95ULL + 0x2545f4914f6cdd1dULL);
    for (auto& word : state_) word = splitmix(x);
  }

  /// To go on later exactly where this one is.
  using State = std::array<std::uint64_t, 4>;
  explicit Rng(const State& state) : state_(state) {}
  [[nodiscard]] const State& state() const { return state_; }

  std::uint64_t next() {
    const std::uint64_t result = rotl(state_[0] + state_[3], 23) + state_[0];
    const std::uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = rotl(state_[3], 45);
    return result;
  }

  /// Uniform in [0, bound), unbiased; bound > 0.
  std::uint64_t below(std::uint64_t bound) {
    const std::uint64_t reject_under = (0 - bound) % bound;
    for (;;) {
      const std::uint64_t x = next();
      if (x >= reject_under) return x % bound;
    }
  }

  /// Uniform in [0, 1) with 53 random bits.
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

  bool chance(double probability) { return uniform() < probability; }

  /// Fisher–Yates.
  template <typename T>
  void shuffle(std::span<T> items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  static std::uint64_t rotl(std::uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }
  static std::uint64_t splitmix(std::uint64_t& x) {
    std::uint64_t z = (x += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }

  State state_{};
};

}  // namespace fewedits
