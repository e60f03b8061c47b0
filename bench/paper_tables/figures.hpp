// SPDX-License-Identifier: MIT
// The paper's figures 3, 4 and 6 with our figures.
#pragma once

#include <filesystem>
#include <string>

#include "source.hpp"

namespace fewedits::bench {

/// Writes each as SVG and CSV into the folder. Returns the section that shows them; `link` is the
/// folder as seen from the page.
std::string figures_section(const Source& source, const std::filesystem::path& folder,
                            const std::string& link);

}  // namespace fewedits::bench
