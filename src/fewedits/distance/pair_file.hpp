// SPDX-License-Identifier: MIT
// A list of pairs from a CSV file whose heading has the columns graph_a and graph_b (others are
// ignored), indices into a dataset.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>
#include <vector>

#include "fewedits/distance/distance.hpp"

namespace fewedits {

/// Throws Error naming the line if the heading lacks a column, a field is no whole number, or a
/// graph is not below num_graphs.
std::vector<GraphPair> read_pairs(const std::filesystem::path& path, std::size_t num_graphs);

/// The same from text; `file` is for messages.
std::vector<GraphPair> parse_pairs(std::string_view text, const std::string& file,
                                   std::size_t num_graphs);

}  // namespace fewedits
