// SPDX-License-Identifier: MIT
// A glance as text: "fewedits.glance/1" (docs/formats.md).
#pragma once

#include <string>

#include "fewedits/glance/glance.hpp"

namespace fewedits {

inline constexpr const char* kGlanceFormat = "fewedits.glance/1";

std::string glance_json(const Glance& glance);

}  // namespace fewedits
