// SPDX-License-Identifier: MIT
// Rows of the table of options on the command line.
#pragma once

#include <CLI/CLI.hpp>

#include "fewedits/search/option_table.hpp"

namespace fewedits::cli {

/// In its group. Keeps the references.
void add_row(CLI::App& command, const OptionRow& row, ExplainOptions& options);

/// Checks values of an option of that name, for commands that have it without the rest of the
/// table.
CLI::Validator valid_option(std::string_view name);

}  // namespace fewedits::cli
