// SPDX-License-Identifier: MIT
// How much memory this process took at most (Linux; elsewhere 0).
#pragma once

#include <cstdint>

namespace fewedits::bench {

/// Peak of the resident memory, in bytes, since the start or the last reset.
std::uint64_t peak_memory();
/// Gives freed memory back to the system and forgets the peak so far.
void reset_peak_memory();

}  // namespace fewedits::bench
