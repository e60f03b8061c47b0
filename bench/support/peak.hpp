// SPDX-License-Identifier: MIT
#pragma once

namespace fewedits::bench {

/// Single-precision flop/s of one core in a loop of independent multiply-adds on the widest
/// vectors this processor has: the ceiling for any kernel.
double measured_peak_flops();

}  // namespace fewedits::bench
