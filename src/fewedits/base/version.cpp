// SPDX-License-Identifier: MIT
#include "fewedits/base/version.hpp"

namespace fewedits {

std::string version() { return FEWEDITS_VERSION; }

}  // namespace fewedits
