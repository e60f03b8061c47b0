// SPDX-License-Identifier: MIT
// How often this program asked for memory; whoever links it counts.
#pragma once

#include <cstddef>

namespace fewedits::bench {

std::size_t allocations();

}  // namespace fewedits::bench
