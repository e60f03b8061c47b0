// SPDX-License-Identifier: MIT
// What the kernels may be asked for. The limits stand beside the fields (distance_options).
#pragma once

#include "fewedits/distance/distance_options.hpp"

namespace fewedits {

/// Each throws Error that says what may be given.
void check_kernel(const WlOptions& options);
void check_kernel(const RwOptions& options);
void check_kernel(const NspdOptions& options);

}  // namespace fewedits
