// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace fewedits {

/// "0.1.0"
std::string version();

}  // namespace fewedits
