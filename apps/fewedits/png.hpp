// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace fewedits::cli {

/// The picture as PNG, `width` pixels wide. Throws Error in builds without librsvg.
std::string png_of_svg(const std::string& svg, int width);

/// Throws the same Error without work to do.
void check_png();

}  // namespace fewedits::cli
