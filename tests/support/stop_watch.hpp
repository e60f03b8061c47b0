// SPDX-License-Identifier: MIT
// What is promised of limits: a run of T seconds ends within T + 5 s + 5 %, and Ctrl-C within 3 s.
#pragma once

#include <chrono>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define FEWEDITS_UNDER_A_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define FEWEDITS_UNDER_A_SANITIZER 1
#endif
#endif

namespace fewedits::test {

#ifdef FEWEDITS_UNDER_A_SANITIZER
inline constexpr double kSlowness = 12;
/// Is the memory that the system counts the program's? Sanitizers keep books of their own in it.
inline constexpr bool kMemoryIsOurs = false;
#else
inline constexpr double kSlowness = 1;
inline constexpr bool kMemoryIsOurs = true;
#endif

/// From the signal to the end.
inline constexpr double kEndOfCtrlC = 3 * kSlowness;
/// From the start to the end.
inline double end_of_limit(double seconds) { return 1.05 * seconds + 5 * kSlowness; }

class StopWatch {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace fewedits::test
