// SPDX-License-Identifier: MIT
// Rows of the table of options on the command line.
#pragma once

#include <CLI/CLI.hpp>

#include "fewedits/search/option_table.hpp"

namespace fewedits::cli {

/// In its group. Keeps the references.
void add_row(CLI::App& command, const OptionRow& row, ExplainOptions& options);

}  // namespace fewedits::cli
