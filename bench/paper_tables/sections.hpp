// SPDX-License-Identifier: MIT
// The parts of the page, as Markdown.
#pragma once

#include <string>

#include "source.hpp"

namespace fewedits::bench {

/// What the paper says in words, and what came of it.
std::string claims_section(const Source& source);
/// Table 2: every method under GREED, published beside ours.
std::string greed_section(const Source& source);
/// The same graphs, and others, under proven edit distance.
std::string proven_section(const Source& source);
/// GREED trained here instead of the published weights.
std::string own_section(const Source& source);
/// Tables 1, 3, 4, 5 and 6.
std::string paper_section(const Source& source);
/// AIDS under each metric.
std::string kernels_section(const Source& source);
/// Greedy summaries against the best ones.
std::string optimum_section(const Source& source);

}  // namespace fewedits::bench
