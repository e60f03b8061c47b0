// SPDX-License-Identifier: MIT
// Where the benchmarks find the published data, weights and golden values.
#pragma once

#include <cstdlib>
#include <string>

namespace gcfx::bench {

/// $GCFX_SHARED, else ../shared.
inline std::string shared_root() {
  const char* configured = std::getenv("GCFX_SHARED");
  return configured != nullptr ? configured : "../shared";
}

/// Exit code of a benchmark that found nothing to run on; CTest shows it as skipped.
inline constexpr int kSkipped = 77;

}  // namespace gcfx::bench
