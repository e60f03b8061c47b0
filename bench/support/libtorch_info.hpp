// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace gcfx::bench {

/// What this libtorch is, in words (version, instruction set).
std::string libtorch_description();
void set_libtorch_threads(int threads);

}  // namespace gcfx::bench
