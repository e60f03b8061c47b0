// SPDX-License-Identifier: MIT
// A text as a cell of CSV that a spreadsheet neither splits nor computes. The page writes CSV by
// itself, so web/report.js has the same rule once more; the browser test compares them.
#pragma once

#include <string>
#include <string_view>

namespace fewedits {

/// Quoted where it has to be. What begins like a formula and is no number gets an apostrophe, which
/// makes it a text to spreadsheets.
std::string csv_cell(std::string_view text);

}  // namespace fewedits
