// SPDX-License-Identifier: MIT
// The parts of the page, as Markdown.
#pragma once

#include <string>

#include "source.hpp"

namespace fewedits::bench {

/// The page in a few sentences.
std::string summary_section(const Source& source);
/// Of real graphs GREED claims less than is proven, and on how many datasets; empty: not known.
std::string understating_sentence(const Source& source);
/// Two tables and what they say, for the first page of the project.
std::string readme_tables(const Source& source);
/// The paper's methods of table 2; those that are compared under proven distances.
std::string greed_coverage_in_short(const Source& source);
std::string proven_coverage_in_short(const Source& source);
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
