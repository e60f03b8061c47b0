// SPDX-License-Identifier: MIT
// Text that came from a file, made safe to show: nothing in it moves the cursor, changes colours or
// turns the direction of what follows.
#pragma once

#include <string>
#include <string_view>

namespace fewedits {

/// One line: control characters (line ends and tabs among them), characters that steer the
/// direction or the break of lines, and bytes that are no UTF-8 become \x1b.
std::string printable(std::string_view text);

/// The same of a text of several lines, whose line ends and tabs are kept.
std::string printable_lines(std::string_view text);

}  // namespace fewedits
