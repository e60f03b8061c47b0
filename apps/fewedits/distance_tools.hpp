// SPDX-License-Identifier: MIT
// What several commands say about distances.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "fewedits/distance/distances.hpp"

namespace fewedits::cli {

/// --distance, with the names and what they are.
CLI::Option* add_distance_option(CLI::App& command, std::string& distance);

/// Throws Error if the distance of that name needs a model, and there is none.
void check_distance_model(const std::string& distance, const std::string& model);

}  // namespace fewedits::cli
